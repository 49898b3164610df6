"""A cluster of several hosts on this machine: namespaces, a bridge, munge, ssh and a real Slurm.

    make lab                                  a shell on head, the login node
    make lab CMD='weft run --nodes 2'         one command there; everything is taken down after it

`head` runs slurmctld, `n1` to `n4` run slurmd; `stranger` is plugged into the same switch and has
neither keys nor munge. Each host has its own network, process numbers, host name, shared memory,
/tmp, /run, boot and machine id. The rest of the file system is shared, as NFS would be; of /tmp
only the checkout and the folders that are named.

All of it lives in one outer namespace. Its process 1 (switch.py) ends with whoever started it, and
takes every process, mount and cable along: nothing is left, even after kill -9. No interface,
address or file of this machine is touched.
"""
