"""A ReFrame check: weft measures, weft judges, ReFrame schedules and reports.

Start it with:  reframe -C cluster.py -c weft_acceptance.py -r

There is one check for every test and transport; edit the two lists. ReFrame may run a check again
(--max-retries). Every run leaves its record in the check's own folder, and the verdict is on all
records there, so that a retry cannot buy a pass. Empty the folder for a new acceptance.
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_before, sanity_function, variable


@rfm.simple_test
class WeftAcceptance(rfm.RunOnlyRegressionTest):
    """One test over one transport, inside the limits of src/<test>.toml."""

    descr = "interconnect acceptance with weft"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "weft"
    test = parameter(["ping_pong", "stream"])
    transport = parameter(["tcp"])
    # A rank a node. weft starts its ranks itself: by srun in a job, on this machine without one.
    num_tasks = 2
    num_tasks_per_node = 1
    sizes = variable(str, value="8,64KiB")
    budget = variable(str, value="60s")
    # Further options of weft run: --device mlx5_0 --launches 10.
    options = variable(str, value="")
    # The folder for the records of all runs; beside ReFrame's own output if nothing is said.
    records = variable(str, value="")

    @run_before("run")
    def measure_and_judge(self):
        """One run of weft, then its verdict on every record of the folder."""
        folder = self.records or str(Path(self.outputdir).parent / "weft-records")
        records = f"{folder}/{self.transport}-{self.test}"
        self.prerun_cmds = [f'mkdir -p "{records}"']
        self.executable_opts = [
            *("run", self.test, "--transport", self.transport, "--sizes", self.sizes),
            *("--budget", self.budget, self.options, "--no-report"),
            *("-o", f'"{records}/$(date +%Y%m%d-%H%M%S)-$$.jsonl"'),
        ]
        files = "--junit weft.xml --openmetrics weft.txt --json > weft.json"
        self.postrun_cmds = [
            f'weft check "{records}"/*.jsonl* --against {self.test}.toml {files}',
            'echo "weft check ended with $?"',
        ]
        self.keep_files = ["weft.json", "weft.xml", "weft.txt"]

    @sanity_function
    def passes(self):
        """0 is a pass; 1 (fail), 3 (cannot tell) and 2 (bad usage) are not, and weft says why."""
        status = sn.extractsingle(r"^weft check ended with (\d+)$", self.stdout, 1, int)
        stage = Path(self.stagedir)
        try:
            answer = json.loads((stage / "weft.json").read_text())["result"]
            bad = [check for check in answer["checks"] if check["outcome"] != "pass"]
            words = [f"{check['outcome']}: {check['case']}: {check['why']}" for check in bad]
        except (OSError, ValueError):
            errors = (stage / str(self.stderr)).read_text().splitlines()
            words = [line for line in errors if line.startswith("weft: ")]
        # ReFrame takes braces for its own.
        why = "; ".join(words).replace("{", "{{").replace("}", "}}")
        return sn.assert_eq(status, 0, msg=f"weft check ended with {{0}}, not {{1}}: {why}")

    @run_before("performance")
    def report_every_figure(self):
        """The median of every case that a limit is for, as a performance variable of ReFrame."""
        checks = json.loads((Path(self.stagedir) / "weft.json").read_text())["result"]["checks"]
        for check in checks:
            if check["estimate"]:
                unit = "ns" if check["quantity"] == "latency" else "bytes/s"
                figure = sn.defer(check["estimate"]["value"])
                name = check["case"].replace("/", "_")
                self.perf_variables[name] = sn.make_performance_function(figure, unit)
