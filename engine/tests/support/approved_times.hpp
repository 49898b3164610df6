// What every benchmark takes on the fabric of approved_times_test.cpp, which prints this table.
#pragma once

#include <array>

#include "tests/support/approved.hpp"

namespace weft::fake {

inline constexpr std::array<ApprovedOf, 40> approved_times{{
    {"ping_pong", R"(samples 6818 6818 6818 6818 6818
elapsed 43678 verified 768 met 5
samples 7800 7832 7832 7832 7827
elapsed 53458 verified 768 met 5 late 1x2 late 32x1
)"},
    {"ping_ping", R"(samples 3477 3348 3477 3348 3477
elapsed 23187 verified 848 met 5
samples 7107 7162 7162 7162 7162
elapsed 49138 verified 848 met 5 late 1x2 late 32x2
)"},
    {"stream", R"(samples 1694 1694 1687 1682 1682
elapsed 13439 verified 544 met 5 held 0
samples 2868 2865 2865 2860 2855
elapsed 24371 verified 544 met 5 held 3 late 1x1 late 32x1
)"},
    {"bidirectional_stream", R"(samples 3096 3096 3096 3096 3087
elapsed 31024 verified 1088 met 5 held 3
samples 5613 5589 5589 5589 5572
elapsed 53713 verified 1088 met 5 held 3 late 1x2 late 32x1
)"},
    {"sendrecv", R"(samples 4603 4603 4603 4603 4603
rank1 4605 4605 4605 4605 4605
rank2 4607 4607 4607 4607 4607
rank3 4609 4609 4609 4609 4609
rank4 4611 4611 4611 4611 4611
elapsed 32059 verified 1720 met 4
samples 10965 10859 10859 10859 10859
rank1 10758 10804 10910 10804 10910
rank2 10594 10940 10770 10940 10770
rank3 10578 10787 10919 10787 10919
rank4 10877 10851 10851 10851 10851
elapsed 73790 verified 1720 met 4 late 1x4 late 32x4 late 40x54
)"},
    {"put_ping_pong", R"(samples 6663 6663 6663 6663 6663
elapsed 42713 verified 674 met 8
a target that polls memory cannot block
)"},
    {"put_notify_ping_pong", R"(samples 6818 6818 6818 6818 6818
elapsed 43670 verified 688 met 8
samples 7943 7913 7943 7913 7943
elapsed 52976 verified 688 met 8
)"},
    {"put_latency", R"(samples 5473 5473 5473 5473 5473
elapsed 37151 verified 344 met 8 late 1x1
samples 5723 5723 5723 5723 5723
elapsed 41368 verified 344 met 8
)"},
    {"get_latency", R"(samples 5473 5473 5473 5473 5473
elapsed 37296 verified 408 met 8 late 1x2
samples 5888 5888 5888 5888 5888
elapsed 42778 verified 408 met 8
)"},
    {"put_stream", R"(samples 1444 1444 1437 1437 1437
elapsed 11940 verified 424 met 8 held 0 late 1x1
samples 1541 1541 1541 1541 1541
elapsed 15190 verified 424 met 8 held 3
)"},
    {"get_stream", R"(samples 2446 2446 2276 2276 2276
elapsed 17445 verified 488 met 8 held 0 late 1x2
samples 2442 2442 2442 2442 2442
elapsed 21028 verified 488 met 8 held 3
)"},
    {"burst", R"(samples 9805 9805 9805 9805 9805
single 6836 6830 6830 6830 6830
elapsed 88253 verified 2008 met 5
samples 11475 11475 11475 11475 11465
single 7815 7810 7810 7810 7803
elapsed 105550 verified 2008 met 5 late 1x2 late 32x1
)"},
    {"paused_burst", R"(samples 7250 7250 7250 7250 7250
single 6830 6830 6830 6830 6830
elapsed 1080423 verified 2328 met 5
samples 10995 10995 10995 10995 11047
single 7873 7810 7810 7810 7803
elapsed 1251932 verified 2328 met 5 late 1x2 late 32x1 late 40x2
)"},
    {"late_receive", R"(samples 75 75 75 75 75
elapsed 185405 verified 1008 met 5 late 1x2 late 32x2
samples 490 490 490 490 490
elapsed 218638 verified 1008 met 5 late 1x2 late 32x2
)"},
    {"host_overhead", R"(samples 6993 6983 6983 6983 6978
complete_receive 6450 6440 6440 6440 6435
complete_send 410 410 410 410 410
post_receive 35 35 35 35 35
post_send 50 50 50 50 50
rank1.complete_receive 5022 6156 6156 6156 6156
rank1.complete_send 497 605 605 605 605
rank1.post_receive 50 50 50 50 45
rank1.post_send 90 90 90 90 90
elapsed 44703 verified 688 met 5
samples 7170 7134 7170 7098 7170
complete_receive 75 75 75 75 75
complete_send 410 410 410 410 410
post_receive 35 35 35 35 35
post_send 50 50 50 50 50
rank1.complete_receive 135 135 135 135 135
rank1.complete_send 497 605 605 605 605
rank1.post_receive 50 50 50 50 45
rank1.post_send 90 90 90 90 90
elapsed 46381 verified 688 met 5
)"},
    {"send_overlap", R"(samples 6710 6710 6710 6710 6710
alone 6710 6710 6710 6710 6710
call 4745 4745 4745 4745 4745
work 4705 4705 4705 4705 4705
elapsed 201794 verified 648 met 5 late 1x2 late 32x2
samples 7635 7635 7635 7635 7630
alone 7540 7540 7540 7540 7540
call 6115 6115 6115 6115 6110
work 5345 5345 5345 5345 5345
elapsed 226112 verified 648 met 5 late 1x2 late 32x2
)"},
    {"receive_overlap", R"(samples 6795 6795 6795 6795 6795
alone 6795 6795 6795 6795 6795
call 6415 6415 6415 6415 6410
work 4765 4765 4765 4765 4765
elapsed 214065 verified 568 met 5 late 1x2 late 32x2
samples 7690 7690 7690 7690 7690
alone 8040 8040 8040 8040 8040
call 6145 6145 6145 6145 6145
work 5635 5635 5635 5635 5635
elapsed 264258 verified 568 met 5
)"},
    {"put_overlap", R"(samples 5485 5485 5485 5485 5485
alone 5485 5485 5485 5485 5485
work 3845 3845 3845 3845 3845
elapsed 160801 verified 504 met 8 late 1x1
samples 5665 5665 5665 5665 5665
alone 5735 5735 5735 5735 5735
work 4015 4015 4015 4015 4015
elapsed 167228 verified 504 met 8
)"},
    {"get_overlap", R"(samples 5485 5485 5485 5485 5485
alone 5485 5485 5485 5485 5485
work 3845 3845 3845 3845 3845
elapsed 160946 verified 568 met 8 late 1x2
samples 5785 5785 5785 5785 5785
alone 5900 5900 5900 5900 5900
work 4135 4135 4135 4135 4135
elapsed 170140 verified 568 met 8
)"},
    {"busy_stream", R"(samples 2163 2163 2163 2163 2158
alone 1694 1694 1687 1687 1682
work 1179 1179 1179 1179 1179
elapsed 101331 verified 664 met 5 held 0 late 1x1 late 32x1
samples 3488 3488 3488 3488 3478
alone 2851 2854 2854 2854 2849
work 2001 2001 2001 2001 2001
elapsed 121760 verified 664 met 5 held 3 late 32x1
)"},
    {"hot_spot_send", R"(samples 3013 3013 3013 3005 3005
rank1 972 972 972 967 972
rank2 988 988 988 982 988
rank3 1004 1004 1004 997 1004
rank4 1020 1020 1020 1012 1020
elapsed 23540 verified 2176 met 5 held 3 late 1x3 late 32x3
samples 3179 3179 3179 3171 3171
rank1 905 972 972 967 972
rank2 988 988 988 982 988
rank3 992 1004 1004 997 1004
rank4 968 862 862 854 862
elapsed 30954 verified 2176 met 5 held 4 late 1x2 late 32x1
)"},
    {"hot_spot_receive", R"(samples 2643 2643 2643 2639 2631
rank1 1622 1622 1622 1618 1613
rank2 1867 1867 1867 1863 1857
rank3 2112 2112 2112 2108 2101
rank4 2357 2357 2357 2353 2345
elapsed 20995 verified 2176 met 5 held 0 late 1x2
samples 3941 3941 3941 3937 3929
rank1 1828 1828 1828 1880 1816
rank2 2098 2144 2072 2121 2130
rank3 2374 2403 2374 2380 2388
rank4 2709 2709 2709 2705 2721
elapsed 30908 verified 2176 met 5 held 3 late 1x3 late 32x2
)"},
    {"random_pairs", R"(samples 4283 4283 4283 4278 4270
own 1734 1734 1734 1728 1728
rank4 2505 2505 2505 2500 2492
elapsed 32184 verified 1152 met 5 held 0 late 1x2 late 32x2
samples 4879 4876 4876 4871 4858
own 2052 1978 2057 1978 1978
rank4 2764 2764 2764 2759 2746
elapsed 42640 verified 1152 met 5 held 4 late 1x3 late 32x5
)"},
    {"message_rate", R"(samples 3397 3397 3397 3390 3385
own 1734 1734 1734 1728 1728
rank1 2066 2066 2066 2059 2054
elapsed 25806 verified 1152 met 5 held 0 late 1x2 late 32x1
samples 3766 3763 3763 3775 3770
own 1980 1977 1977 1977 1977
rank1 2240 2240 2240 2252 2247
elapsed 33719 verified 1152 met 5 held 4 late 1x2 late 32x2
)"},
    {"offered_load", R"(samples 1369 2089 1564 2156 1631
interval 653 653 653 653 653
late 3 723 80 790 147
elapsed 280605 verified 1088 met 5
messages are due at set times: the rank that sends them cannot block
)"},
    {"register_ping_pong", R"(samples 17018 17018 17018 17018 17018
elapsed 107311 verified 768 met 5
samples 18136 18202 18202 18202 18197
elapsed 118469 verified 768 met 5 late 1x2 late 32x2
)"},
    {"register_stream", R"(samples 7681 7681 7279 7274 7274
elapsed 49125 verified 544 met 5 held 0
samples 7722 7722 7793 7793 7793
elapsed 55174 verified 544 met 5 held 1 late 1x1 late 32x1
)"},
    {"registration", R"(samples 5109 5109 5109 5109 5109
deregister 2009 2009 2009 2009 2009
elapsed 45544 verified 128 met 5 late 1x2 late 32x2
samples 5109 5109 5109 5109 5109
deregister 2009 2009 2009 2009 2009
elapsed 48029 verified 128 met 5 late 1x2 late 32x2
)"},
    {"copy", R"(samples 3 3 3 3 3
elapsed 2067 verified 128 met 5
samples 3 3 3 3 3
elapsed 4599 verified 128 met 5
)"},
    {"halo", R"(samples 252347 253328 253328 253328 253312
compute 2885 2885 2885 2885 2885
post 125 125 125 125 117
sum 129365 129365 129365 129365 129365
wait 119972 120953 120953 120953 120945
rank1 253105 253326 253326 253326 253310
rank1.compute 2895 2895 2895 2895 2895
rank1.post 205 205 205 205 195
rank1.sum 94516 94879 94879 94879 94875
rank1.wait 155489 155347 155347 155347 155345
rank2 252961 253324 253324 253324 253308
rank2.compute 2905 2905 2905 2905 2905
rank2.post 285 285 285 285 273
rank2.sum 55362 55867 55867 55867 55865
rank2.wait 194409 194267 194267 194267 194265
rank3 252817 253322 253322 253322 253306
rank3.compute 2915 2915 2915 2915 2915
rank3.post 365 365 365 365 351
rank3.sum 16855 16855 16855 16855 16855
rank3.wait 232682 233187 233187 233187 233185
rank4 253320 253320 253320 253320 253304
rank4.compute 2925 2925 2925 2925 2925
rank4.post 445 445 445 445 429
rank4.sum 22460 22460 22460 22460 22460
rank4.wait 227490 227490 227490 227490 227490
elapsed 1403840 verified 153920 met 4 late 1x1 late 32x1
samples 258619 258343 258343 258343 258313
compute 2885 2885 2885 2885 2885
post 125 125 125 125 117
sum 133976 133965 133965 133965 133951
wait 121633 121368 121368 121368 121360
rank1 259014 258341 258341 258341 258311
rank1.compute 2895 2895 2895 2895 2895
rank1.post 205 205 205 205 195
rank1.sum 99872 99479 99479 99479 99461
rank1.wait 156042 155762 155762 155762 155760
rank2 258732 258339 258339 258339 258309
rank2.compute 2905 2905 2905 2905 2905
rank2.post 285 285 285 285 273
rank2.sum 60459 60209 60209 60209 60191
rank2.wait 195083 194940 194940 194940 194940
rank3 258537 258337 258337 258337 258307
rank3.compute 2915 2915 2915 2915 2915
rank3.post 365 365 365 365 351
rank3.sum 21454 21455 21455 21455 21441
rank3.wait 233803 233602 233602 233602 233600
rank4 258346 258335 258335 258335 258305
rank4.compute 2925 2925 2925 2925 2925
rank4.post 445 445 445 445 429
rank4.sum 17835 17835 17835 17835 17835
rank4.wait 237141 237130 237130 237130 237116
elapsed 1434345 verified 153920 met 4 late 1x1 late 32x1
)"},
    {"milc", R"(samples 58976 58972
local 50160 50166
pack 50 42
remote 6 6
sum 8739 8737
wait 6 6
rank1 58978 58970
rank1.local 56251 56253
rank1.pack 82 72
rank1.remote 10 10
rank1.sum 2600 2600
rank1.wait 10 10
rank2 58980 58968
rank2.local 55302 55302
rank2.pack 114 102
rank2.remote 14 14
rank2.sum 3501 3501
rank2.wait 14 14
elapsed 6212131 verified 41664 met 4
samples 61299 61320
local 502 502
pack 50 42
remote 6 6
sum 10904 10844
wait 49822 49911
rank1 61301 61318
rank1.local 529 529
rank1.pack 82 72
rank1.remote 10 10
rank1.sum 3316 3301
rank1.wait 57339 57381
rank2 61303 61316
rank2.local 574 574
rank2.pack 114 102
rank2.remote 14 14
rank2.sum 2794 2794
rank2.wait 57772 57797
elapsed 6457747 verified 41664 met 4
)"},
    {"allreduce", R"(samples 5445 5445 5445 5445 5445
rank1 6615 6615 6615 6615 6615
rank2 7785 7785 7785 7785 7785
elapsed 45300 verified 600 met 4
the transport cannot wait by block; choose another --wait
)"},
    {"broadcast", R"(samples 50 50 50 50 50
rank1 2955 2955 2955 2955 2955
rank2 2955 2955 2955 2955 2955
elapsed 15559 verified 600 met 4
the transport cannot wait by block; choose another --wait
)"},
    {"alltoall", R"(samples 5445 5445 5445 5445 5445
rank1 6615 6615 6615 6615 6615
rank2 7785 7785 7785 7785 7785
elapsed 45300 verified 1800 met 4
the transport cannot wait by block; choose another --wait
)"},
    {"allgather", R"(samples 5445 5445 5445 5445 5445
rank1 6615 6615 6615 6615 6615
rank2 7785 7785 7785 7785 7785
elapsed 45300 verified 1800 met 4
the transport cannot wait by block; choose another --wait
)"},
    {"barrier", R"(samples 5045 5045 5045 5045 5045
rank1 6015 6015 6015 6015 6015
rank2 6985 6985 6985 6985 6985
elapsed 40660 verified 0 met 4
the transport cannot wait by block; choose another --wait
)"},
    {"shift", R"(samples 4635 4611 4611 4611 4611
rank1 4605 4605 4605 4605 4605
rank2 4607 4607 4607 4607 4607
rank3 4609 4609 4609 4609 4609
rank4 4611 4611 4611 4611 4611
elapsed 31794 verified 1720 met 4
samples 10846 11254 11203 11221 11203
rank1 11248 11211 11211 11209 11211
rank2 10817 11190 11226 11190 11226
rank3 10977 11248 11207 11205 11207
rank4 11160 11248 11248 11160 11248
elapsed 76079 verified 1720 met 4 late 1x5 late 32x5 late 40x57
)"},
    {"pair_rounds", R"(samples 8188 8243 8243 8243 8243
rank1 8316 8316 8316 8316 8311
rank2 8282 8389 8389 8389 8389
rank3 8462 8462 8462 8462 8455
elapsed 192403 verified 1472 met 3 late 1x1 late 32x1
samples 9842 10017 10017 10017 10017
rank1 9635 9635 9635 9635 9629
rank2 9527 9593 9593 9593 9593
rank3 10055 10055 10055 10055 9956
elapsed 228378 verified 1472 met 3 late 1x2 late 32x2
)"},
    {"window_stream", R"(samples 3029 3029 3029 3029 3029
elapsed 21353 verified 424 met 5 held 0
samples 3486 3505 3505 3505 3505
elapsed 28056 verified 424 met 5 held 3 late 1x1 late 32x1
)"},
    {"bidirectional_window_stream", R"(samples 3341 3341 3341 3341 3341
elapsed 32139 verified 848 met 5 held 3 late 40x6
samples 6446 6433 6437 6437 6437
elapsed 55966 verified 848 met 5 held 3 late 1x2 late 32x3 late 40x18
)"},
}};

}  // namespace weft::fake
