"""The engine's programs: which are installed, under which MPI, and what they can measure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import weft
from weft.errors import WeftError
from weft.host.engine import said_version
from weft.host.finding import Finding
from weft.host.programs import answer
from weft.launch.environment import environment_of_ranks
from weft.launch.protocol import answer_to, encode
from weft.plan.pattern import Pattern
from weft.plan.site import Setting
from weft.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from weft.launch.protocol import Answer

MPIS = ("openmpi", "mpich")
# The MPI of simulated platforms: a simulator that is no MPI to start programs with.
SIMULATOR = "smpi"
DESCRIBE_DEADLINE_S = 20.0
# To look at cases without running one.
LOOK_DEADLINE_S = 60.0
_AGAIN = "run make build"
# Each MPI's starter, and what its rank programs are compiled with.
PACKAGES = {"openmpi": "openmpi-bin libopenmpi-dev", "mpich": "mpich libmpich-dev"}


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """One rank executable in one of its modes, as it describes itself.

    `transport` is how a user names it: tcp, or verbs:ud for a mode that is not the default one.
    `weft` is the version that it is of, and `reason` why it is not usable here. `options` and
    `environment` are its own, before those of a plan.
    """

    transport: str
    mpi: str
    path: Path
    weft: str = ""
    mode: str = ""
    usual: bool = True
    summary: str = ""
    settings: tuple[Setting, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    reason: str = ""
    options: dict[str, str] = {}
    environment: dict[str, str] = {}

    def arguments(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """The arguments of its command line for a plan's options, keyed transport.option."""
        family = self.transport.partition(":")[0]
        mode = ("--mode", self.mode) if self.mode else ()
        own = (
            word
            for key, value in {**options, **self.options}.items()
            if key.startswith(f"{family}.")
            for word in ("--option", f"{key.partition('.')[2]}={value}")
        )
        return (*mode, *own)


class _Description(msgspec.Struct):
    transport: str
    summary: str
    patterns: tuple[Pattern, ...]
    mode: str = ""
    reason: str = ""
    settings: tuple[Setting, ...] = ()


def engine_folder() -> Path:
    """Where the rank programs are: libexec/weft of this environment, or WEFT_ENGINE_DIR."""
    given = os.environ.get("WEFT_ENGINE_DIR")
    return Path(given) if given else Path(sysconfig.get_path("data")) / "libexec" / "weft"


def starter(mpi: str) -> str | None:
    """The program that starts ranks under an MPI, if it is installed.

    Debian installs both side by side under their own names; elsewhere it is the plain mpirun.
    """
    named = shutil.which(f"mpirun.{mpi}")
    if named:
        return named
    plain = shutil.which("mpirun")
    if plain is None:
        return None
    done = answer([plain, "--version"], DESCRIBE_DEADLINE_S)
    version = done.stdout.lower() if done else ""
    words = {"openmpi": "open mpi", "mpich": "hydra"}
    return plain if words[mpi] in version else None


def has_starter(mpi: str) -> bool:
    """Whether the program that starts ranks under an MPI is installed."""
    return starter(mpi) is not None


def install_mpi(mpi: str = "") -> str:
    """What to type where an MPI is missing, or where there is none: then Open MPI's."""
    return f"run apt-get install {PACKAGES[mpi or MPIS[0]]}, then make build"


def check_engine() -> None:
    """Raises WeftError where weft was installed without its engine, which this machine lacked."""
    note = engine_folder() / "lacking"
    if note.is_file():
        raise WeftError(
            f"weft was installed here without its engine, for want of {note.read_text().strip()}",
            "run scripts/install-system-packages run && pip install . in its sources' folder",
        )


def choose_mpi(asked: str = "", starts: Callable[[str], bool] = has_starter) -> str:
    """The MPI to start ranks with: the requested one, or the first that is complete.

    `starts` says whether a launcher can start programs of an MPI. Raises WeftError when there is
    none.
    """
    check_engine()
    if asked and asked not in MPIS:
        raise WeftError(f"there is no MPI called {asked}", f"use --mpi {' or --mpi '.join(MPIS)}")
    for mpi in (asked,) if asked else MPIS:
        if starts(mpi) and any((engine_folder() / mpi).glob("rank-*")):
            return mpi
    missing, wanted = asked or "MPI", (asked,) if asked else MPIS
    if any(starts(mpi) for mpi in wanted):
        raise WeftError(f"no rank programs for {missing} in {engine_folder()}", "run make build")
    if any(has_starter(mpi) for mpi in wanted):
        others = [f"use --mpi {mpi}, or " for mpi in MPIS if asked and starts(mpi)]
        fix = "see srun --mpi=list: Open MPI takes pmix (older ones pmi2 too), MPICH both"
        raise WeftError(f"srun has no way to start ranks of {missing}", f"{''.join(others)}{fix}")
    raise WeftError(f"no mpirun for {missing} is installed", install_mpi(asked))


