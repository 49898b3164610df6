"""ReFrame's settings for a cluster with Slurm: the part that a site writes itself.

The launcher is local: the job's script runs weft once, on its first node, and weft starts the ranks
on all of them.
"""

site_configuration = {
    "systems": [
        {
            "name": "cluster",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "compute",
                    # "slurm" asks sacct; "squeue" is for a Slurm without accounting.
                    "scheduler": "squeue",
                    "launcher": "local",
                    # What sbatch needs here: ["--partition=compute", "--account=physics"].
                    "access": [],
                    "environs": ["site"],
                    "max_jobs": 1,
                }
            ],
        }
    ],
    "environments": [{"name": "site", "target_systems": ["cluster"]}],
}
