"""A ReFrame check: weft measures, weft judges, ReFrame reports.

Start it with:  reframe -c weft_acceptance.py -r

ReFrame may run it again (--max-retries). Every run leaves its record in one folder, and the verdict
is on all records there, so that a retry cannot buy a pass. Empty the folder for a new acceptance.
"""

import json
from pathlib import Path

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable


@rfm.simple_test
class WeftAcceptance(rfm.RunOnlyRegressionTest):
    """Latency and bandwidth between two ranks, inside the limits of src/limits.toml."""

    descr = "interconnect acceptance with weft"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "weft"
    tests = variable(str, value="ping_pong stream")
    transport = variable(str, value="tcp")
    budget = variable(str, value="60s")
    # Where the records of all runs are; beside ReFrame's own output if nothing is said.
    records = variable(str, value="")

    @run_before("run")
    def measure_and_judge(self):
        """One run of weft, then its verdict on every record of the folder."""
        records = self.records or str(Path(self.outputdir).parent / "weft-records")
        self.prerun_cmds = [f'mkdir -p "{records}"']
        self.executable_opts = [
            *("run", self.tests, "--transport", self.transport, "--sizes", "8,64KiB"),
            *("--budget", self.budget, "--no-report"),
            *("-o", f'"{records}/$(date +%Y%m%d-%H%M%S)-$$.jsonl"'),
        ]
        files = "--junit weft.xml --openmetrics weft.txt --json > weft.json"
        self.postrun_cmds = [
            f'weft check "{records}"/*.jsonl* --against limits.toml {files}',
            'echo "weft check ended with $?"',
        ]
        self.keep_files = ["weft.json", "weft.xml", "weft.txt"]

    @sanity_function
    def passes(self):
        """0 is a pass; 1 (fail), 3 (cannot tell) and 2 (bad usage) are not."""
        status = sn.extractsingle(r"^weft check ended with (\d+)$", self.stdout, 1, int)
        return sn.assert_eq(status, 0, msg="weft check ended with {0}, not {1}")

    @run_before("performance")
    def report_every_figure(self):
        """The median of every case that a limit is for, as a performance variable of ReFrame."""
        checks = json.loads((Path(self.stagedir) / "weft.json").read_text())["checks"]
        for check in checks:
            if check["estimate"]:
                unit = "ns" if check["quantity"] == "latency" else "bytes/s"
                figure = sn.defer(check["estimate"]["median"])
                name = check["case"].replace("/", "_")
                self.perf_variables[name] = sn.make_performance_function(figure, unit)
