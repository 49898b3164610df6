// What every benchmark plans, as approved_plans_test.cpp prints this table.
#pragma once

#include <array>

#include "tests/support/approved.hpp"

namespace weft::fake {

inline constexpr std::array<ApprovedOf, 40> approved_plans{{
    {"ping_pong", R"(needs 230912 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 2:33 2:32 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"ping_ping", R"(needs 231104 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 3:1026 3:993 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"stream", R"(needs 248448 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 0x8x4096+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"bidirectional_stream", R"(needs 248448 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x8x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"sendrecv", R"(needs 576800 of 5/5 room 32
0 to 1 from 4 near 4 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
4 to 0 from 3 near 3 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_ping_pong", R"(needs 230720 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x128+0 opened control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_notify_ping_pong", R"(needs 230720 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x128+0 opened control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_latency", R"(needs 230720 of 2/2 room 32
0 to 1 near 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x128+0 opened control 5 2 0
1 from 0 near 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"get_latency", R"(needs 230720 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x128+0 opened in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_stream", R"(needs 231296 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 4:31810 4:30784 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x128+0 opened control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"get_stream", R"(needs 231296 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 4:31810 4:30784 6:569481
checked 6x3 in 6 before 0 out 1x6x128+0 opened in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"burst", R"(needs 357824 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 18:221447 18:988500 9:364560
checked 1x3 in 9 before 0 out 1x9x4096+0 in 1x18x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"paused_burst", R"(needs 390592 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 18:221447 18:988500 13:114592
checked 1x3 in 13 before 0 out 1x13x4096+0 in 1x18x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"late_receive", R"(needs 296256 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 10:301337
checked 6x3 in 10 before 0 out 1x10x4096+0 in 1x10x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"host_overhead", R"(needs 234560 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"send_overlap", R"(needs 299520 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 3:1026 3:993 10:301337
checked 2x3 in 10 before 0 out 1x10x4096+0 in 1x10x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"receive_overlap", R"(needs 299136 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 10:301337
checked 2x3 in 10 before 0 out 1x10x4096+0 in 1x10x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"put_overlap", R"(needs 298176 of 2/2 room 32
0 to 1 near 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 10:301337
checked 3x3 in 10 before 0 out 1x10x4096+0 in 1x10x128+0 opened control 5 2 0
1 from 0 near 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"get_overlap", R"(needs 298176 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 10:301337
checked 3x3 in 10 before 0 out 1x10x128+0 opened in 1x10x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"busy_stream", R"(needs 283136 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 8:269825 8:615961 9:364560
checked 3x3 in 9 before 0 out 1x9x4096+0 in 0x9x4096+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"hot_spot_send", R"(needs 844896 of 5/8 room 32
0 to 1 2 3 4 near 1 2 3 4 streams 4 ops 16 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 24x3 in 6 before 0 out 4x6x4096+0 in 0x8x4096+0 control 11 5 0
4 from 0 near 0 streams 4 ops 16 of 1/5 work 0
)"},
    {"hot_spot_receive", R"(needs 844896 of 5/8 room 32
0 from 1 2 3 4 near 1 2 3 4 streams 4 ops 16 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 24x3 in 6 before 0 out 0x6x4096+0 in 4x8x4096+0 control 11 5 0
4 to 0 near 0 streams 4 ops 16 of 1/5 work 0
)"},
    {"random_pairs", R"(needs 623520 of 5/5 room 32
0 to 2 near 2 4 first 4 streams 2 ops 12 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 12x3 in 6 before 0 out 1x6x4096+0 in 0x8x4096+0 control 7 3 0
4 to 1 near 1 0 streams 2 ops 12 of 1/5 work 0
)"},
    {"message_rate", R"(needs 498816 of 4/4 room 32
0 to 2 near 2 1 first 1 streams 2 ops 12 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 12x3 in 6 before 0 out 1x6x4096+0 in 0x8x4096+0 control 7 3 0
4 streams 2 ops 12 of 0/0 work 0
)"},
    {"offered_load", R"(needs 250368 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 1 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x8x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 1 of 1/5 work 0
)"},
    {"register_ping_pong", R"(needs 230912 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 2:33 2:32 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"register_stream", R"(needs 248448 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 8:269825 8:615961 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 0x8x4096+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"registration", R"(needs 232064 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 2:33 2:33 2:33 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"copy", R"(needs 230720 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 11 of 1/5 work 0
)"},
    {"halo", R"(needs 2317280 of 5/5 room 32
0 to 1 4 from 4 1 near 4 1 bytes 9600 9600 streams 1 ops 11 of 1/5 work 1152
orders 1:1 2:33 2:32 2:33
checked 2x2 in 2 before 0 out 2x2x12288+0 in 2x2x12288+0 control 7 3 0
4 to 0 3 from 3 0 near 3 0 bytes 9600 9600 streams 1 ops 11 of 1/5 work 1152
)"},
    {"milc", R"(needs 7512192 of 3/3 room 30
0 to 1 2 from 2 1 near 2 1 bytes 3456 3456 streams 1 ops 1 of 1/2 work 0
orders 1:1 2:33 2:32 2:33
checked 1x2 in 2 before 0 out 2x2x4096+0 in 2x2x4096+0 control 7 3 0
2 to 0 1 from 1 0 near 1 0 bytes 3456 3456 streams 1 ops 1 of 1/2 work 0
)"},
    {"allreduce", R"(needs 222624 of 3/3 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 0x6x4096+0 in 0x6x4096+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"broadcast", R"(needs 222624 of 3/3 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 0x6x4096+0 in 0x6x4096+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"alltoall", R"(needs 222624 of 3/3 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 0x6x4096+0 in 0x6x4096+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"allgather", R"(needs 222624 of 3/3 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 0x6x4096+0 in 0x6x4096+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"barrier", R"(needs 346080 of 3/3 room 32
0 alone streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 0x6x4096+0 in 0x6x4096+0 control 3 1 0
2 alone streams 1 ops 11 of 1/5 work 0
)"},
    {"shift", R"(needs 576800 of 5/5 room 32
0 to 3 from 2 near 2 3 streams 1 ops 11 of 1/5 work 0
orders 1:1 1:1 1:1 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
4 to 2 from 1 near 1 2 streams 1 ops 11 of 1/5 work 0
)"},
    {"pair_rounds", R"(needs 577280 of 5/5 room 32
0 to 4 from 4 near 4 2 first 2 streams 1 ops 11 of 1/5 work 0 by pairs
orders 1:1 2:33 2:32 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
4 to 0 from 0 near 0 streams 1 ops 11 of 1/5 work 0 by pairs
)"},
    {"window_stream", R"(needs 231296 of 2/2 room 32
0 to 1 near 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 4:31810 4:30784 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 0x6x4096+0 control 5 2 0
1 from 0 near 0 streams 1 ops 12 of 1/5 work 0
)"},
    {"bidirectional_window_stream", R"(needs 231296 of 2/2 room 32
0 to 1 from 1 near 1 1 streams 1 ops 12 of 1/5 work 0
orders 1:1 4:31810 4:30784 6:569481
checked 6x3 in 6 before 0 out 1x6x4096+0 in 1x6x4096+0 control 7 3 0
1 to 0 from 0 near 0 0 streams 1 ops 12 of 1/5 work 0
)"},
}};

}  // namespace weft::fake