def programs(mpi: str) -> tuple[Program, ...]:
    """Every rank program of an MPI in each of its modes, as it describes itself, by name.

    Raises WeftError where one is of another weft than this process.
    """
    paths = sorted((engine_folder() / mpi).glob("rank-*"))
    with ThreadPoolExecutor(max_workers=max(1, len(paths))) as pool:
        answers = list(pool.map(_ask, paths))
    # Not by the threads: msgspec 0.22 crashes where two of them first meet a type at once.
    read = (_read(path, mpi, answer) for path, answer in zip(paths, answers, strict=True))
    found = tuple(program for modes in read for program in modes) + omitted(mpi)
    others = sorted({program.weft for program in found} - {"", weft.__version__})
    if others:
        raise WeftError(
            f"the programs in {engine_folder() / mpi} are of weft {', '.join(others)}, and this is"
            f" weft {weft.__version__}",
            "run make build, or install weft again: programs and Python belong together",
        )
    return found


def omitted(mpi: str) -> tuple[Program, ...]:
    """The programs of an MPI that the build went on without, each with the reason, by name."""
    notes = sorted((engine_folder() / mpi / "omitted").glob("*"))
    return tuple(_omitted(note, mpi) for note in notes if note.suffix != ".log")


def findings_of_omitted() -> tuple[Finding, ...]:
    """The doctor's line for each program that the build went on without."""
    found = [one for mpi in (*MPIS, SIMULATOR) for one in omitted(mpi)]
    first = {one.transport: one.reason for one in reversed(found)}
    return tuple(
        Finding(
            check="programs",
            level="note",
            what=f"rank-{transport} is missing: {reason.partition('; ')[0]}",
            effect=f"nothing can be measured over {transport}",
            fix=reason.partition("; ")[2],
        )
        for transport, reason in sorted(first.items())
    )


def _omitted(note: Path, mpi: str) -> Program:
    """What `scripts/build-optional`, or the engine's configuration, says of a program."""
    log = note.with_name(f"{note.name}.log")
    reason = note.read_text(errors="replace").strip()
    reason += f"; build log: {log}" if log.exists() else ""
    return Program(
        transport=note.name, mpi=mpi, path=note.parents[1] / f"rank-{note.name}", reason=reason
    )


def _ask(path: Path) -> subprocess.CompletedProcess[bytes] | str:
    """What a program says of itself, or why it says nothing."""
    try:
        return subprocess.run(
            [path, "--describe"],
            capture_output=True,
            timeout=DESCRIBE_DEADLINE_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"it did not answer in {DESCRIBE_DEADLINE_S:g} s"
    except OSError as error:
        return str(error)


def _read(
    path: Path, mpi: str, answer: subprocess.CompletedProcess[bytes] | str
) -> tuple[Program, ...]:
    transport = path.name.removeprefix("rank-")
    modes: list[_Description] = []
    errors, version = b"", ""
    reason = "it did not describe itself"
    if isinstance(answer, str):
        reason = answer
    else:
        errors, lines = answer.stderr.strip(), answer.stdout.splitlines()
        # Before the rest, which may have changed its form since.
        version = said_version(lines[0]) if lines else ""
        try:
            modes = [msgspec.json.decode(line, type=_Description) for line in lines]
        except msgspec.DecodeError as error:
            reason = str(error)
    if not modes:
        reason = errors.decode(errors="replace").splitlines()[-1] if errors else reason
        return (Program(transport=transport, mpi=mpi, path=path, weft=version, reason=reason),)
    return tuple(
        Program(
            transport=f"{transport}:{described.mode}" if at else transport,
            mpi=mpi,
            path=path,
            weft=version,
            mode=described.mode,
            usual=at == 0,
            summary=described.summary,
            settings=described.settings,
            patterns=described.patterns,
            reason=described.reason,
        )
        for at, described in enumerate(modes)
    )


def refusals(
    program: Program, lines: Sequence[Mapping[str, Any]], ranks: int, *, heads: bool
) -> tuple[Answer, ...]:
    """What speaks against these cases on so many ranks, before any of them is there.

    An answer for each that is ok where nothing does; `heads`: only the first bytes of a message are
    there. Raises WeftError.
    """
    more = ["--heads"] if heads else []
    words = [str(program.path), "--refuse", str(ranks), *program.arguments({}), *more]
    given = b"".join(encode(line, LOOK_DEADLINE_S) for line in lines).decode()
    tried = answer(words, LOOK_DEADLINE_S, given, environment_of_ranks({}))
    if tried is None or tried.returncode != 0:
        raise WeftError(f"{program.path.name} did not look at its cases", _AGAIN)
    said = tried.stdout.encode().splitlines()
    if len(said) != len(lines):
        raise WeftError(
            f"{program.path.name} answered {len(said)} of {counted(len(lines), 'case')}", _AGAIN
        )
    return tuple(answer_to(line, text) for line, text in zip(lines, said, strict=True))
