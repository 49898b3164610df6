"""Outputs of other benchmarks: those that are stored, and those that are written as printed."""

from pathlib import Path

from weft.sources.peers.stated import Given

OUTPUTS = Path(__file__).parents[1] / "sources" / "peers" / "outputs"
FILES = sorted(path.name for path in OUTPUTS.iterdir())
# What a user has to say of outputs that do not say it.
TOLD = {
    "omb_allreduce_f.txt": Given(ranks=4),
    **dict.fromkeys(
        ("sockperf_pp.txt", "ucx_client_latency.txt", "ucx_client_bw.txt"), Given(bytes=64)
    ),
    "sockperf_tp.txt": Given(bytes=1472),
    "iperf3_udp.txt": Given(bytes=32768),
    **dict.fromkeys(("iperf3.txt", "iperf3_p2.txt"), Given(bytes=131072)),
}
LATENCY = """---------------------------------------
                    Send Latency Test
 Dual-port       : OFF        Device         : mlx5_0
 Connection type : RC        Using SRQ      : OFF
---------------------------------------
 local address: LID 0x09 QPN 0x0086 PSN 0x8b9c10
---------------------------------------
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]\
   99% percentile[usec]   99.9% percentile[usec]
Conflicting CPU frequency values detected: 800.0 != 3400.0. CPU Frequency is not max.
 2       1000          0.98           4.02         1.01                1.02            0.05   \
        1.15            4.02
---------------------------------------
"""
STREAM = """                    RDMA_Write {way}BW Test
 #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]
 65536      5000             0.00            100.00           0.187374
"""
LATENCY_JSON = """{
"test_info": {
"test": "Send_Latency_Test",
"Dual_port": "OFF",
"Device": "mlx5_0",
"Number_of_qps": 1
},
"results": {
"MsgSize": 2,
"n_iterations": 1000,
"t_min": 0.98,
"t_max": 4.02,
"t_typical": 1.01,
"t_avg": 1.02,
"t_stdev": 0.05,
"percentile_99": 1.15,
"percentile_99.9": 4.02
}
}
"""
STREAM_JSON = """{
"test_info": {
"test": "RDMA_Write_BW_Test",
"Device": "mlx5_0"
},
"results": {
"MsgSize": 65536,
"n_iterations": 5000,
"BW_peak": 0.00,
"BW_average": %s,
"MsgRate": %s
}
}
"""
KEYS = """NetworkLoad Tests v1.3
  Test with 10 MPI ranks (10 nodes)
+------------------------------------------------------------------------------+
|          Network Tests running with Congestion Tests - Key Results           |
+---------------------------------+--------------------------------------------+
|                            Name |                   Congestion Impact Factor |
+---------------------------------+----------------------+---------------------+
|                                 |                  Avg |                 99% |
+---------------------------------+----------------------+---------------------+
|          RR Two-sided Lat (8 B) |                 3.1X |                9.0X |
+---------------------------------+----------------------+---------------------+
"""
NCCL = """# nThread 1 nGpus 2 warmup iters: 5 iters: 20 agg iters: 1
#  Rank  0 Group  0 Pid   1234 on      node1 device  0 [0x07] NVIDIA A100
#  Rank  1 Group  0 Pid   1234 on      node1 device  1 [0x0f] NVIDIA A100
#                                                              out-of-place            in-place
#       size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong
#        (B)
           8      2  float   sum    -1 12.10   0.00   0.00      {wrong} 11.90   0.00   0.00      0
"""
FABTESTS = """bytes   iters   total       time     MB/sec    usec/xfer   Mxfers/sec
64      10k     1.2m        0.10s     12.80       5.00       0.20
1.5k    10k     29m         0.10s    300.00       5.12       0.20
"""


def told(name: str) -> Given:
    """What a user says beside a stored output."""
    return TOLD.get(name, Given())
