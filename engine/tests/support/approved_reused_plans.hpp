// What every benchmark plans where buffers are used once, as approved_plans_test.cpp prints
// this table.
#pragma once

#include <array>

#include "tests/support/approved.hpp"

namespace weft::fake {

inline constexpr std::array<ApprovedOf, 40> approved_reused_plans{{
    {"ping_pong", R"(needs 1284032 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:750818 62:571456 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x68x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"ping_ping", R"(needs 1292224 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:688451 63:715086 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x69x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"stream", R"(needs 1333184 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 0x74x64+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"bidirectional_stream", R"(needs 1333184 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x74x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"sendrecv", R"(needs 1275840 of 2/2 room 32
0 to 1 from 4 near 4 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x64+0 control 7 3 0
4 to 0 from 3 near 3 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_ping_pong", R"(needs 1275840 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x128+0 opened control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_notify_ping_pong", R"(needs 1275840 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x128+0 opened control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_latency", R"(needs 1275840 of 2/2 room 32
0 to 1 near 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x128+0 opened control 5 2 0
1 from 0 near 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"get_latency", R"(needs 1275840 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x128+0 opened in 1x67x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_stream", R"(needs 1300416 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:150146 64:167601 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x70x128+0 opened control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"get_stream", R"(needs 1300416 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:150146 64:167601 6:569481
checked 6x3 in 6 before 6 out 1x67x128+0 opened in 1x70x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"burst", R"(needs 1465216 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 0/1 work 0
orders 120:538514 120:437938 78:555049 9:364560
checked 1x3 in 9 before 9 out 1x70x64+6 in 1x87x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 0/1 work 0
)"},
    {"paused_burst", R"(needs 1530752 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 0/1 work 0
orders 120:538514 120:437938 78:555049 13:114592
checked 1x3 in 13 before 13 out 1x74x64+6 in 1x91x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 0/1 work 0
)"},
    {"late_receive", R"(needs 1341376 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 10:301337
checked 6x3 in 10 before 10 out 1x71x64+6 in 1x71x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"host_overhead", R"(needs 1279680 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"send_overlap", R"(needs 1360640 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/3 work 0
orders 120:538514 120:688451 63:715086 10:301337
checked 2x3 in 10 before 10 out 1x71x64+6 in 1x73x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/3 work 0
)"},
    {"receive_overlap", R"(needs 1344256 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/3 work 0
orders 120:538514 120:538514 61:211983 10:301337
checked 2x3 in 10 before 10 out 1x71x64+6 in 1x71x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/3 work 0
)"},
    {"put_overlap", R"(needs 1343296 of 2/2 room 32
0 to 1 near 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 10:301337
checked 3x3 in 10 before 10 out 1x71x64+6 in 1x71x128+0 opened control 5 2 0
1 from 0 near 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"get_overlap", R"(needs 1343296 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 10:301337
checked 3x3 in 10 before 10 out 1x71x128+0 opened in 1x71x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"busy_stream", R"(needs 1384256 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/3 work 0
orders 120:538514 120:280605 68:609559 9:364560
checked 3x3 in 9 before 9 out 1x70x64+6 in 0x77x64+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/3 work 0
)"},
    {"hot_spot_send", R"(needs 3184064 of 2/5 room 32
0 to 1 2 3 4 near 1 2 3 4 streams 4 ops 16 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 24x3 in 6 before 6 out 4x67x64+6 in 0x74x64+0 control 11 5 0
4 from 0 near 0 streams 4 ops 16 of 1/5 work 0
)"},
    {"hot_spot_receive", R"(needs 3184064 of 2/5 room 32
0 from 1 2 3 4 near 1 2 3 4 streams 4 ops 16 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 24x3 in 6 before 6 out 0x67x64+6 in 4x74x64+0 control 11 5 0
4 to 0 near 0 streams 4 ops 16 of 1/5 work 0
)"},
    {"random_pairs", R"(needs 1334144 of 2/2 room 32
0 to 2 near 2 4 first 4 streams 2 ops 12 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 12x3 in 6 before 6 out 1x67x64+6 in 0x74x64+0 control 7 3 0
4 to 1 near 1 0 streams 2 ops 12 of 1/5 work 0
)"},
    {"message_rate", R"(needs 1334144 of 2/2 room 32
0 to 2 near 2 1 first 1 streams 2 ops 12 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 12x3 in 6 before 6 out 1x67x64+6 in 0x74x64+0 control 7 3 0
4 streams 2 ops 12 of 0/0 work 0
)"},
    {"offered_load", R"(needs 1335104 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 1 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x74x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 1 of 1/5 work 0
)"},
    {"register_ping_pong", R"(needs 1284032 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:750818 62:571456 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x68x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"register_stream", R"(needs 1333184 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:280605 68:609559 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 0x74x64+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"registration", R"(needs 1276800 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"copy", R"(needs 1275840 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"halo", R"(needs 8827584 of 2/2 room 32
0 to 1 4 from 4 1 near 4 1 bytes 7200 7200 streams 1 ops 11 of 1/5 work 1152
orders 120:538514 120:750818 62:571456 2:33
checked 2x2 in 2 before 2 out 2x63x64+6 in 2x64x64+0 control 7 3 0
4 to 0 3 from 3 0 near 3 0 bytes 7200 7200 streams 1 ops 11 of 1/5 work 1152
)"},
    {"milc", R"(needs 13433088 of 2/2 room 30
0 to 1 2 from 2 1 near 2 1 bytes 6912 6912 streams 1 ops 1 of 1/2 work 0
orders 120:538514 120:750818 62:571456 2:33
checked 1x2 in 2 before 2 out 2x63x64+6 in 2x64x64+0 control 7 3 0
2 to 0 1 from 1 0 near 1 0 bytes 6912 6912 streams 1 ops 1 of 1/2 work 0
)"},
    {"allreduce", R"(needs 148416 of 2/2 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 0x67x64+6 in 0x67x64+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"broadcast", R"(needs 148416 of 2/2 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 0x67x64+6 in 0x67x64+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"alltoall", R"(needs 148416 of 2/2 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 0x67x64+6 in 0x67x64+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"allgather", R"(needs 148416 of 2/2 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 0x67x64+6 in 0x67x64+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"barrier", R"(needs 1275840 of 2/2 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 0x67x64+6 in 0x67x64+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"shift", R"(needs 1275840 of 2/2 room 32
0 to 4 from 1 near 1 4 streams 1 ops 11 of 1/5 work 0
orders 120:538514 120:538514 61:211983 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x67x64+0 control 7 3 0
4 to 3 from 0 near 0 3 streams 1 ops 11 of 1/5 work 0
)"},
    {"pair_rounds", R"(needs 1284032 of 2/2 room 32
0 alone streams 1 ops 11 of 1/5 work 0 by pairs
orders 120:538514 120:750818 62:571456 6:569481
checked 6x3 in 6 before 6 out 0x67x64+6 in 0x68x64+0 control 3 1 0
4 to 2 from 2 near 2 streams 1 ops 11 of 1/5 work 0 by pairs
)"},
    {"window_stream", R"(needs 1300416 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:150146 64:167601 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 0x70x64+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"bidirectional_window_stream", R"(needs 1300416 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 12 of 1/5 work 0
orders 120:538514 120:150146 64:167601 6:569481
checked 6x3 in 6 before 6 out 1x67x64+6 in 1x70x64+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 12 of 1/5 work 0
)"},
}};

}  // namespace weft::fake
