"""Runs steps: one in front, others next to it; none stops another, and none outlives the gate."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

import logs
from memory import Memory
from steps import Step

PASSED, FAILED, NOT_RUN, REMEMBERED = "passed", "FAILED", "not run", "passed before, unchanged"
TOO_LATE = "skipped, the gate has run for too long"


class Gate:
    """The state of one run of the gate."""

    def __init__(self, steps: tuple[Step, ...], memory: Memory, folder: Path) -> None:
        self.memory = memory
        self.folder = folder
        self.began = time.monotonic()
        self.waiting = list(steps)
        self.names = {step.name for step in steps}
        self.ended: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.front_is_busy = False

    def log(self, name: str) -> Path:
        """The file with the output of a step."""
        return self.folder / f"{name.replace(' ', '-')}.log"

    def settle(self) -> list[Step]:
        """Take the steps that can start now; end those that need not or cannot run."""
        ready = []
        for step in list(self.waiting):
            if any(name in self.names and name not in self.ended for name in step.after):
                continue
            needed = [name for name in step.needs if name in self.names]
            if any(name not in self.ended for name in needed):
                continue
            if any(self.ended[name] in (FAILED, NOT_RUN) for name in needed):
                self._end(step, NOT_RUN)
            elif self.memory.passed(step.name, step.watches):
                self._end(step, REMEMBERED)
            elif time.monotonic() - self.began > step.latest_start_s:
                self._end(step, TOO_LATE)
            elif step.background or not self.front_is_busy:
                self.front_is_busy = self.front_is_busy or not step.background
                self.waiting.remove(step)
                ready.append(step)
        return ready

    def _end(self, step: Step, how: str) -> None:
        self.waiting.remove(step)
        self.ended[step.name] = how
        sys.stdout.write(f"== {step.name}: {how}\n")

    def work(self, step: Step) -> Step:
        """Run a step to its end, in a session of its own; its output goes to its log."""
        start = time.monotonic()
        where = "in the background" if step.background else "in front"
        sys.stdout.write(f"== {step.name}: starts {where}\n")
        sys.stdout.flush()
        with self.log(step.name).open("wb") as log:
            process = subprocess.Popen(
                ["nice", "-n", str(step.niceness), *step.command], stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            self.processes[step.name] = process
            # The kernel shares cores between sessions first, and then within them.
            with contextlib.suppress(OSError):
                Path(f"/proc/{process.pid}/autogroup").write_text(str(step.niceness))
            try:
                process.wait(step.deadline_s)
            except subprocess.TimeoutExpired:
                _kill(process)
                log.write(b"\ngate: the deadline of this step passed; it was killed\n")
        self.ended[step.name] = PASSED if process.wait() == 0 else FAILED
        self.seconds[step.name] = time.monotonic() - start
        return step

    def end_all(self) -> None:
        """Kill what still runs."""
        for process in self.processes.values():
            if process.poll() is None:
                _kill(process)


def run(steps: tuple[Step, ...], memory: Memory, folder: Path) -> int:
    """Run all steps; print costs, skipped tests and, last, each failure with its output."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, lambda *_: sys.exit(143))
    _prepare_environment()
    gate = Gate(steps, memory, folder)
    try:
        with ThreadPoolExecutor(len(steps)) as workers:
            try:
                _schedule(gate, workers)
            finally:
                gate.end_all()
    except KeyboardInterrupt:
        return 130
    return _report(gate, steps)


def _schedule(gate: Gate, workers: ThreadPoolExecutor) -> None:
    running: set[Future[Step]] = set()
    while True:
        running |= {workers.submit(gate.work, step) for step in gate.settle()}
        if not running:
            # A step that ended at once can have been the last that another waited for.
            if not gate.waiting:
                return
            continue
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            step = future.result()
            gate.front_is_busy = gate.front_is_busy and step.background
            how = gate.ended[step.name]
            if how == PASSED:
                gate.memory.keep(step.name)
            text = logs.summary(gate.log(step.name).read_text(errors="replace"))
            sys.stdout.write(
                f"== {step.name}: {how} after {gate.seconds[step.name]:.0f} s  {text}\n"
            )
            sys.stdout.flush()


def _prepare_environment() -> None:
    # Tests start weft hundreds of times: Python keeps what it compiled, whatever is usual here.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # Each checkout on this machine uses what any of them compiled.
    if not subprocess.run(["which", "ccache"], capture_output=True, check=False).returncode:
        os.environ.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
        os.environ.setdefault("CCACHE_BASEDIR", str(Path.cwd()))
        os.environ.setdefault("CCACHE_NOHASHDIR", "1")
        # Without these it keeps no file that includes a precompiled header.
        os.environ.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros")
        # A newcomer's build, in which warnings are no errors, finds the same files compiled.
        os.environ.setdefault("CCACHE_IGNOREOPTIONS", "-Werror")


def _report(gate: Gate, steps: tuple[Step, ...]) -> int:
    texts = {
        step.name: gate.log(step.name).read_text(errors="replace")
        for step in steps
        if step.name in gate.seconds
    }
    lines = []
    for name, text in texts.items():
        slow = logs.slowest(text)
        lines += [f"slowest of {name}:", *(f"  {line}" for line in slow)] if slow else []
    not_tested = sorted({line for text in texts.values() for line in logs.skipped(text)})
    lines += ["skipped:", *not_tested] if not_tested else ["no test was skipped"]
    for step in steps:
        took = f"{gate.seconds[step.name]:5.0f} s" if step.name in gate.seconds else "      -"
        lines.append(f"{took}  {step.name}: {gate.ended[step.name]}")
    counts = [logs.passed_and_failed(text) for text in texts.values()]
    lines.append(f"{sum(p for p, _ in counts)} passed, {sum(f for _, f in counts)} failed")
    failed = [step for step in steps if gate.ended[step.name] == FAILED]
    for step in failed:
        lines += ["", f"== {step.name} FAILED; to repeat: {' '.join(step.command)}"]
        lines.append(logs.failure(texts[step.name]))
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if failed or NOT_RUN in gate.ended.values() else 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a step's session: ninja gives each compiler a process group of its own."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name, which can contain anything: state, parent, group, session.
            if int(path.read_text().rpartition(")")[2].split()[3]) == process.pid:
                os.kill(int(path.parent.name), signal.SIGKILL)
