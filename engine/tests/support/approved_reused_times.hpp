// What every benchmark takes whose buffers are used once, on the fabric of approved_times_test.cpp,
// which prints this table.
#pragma once

#include <array>

#include "tests/support/approved.hpp"

namespace weft::fake {

inline constexpr std::array<ApprovedOf, 40> approved_reused_times{{
    {"ping_pong", R"(samples 16714 16683 16660 16706 16610
elapsed 97310 verified 5228 met 5 late 1x2 late 32x2 late 75x1
)"},
    {"ping_ping", R"(samples 16361 16691 16668 16714 16618
elapsed 96926 verified 5378 met 5 late 1x2 late 32x2 late 75x1
)"},
    {"stream", R"(samples 4879 4833 4879 4833 4810
elapsed 33672 verified 3214 met 5 held 4 late 1x1 late 32x1
)"},
    {"bidirectional_stream", R"(samples 7621 7598 7644 7598 7572
elapsed 61771 verified 6428 met 5 held 4 late 1x2 late 32x3
)"},
    {"sendrecv", R"(samples 19633 19607 19584 19630 19538
rank1 19337 19605 19582 19628 19536
rank2 17703 19551 19580 19626 19534
rank3 18651 18651 18628 19034 19532
rank4 19599 19599 19576 19622 19530
elapsed 113402 verified 12695 met 4 late 1x3 late 32x4 late 75x68
)"},
    {"put_ping_pong", R"(samples 11471 11471 11425 11517 11333
elapsed 67781 verified 5012 met 8
)"},
    {"put_notify_ping_pong", R"(samples 11779 11779 11733 11825 11641
elapsed 69489 verified 5078 met 8
)"},
    {"put_latency", R"(samples 8118 8118 8095 8141 8049
elapsed 51897 verified 2539 met 8 late 1x1 late 32x1
)"},
    {"get_latency", R"(samples 7911 7911 7911 7911 7911
elapsed 50905 verified 2603 met 8 late 1x2 late 32x2
)"},
    {"put_stream", R"(samples 1963 1940 1963 1940 1894
elapsed 17941 verified 2914 met 8 held 4 late 1x1 late 32x1
)"},
    {"get_stream", R"(samples 2619 2619 2619 2619 2619
elapsed 21753 verified 2978 met 8 held 4 late 1x2 late 32x2
)"},
    {"burst", R"(samples 24307
single 15682
elapsed 48763 verified 7778 met 5 late 1x2 late 32x2 late 75x1
)"},
    {"paused_burst", R"(samples 17322
single 15682
elapsed 527420 verified 8978 met 5 late 1x2 late 32x2 late 75x3
)"},
    {"late_receive", R"(samples 22 22 22 22 22
elapsed 448562 verified 5828 met 5 late 1x2 late 32x2 late 75x2
)"},
    {"host_overhead", R"(samples 17282 17266 17243 17289 17187
complete_receive 121 121 121 121 121
complete_send 55 55 55 55 55
post_receive 121 121 121 121 121
post_send 165 165 165 165 165
rank1.complete_receive 253 253 253 253 253
rank1.complete_send 84 88 88 88 88
rank1.post_receive 154 154 154 154 144
rank1.post_send 253 253 253 253 253
elapsed 100495 verified 5078 met 5 late 1x2 late 32x2 late 75x1
)"},
    {"send_overlap", R"(samples 25146 25146 25146
alone 15728 15636 15751
call 25014 25014 25014
work 24838 24838 24838
elapsed 491336 verified 5228 met 5 late 1x2 late 32x2
)"},
    {"receive_overlap", R"(samples 24651 24651 24651
alone 15147 15147 15147
call 24365 24365 24365
work 24244 24244 24244
elapsed 530053 verified 5078 met 5 late 1x2 late 32x2
)"},
    {"put_overlap", R"(samples 20787 20787 20787 20856 20764
alone 8161 8138 8092 8161 8115
work 12694 12694 12694 12694 12694
elapsed 399823 verified 5164 met 8 late 1x1 late 32x1
)"},
    {"get_overlap", R"(samples 20603 20603 20603 20603 20603
alone 7931 7931 7931 7931 7931
work 12694 12694 12694 12694 12694
elapsed 397226 verified 5228 met 8 late 1x2 late 32x2
)"},
    {"busy_stream", R"(samples 8036 8036 8036
alone 4833 4833 4856
work 7802 7802 7802
elapsed 245606 verified 4489 met 5 held 4 late 1x1 late 32x2
)"},
    {"hot_spot_send", R"(samples 3396 3396 3396 3376 3376
rank1 1652 1652 1652 1632 1642
rank2 1719 1719 1719 1697 1708
rank3 1786 1786 1786 1762 1774
rank4 1846 1846 1846 1820 1833
elapsed 29199 verified 7756 met 5 held 5 late 1x2 late 32x1
)"},
    {"hot_spot_receive", R"(samples 4442 4442 4419 4401 4408
rank1 2101 2124 2101 2101 2110
rank2 2425 2448 2425 2425 2432
rank3 2749 2772 2749 2749 2754
rank4 3073 3096 3073 3073 3076
elapsed 32879 verified 7756 met 5 held 4 late 1x3 late 32x3
)"},
    {"random_pairs", R"(samples 5993 5991 5968 5972 5975
own 2882 2882 2859 2837 2860
rank4 4444 4444 4421 4425 4428
elapsed 44446 verified 4392 met 5 held 5 late 1x3 late 32x4
)"},
    {"message_rate", R"(samples 4869 4867 4844 4844 4853
own 2882 2882 2859 2837 2860
rank1 3452 3452 3429 3429 3438
elapsed 37484 verified 4392 met 5 held 5 late 1x3 late 32x3
)"},
    {"offered_load", R"(samples 1268 2111 2116 2121 2126
interval 188 188 188 188 188
late 2 1021 848 675 527
elapsed 195618 verified 11228 met 5 late 1x2 late 32x2 late 75x15
)"},
    {"register_ping_pong", R"(samples 31235 31742 31719 31765 31673
elapsed 181623 verified 5228 met 5 late 1x2 late 32x2
)"},
    {"register_stream", R"(samples 16439 16439 16439 16439 16439
elapsed 95670 verified 3214 met 5 held 0 late 32x1
)"},
    {"registration", R"(samples 7154 7154 7154 7154 7154
deregister 7704 7704 7704 7704 7704
elapsed 86637 verified 128 met 5 late 1x2 late 32x2
)"},
    {"copy", R"(samples 2 2 2 2 2
elapsed 4334 verified 128 met 5
)"},
    {"halo", R"(samples 823746 823820 823820 823820 823787
compute 6292 6292 6292 6292 6292
post 506 506 506 506 488
sum 410157 410157 410157 410157 410150
wait 406791 406865 406865 406865 406857
rank1 823923 823818 823818 823818 823785
rank1.compute 6314 6314 6314 6314 6314
rank1.post 682 682 682 682 662
rank1.sum 339237 339167 339167 339167 339156
rank1.wait 477690 477655 477655 477655 477653
rank2 823886 823816 823816 823816 823783
rank2.compute 6336 6336 6336 6336 6336
rank2.post 858 858 858 858 836
rank2.sum 179447 179412 179412 179412 179403
rank2.wait 637245 637210 637210 637210 637208
rank3 823849 823814 823814 823814 823781
rank3.compute 6358 6358 6358 6358 6358
rank3.post 1034 1034 1034 1034 1010
rank3.sum 19657 19657 19657 19657 19650
rank3.wait 796800 796765 796765 796765 796763
rank4 823812 823812 823812 823812 823779
rank4.compute 6380 6380 6380 6380 6380
rank4.post 1210 1210 1210 1210 1184
rank4.sum 15400 15400 15400 15400 15400
rank4.wait 800822 800822 800822 800822 800815
elapsed 4371970 verified 2160320 met 4 late 1x1 late 32x1
)"},
    {"milc", R"(samples 87916 87897
local 70629 70635
pack 92 74
remote 4 4
sum 17177 17170
wait 4 4
rank1 87918 87895
rank1.local 78315 78295
rank1.pack 124 104
rank1.remote 8 8
rank1.sum 2621 2616
rank1.wait 6830 6852
rank2 87920 87893
rank2.local 85050 85023
rank2.pack 156 134
rank2.remote 12 12
rank2.sum 2016 2016
rank2.wait 656 678
elapsed 17168622 verified 83136 met 4 late 1x1
)"},
    {"allreduce", R"(it sums floats; choose --sizes of multiples of 4
)"},
    {"broadcast", R"(it has one buffer of its own each way; omit --buffers and --pages
)"},
    {"alltoall", R"(it has one buffer of its own each way; omit --buffers and --pages
)"},
    {"allgather", R"(it has one buffer of its own each way; omit --buffers and --pages
)"},
    {"barrier", R"(it has one buffer of its own each way; omit --buffers and --pages
)"},
    {"shift", R"(samples 16755 19607 19584 19630 19538
rank1 18963 19605 19582 19628 19536
rank2 19367 19603 19580 19626 19534
rank3 19579 19601 19578 19624 19532
rank4 19599 19599 19576 19622 19530
elapsed 113402 verified 12695 met 4 late 1x3 late 32x3 late 75x63
)"},
    {"pair_rounds", R"(samples 1 1 1 1 1
rank1 16850 16850 16850 16873 16767
rank2 19937 19937 19937 19960 19857
rank3 18717 18820 18820 18843 18751
rank4 20832 20961 20961 20984 20892
elapsed 224526 verified 10328 met 3 late 1x2 late 32x1
)"},
    {"window_stream", R"(samples 5314 5291 5314 5291 5245
elapsed 36014 verified 2914 met 5 held 4 late 1x1 late 32x1
)"},
    {"bidirectional_window_stream", R"(samples 8338 8338 8361 8338 8292
elapsed 64104 verified 5828 met 5 held 4 late 1x2 late 32x6 late 75x40
)"},
}};

}  // namespace weft::fake
