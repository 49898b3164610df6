// What every benchmark takes where sends end late, on the fabric of approved_times_test.cpp, which
// prints this table.
#pragma once

#include <array>

#include "tests/support/approved.hpp"

namespace weft::fake {

inline constexpr std::array<ApprovedOf, 40> approved_late_times{{
    {"ping_pong", R"(samples 16636 17026 17026 17026 17022
elapsed 98126 verified 1728 met 5 late 1x2 late 32x2
)"},
    {"ping_ping", R"(samples 15832 16939 17034 17034 17030
elapsed 96712 verified 1928 met 5 late 1x2 late 32x2
)"},
    {"stream", R"(samples 4918 4895 4895 4895 4895
elapsed 31692 verified 1464 met 5 held 4 late 1x1 late 32x1
)"},
    {"bidirectional_stream", R"(samples 7660 7637 7637 7637 7634
elapsed 60721 verified 2928 met 5 held 4 late 1x2 late 32x1
)"},
    {"sendrecv", R"(samples 19580 20775 20775 20775 20775
rank1 19196 20773 20773 20773 20773
rank2 18344 19976 20771 20771 20771
rank3 19567 19544 19544 19565 20757
rank4 20790 20767 20767 20767 20767
elapsed 118133 verified 3820 met 4 late 1x4 late 32x5 late 100x71
)"},
    {"put_ping_pong", R"(samples 11928 11882 11882 11882 11882
elapsed 68314 verified 1514 met 8
)"},
    {"put_notify_ping_pong", R"(samples 12236 12190 12190 12190 12190
elapsed 70013 verified 1528 met 8
)"},
    {"put_latency", R"(samples 8226 8186 8186 8186 8186
elapsed 50257 verified 764 met 8 late 1x1 late 32x1
)"},
    {"get_latency", R"(samples 8186 8186 8186 8186 8186
elapsed 50200 verified 828 met 8 late 1x2 late 32x2
)"},
    {"put_stream", R"(samples 2073 2033 2033 2033 2033
elapsed 16357 verified 1064 met 8 held 4 late 1x1 late 32x1
)"},
    {"get_stream", R"(samples 2819 2819 2819 2819 2819
elapsed 20623 verified 1128 met 8 held 4 late 1x2 late 32x2
)"},
    {"burst", R"(samples 24805 24805 24805 24805 24805
single 15819 15796 15796 15796 15796
elapsed 211859 verified 4828 met 5 late 1x2 late 32x2
)"},
    {"paused_burst", R"(samples 17413 17413 17413 17413 17413
single 15796 15796 15796 15796 15796
elapsed 2438049 verified 5628 met 5 late 1x2 late 32x2 late 100x2
)"},
    {"late_receive", R"(samples 22 22 22 22 22
elapsed 453195 verified 2328 met 5 late 1x2 late 32x2 late 100x2
)"},
    {"host_overhead", R"(samples 17223 17609 17609 17609 17599
complete_receive 121 121 121 121 121
complete_send 55 55 55 55 55
post_receive 121 121 121 121 121
post_send 165 165 165 165 165
rank1.complete_receive 253 253 253 253 253
rank1.complete_send 84 88 88 88 88
rank1.post_receive 154 154 154 154 144
rank1.post_send 253 253 253 253 253
elapsed 101325 verified 1528 met 5 late 1x2 late 32x2
)"},
    {"send_overlap", R"(samples 25542 25542 25542 25542 25542
alone 15796 15796 15796 15796 15796
call 25410 25410 25410 25410 25410
work 25234 25234 25234 25234 25234
elapsed 678178 verified 1428 met 5 late 1x2 late 32x2
)"},
    {"receive_overlap", R"(samples 24651 24651 24651 24651 24651
alone 15147 15147 15147 15147 15147
call 24365 24365 24365 24365 24365
work 24244 24244 24244 24244 24244
elapsed 734909 verified 1228 met 5 late 1x2 late 32x2
)"},
    {"put_overlap", R"(samples 21274 21274 21274 21274 21274
alone 8206 8206 8206 8206 8206
work 13090 13090 13090 13090 13090
elapsed 403105 verified 1164 met 8 late 1x1 late 32x1
)"},
    {"get_overlap", R"(samples 21274 21274 21274 21274 21274
alone 8206 8206 8206 8206 8206
work 13090 13090 13090 13090 13090
elapsed 402524 verified 1228 met 8 late 1x2 late 32x2
)"},
    {"busy_stream", R"(samples 8096 8096 8096 8096 8096
alone 4895 4895 4895 4895 4895
work 7862 7862 7862 7862 7862
elapsed 287162 verified 1764 met 5 held 4 late 1x1 late 32x1
)"},
    {"hot_spot_send", R"(samples 3796 3796 3796 3776 3776
rank1 1977 1977 1977 1957 1967
rank2 2069 2069 2069 2047 2058
rank3 2161 2161 2161 2137 2149
rank4 2246 2246 2246 2220 2233
elapsed 29436 verified 5856 met 5 held 5 late 1x1 late 32x4
)"},
    {"hot_spot_receive", R"(samples 4873 4850 4850 4832 4816
rank1 2255 2232 2232 2232 2218
rank2 2679 2656 2656 2656 2640
rank3 3103 3080 3080 3080 3062
rank4 3527 3504 3504 3504 3484
elapsed 33527 verified 5856 met 5 held 4 late 1x3 late 32x3
)"},
    {"random_pairs", R"(samples 6401 6376 6376 6380 6360
own 2913 2867 2867 2845 2845
rank4 4875 4852 4852 4856 4836
elapsed 46386 verified 2992 met 5 held 5 late 1x3 late 32x4
)"},
    {"message_rate", R"(samples 4977 4952 4952 4952 4938
own 2913 2867 2867 2845 2845
rank1 3583 3560 3560 3560 3546
elapsed 37229 verified 2992 met 5 held 5 late 1x3 late 32x3
)"},
    {"offered_load", R"(samples 1299 2167 2195 2223 2251
interval 192 192 192 192 192
late 2 1048 871 694 542
elapsed 198442 verified 2928 met 5 late 1x2 late 32x2 late 100x9
)"},
    {"register_ping_pong", R"(samples 32226 32635 32635 32635 32635
elapsed 186055 verified 1728 met 5 late 1x2 late 32x2
)"},
    {"register_stream", R"(samples 10738 10715 10715 10715 10715
elapsed 65592 verified 1464 met 5 held 4 late 32x1
)"},
    {"registration", R"(samples 7712 7712 7712 7712 7712
deregister 7712 7712 7712 7712 7712
elapsed 87623 verified 128 met 5 late 1x2 late 32x2
)"},
    {"copy", R"(samples 2 2 2 2 2
elapsed 2452 verified 128 met 5
)"},
    {"halo", R"(samples 1086383 1087314 1087314 1087314 1087281
compute 6292 6292 6292 6292 6292
post 506 506 506 506 488
sum 541927 541904 541904 541904 541897
wait 537658 538612 538612 538612 538604
rank1 1087133 1087312 1087312 1087312 1087279
rank1.compute 6314 6314 6314 6314 6314
rank1.post 682 682 682 682 662
rank1.sum 444401 444767 444767 444767 444756
rank1.wait 635736 635549 635549 635549 635547
rank2 1086990 1087310 1087310 1087310 1087277
rank2.compute 6336 6336 6336 6336 6336
rank2.post 858 858 858 858 836
rank2.sum 231705 232212 232212 232212 232203
rank2.wait 848091 847904 847904 847904 847902
rank3 1086847 1087308 1087308 1087308 1087275
rank3.compute 6358 6358 6358 6358 6358
rank3.post 1034 1034 1034 1034 1010
rank3.sum 19657 19657 19657 19657 19650
rank3.wait 1059798 1060259 1060259 1060259 1060257
rank4 1087352 1087306 1087306 1087306 1087273
rank4.compute 6380 6380 6380 6380 6380
rank4.post 1210 1210 1210 1210 1184
rank4.sum 15400 15400 15400 15400 15400
rank4.wait 1064362 1064316 1064316 1064316 1064309
elapsed 5735876 verified 384320 met 4 late 1x1 late 32x1
)"},
    {"milc", R"(samples 46398 46333
local 36023 35983
pack 92 74
remote 4 4
sum 10265 10258
wait 4 4
rank1 46400 46331
rank1.local 40230 40164
rank1.pack 124 104
rank1.remote 8 8
rank1.sum 2621 2616
rank1.wait 3397 3419
rank2 46402 46329
rank2.local 43486 43413
rank2.pack 156 134
rank2.remote 12 12
rank2.sum 2016 2016
rank2.wait 702 724
elapsed 4891023 verified 41664 met 4 late 1x1
)"},
    {"allreduce", R"(samples 7920 7920 7920 7920 7920
rank1 11154 11154 11154 11154 11154
rank2 14388 14388 14388 14388 14388
elapsed 77478 verified 1500 met 4
)"},
    {"broadcast", R"(samples 165 165 165 165 165
rank1 4642 4642 4642 4642 4642
rank2 4642 4642 4642 4642 4642
elapsed 23999 verified 1500 met 4
)"},
    {"alltoall", R"(samples 7920 7920 7920 7920 7920
rank1 11154 11154 11154 11154 11154
rank2 14388 14388 14388 14388 14388
elapsed 77478 verified 4500 met 4
)"},
    {"allgather", R"(samples 7920 7920 7920 7920 7920
rank1 11154 11154 11154 11154 11154
rank2 14388 14388 14388 14388 14388
elapsed 77478 verified 4500 met 4
)"},
    {"barrier", R"(samples 6820 6820 6820 6820 6820
rank1 8954 8954 8954 8954 8954
rank2 11088 11088 11088 11088 11088
elapsed 59778 verified 0 met 4
)"},
    {"shift", R"(samples 19368 20775 20775 20775 20775
rank1 17380 19708 20773 20773 20773
rank2 19560 20771 20771 20771 20771
rank3 19567 19815 20769 20769 20769
rank4 20790 20767 20767 20767 20767
elapsed 118030 verified 3820 met 4 late 1x4 late 32x4 late 100x60
)"},
    {"pair_rounds", R"(samples 16883 16954 16954 16954 16954
rank1 17216 17193 17193 17193 17179
rank2 18397 18448 18448 18448 18448
rank4 20989 20966 20966 20966 20953
elapsed 396369 verified 3392 met 3 late 1x3 late 32x2
)"},
    {"window_stream", R"(samples 5407 5384 5384 5384 5384
elapsed 34308 verified 1064 met 5 held 4 late 1x1 late 32x1
)"},
    {"bidirectional_window_stream", R"(samples 8608 8585 8585 8585 8585
elapsed 64537 verified 2128 met 5 held 4 late 1x2 late 32x5 late 100x35
)"},
}};

}  // namespace weft::fake
