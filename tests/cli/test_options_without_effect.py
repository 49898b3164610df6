"""Every option of every command: it always has an effect, or is refused where it has none.

A new option fails here until it is in one of the two tables.
"""

import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.maps import map_record
from support.plans import RICH_SITE
from support.price_lists import FULL, HALF, price_list
from support.studies import milc_record
from weft.cli.main import app
from weft.errors import WeftError
from weft.plan.planning import planned
from weft.plan.request import Request

AS_JSON = "it is how the answer is printed"
AS_FILE = "a file is written"
# Why an option of a command changes something in any case.
ALWAYS = {
    "run": {
        "transport suite platform": "they name what is measured, and --platform what is simulated",
        "precision budget launches samples deadline": "they bound what is measured",
        "seed": "an order is drawn from it",
        "keep_all": "of few ranks tests/plan/test_effects.py has its scene",
        "output resume again": "they name the record",
        "allow_env": "a record may set it, or the option is refused",
        "launcher_command": "it starts the ranks",
        "vary": "it makes transports that are measured, or is refused (tests/plan)",
        "submit": "the run becomes a job",
        "json report verbose quiet": AS_JSON,
    },
    "list": {"json": AS_JSON},
    "show": {"json": AS_JSON, "test transport": "they choose what is shown"},
    "report": {"output": AS_FILE, "price": "a section is added"},
    "fit": {"json": AS_JSON, "output": AS_FILE},
    "signature": {"json": AS_JSON, "output": AS_FILE},
    "figure": {
        "output": AS_FILE,
        "show test transport": "they choose what is drawn",
        "layout wide height points font": "they are how it is drawn",
    },
    "layers": {"json": AS_JSON, "output": AS_FILE, "order": "it is the order of the layers"},
    "map": {
        "json quiet": AS_JSON,
        "output": AS_FILE,
        "sizes ranks rounds at_once budget platform": "they are what is measured or simulated",
        "seed": "an order is drawn from it",
        "topology": "causes are named by it",
        "submit": "the map becomes a job",
        "launcher_command": "it starts the ranks",
    },
    "memory": {"json": AS_JSON},
    "import": {
        "json": AS_JSON,
        "output": AS_FILE,
        "strict": "a line that is no part of a table is refused",
        "transport ranks size": "they say what an output may leave out",
    },
    "export": {
        "csv parquet json latex markdown methods": AS_FILE,
        "table": "it chooses what is written",
    },
    "doctor": {
        "json": AS_JSON,
        "hosts hostfile nodes launcher": "they say which hosts are asked",
        "ranks_per_node": "cores are compared with that number",
        "measure": "something is measured here, or it is refused for other hosts",
    },
    "peak": {"json": AS_JSON},
    "predict": {
        "platform nodes topology switch rails speed algorithm": "they are what is simulated",
        "samples budget": "they bound what is simulated",
        "ranks_per_node shared": "a node has more ranks, or one of them lacks the other",
        "output": "the records are there",
        "json": AS_JSON,
    },
    "price": {
        "json": AS_JSON,
        "output": AS_FILE,
        "nodes": "it is the fabric that is built, or the size in place of a list's",
        "paper": "it is the question",
    },
    "calibrate": {
        "json": AS_JSON, "output": AS_FILE, "kind nodes rate": "the platform that is made has them",
    },
    "reproduce": {"json": AS_JSON, "kind": "a study without tables refuses them"},
    "compare": {
        "json": AS_JSON, "output": AS_FILE, "test": "it chooses what is compared",
        "same": "verdicts follow from it",
    },
    "check": {
        "json": AS_JSON, "junit openmetrics output": AS_FILE,
        "require_none": "a requirement is added",
        "scatter": "a table without scatter gets it",
        "make_limits": "limits are written in place of an answer",
    },
    "trend": {"json": AS_JSON, "output": AS_FILE, "against": "limits are shown"},
    "slurm script": {},
}  # fmt: skip
SHORT = {"-o": "--output"}
ESCHER = "--platform escher"
CONF = "--topology topology.conf"
PRICE = "--nodes 48 --switch 24"
HALO = f"halo {ESCHER} --nodes 8 --switch 4"
PAIR = f"ping_pong {ESCHER} --nodes 2"
# By the option as it is typed: the words without effect, and those with. Values are the usual ones
# where there are some.
SCENES = {
    "run": [
        ("--transport tcp", f"ping_pong {ESCHER}", "ping_pong"),
        ("--sizes 8", "barrier", "barrier ping_pong"),
        ("--sizes 8", "--suite paper", "ping_pong"),
        ("--ranks 2", "--suite quick", "ping_pong"),
        ("--mpi openmpi", f"ping_pong {ESCHER}", "ping_pong"),
        ("--option mpi.interface=lo", "ping_pong --transport tcp", "ping_pong"),
        ("--queue-depth 64", "ping_pong copy", "ping_pong stream"),
        ("--buffers one", "barrier", "ping_pong"),
        ("--pages small", "barrier", "copy"),
        ("--points 50", "ping_pong", "ping_pong send_overlap"),
        ("--single", "offered_load", "ping_pong"),
        ("--wait spin", "copy", "ping_pong"),
        ("--wait block", f"ping_pong {ESCHER}", "ping_pong"),
        ("--rate 1GFlop/s", "milc", f"milc {ESCHER}"),
        ("--rate 1GFlop/s", f"ping_pong {ESCHER}", f"milc {ESCHER}"),
        ("--extents 4", "ping_pong", "halo"),
        ("--lattice 8^4", "ping_pong", "milc"),
        ("--depth 1", "ping_pong", "halo"),
        ("--compute 1ns", "ping_pong", "halo"),
        ("--overlap", "halo", "halo --compute 1ns"),
        ("--no-overlap", "halo", "halo --compute 1ns"),
        ("--sums 0", "ping_pong", "halo"),
        ("--long-links 18", "halo", "milc"),
        ("--threads 1", "stream", "milc"),
        ("--gauge lat", "halo", "milc"),
        ("--mass 0.1", "halo", "milc"),
        ("--u0 1", "halo", "milc halo"),
        ("--hosts n1,n2", f"ping_pong {ESCHER}", "ping_pong"),
        ("--hostfile hosts", f"ping_pong {ESCHER}", "ping_pong"),
        ("--nodes 1", f"ping_pong {ESCHER}", "ping_pong"),
        ("--ranks-per-node 2", f"ping_pong {ESCHER}", "ping_pong"),
        ("--launcher local", f"ping_pong {ESCHER}", "ping_pong"),
        ("--placement pack", "ping_pong", "ping_pong --ranks 4"),
        ("--interface lo", "ping_pong --transport ucx --device m", "ping_pong --transport tcp"),
        ("--device mlx5_0", "ping_pong --transport tcp", "ping_pong --transport ucx"),
        ("--partition p", "ping_pong", "IN_JOB ping_pong"),
        ("--account a", "ping_pong", "IN_JOB ping_pong"),
        ("--constraint c", "ping_pong", "IN_JOB ping_pong"),
        ("--time 1min", "ping_pong", "IN_JOB ping_pong"),
        ("--nodelist n1", "ping_pong", "IN_JOB ping_pong"),
        ("--exclude n1", "ping_pong", "IN_JOB ping_pong"),
    ],
    "list": [("--mpi openmpi", "suites", "tests"), ("--mpi mpich", "platforms", "transports")],
    "show": [
        ("--table figures", "escher", "r.jsonl"),
        ("--like osu", "escher", "r.jsonl"),
        ('--link "IB 4x SDR"', "late.jsonl", "r.jsonl"),
        ('--link "IB 4x SDR"', "r.jsonl --table overhead", "r.jsonl --table figures"),
    ],
    "report": [
        ('--link "IB 4x SDR"', "late.jsonl", "r.jsonl"),
        (CONF, "late.jsonl", "m1.jsonl r.jsonl"),
    ],
    "memory": [('--link "IB 4x SDR"', "late.jsonl", "UNLIKE")],
    "fit": [
        ("--columns bytes,seconds", "r.jsonl --transport tcp", "times.csv"),
        ("--columns bytes,seconds", "escher", "times.csv"),
        ("--test ping_pong", "times.csv", "r.jsonl --transport tcp"),
        ("--transport mpi", "times.csv", "escher"),
    ],
    "signature": [
        ("--columns bytes,seconds", "r.jsonl", "times.csv escher"),
        ("--test ping_pong", "times.csv", "r.jsonl times.csv"),
        ("--transport mpi", "times.csv", "r.jsonl"),
    ],
    "map": [
        ("--transport mpi", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--launches 3", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--wait block", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--mpi openmpi", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--option tcp.port=7000", f"{ESCHER} --ranks 4", "--ranks 4 --transport tcp"),
        ("--sizes 8", "r.jsonl", "--ranks 4"),
        ("--link 'IB 4x HDR'", "--ranks 4", "long.jsonl"),
        ("--link 'IB 4x HDR'", "m1.jsonl", "long.jsonl"),
        ("--slow n1=0.5", "--ranks 4", f"{ESCHER} --ranks 4"),
        ("--hosts n1,n2", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--hostfile hosts", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--nodes 1", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--ranks-per-node 2", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--launcher local", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--placement pack", f"{ESCHER} --ranks 4", "--ranks 4"),
        ("--interface lo", f"{ESCHER} --ranks 4", "--ranks 4 --transport tcp"),
        ("--device mlx5_0", "--ranks 4 --transport tcp", "--ranks 4 --transport ucx"),
        ("--partition p", "--ranks 4", "IN_JOB --ranks 4"),
        ("--account a", "--ranks 4", "IN_JOB --ranks 4"),
        ("--constraint c", "--ranks 4", "IN_JOB --ranks 4"),
        ("--time 1min", "--ranks 4", "IN_JOB --ranks 4"),
        ("--nodelist n1", "--ranks 4", "IN_JOB --ranks 4"),
        ("--exclude n1", "--ranks 4", "IN_JOB --ranks 4"),
    ],
    "figure": [
        (CONF, "r.jsonl -o f.svg", "m1.jsonl -o f.svg"),
        (CONF, "r.jsonl -o f.svg --show fit", "m1.jsonl -o f.svg --show map-0"),
        ("--columns bytes,seconds", "r.jsonl -o f.svg", "times.csv -o f.svg --show fit"),
        ("--columns bytes,seconds", "escher -o f.svg --show fit", "times.csv -o f.svg --show fit"),
        ("--test ping_pong", "times.csv -o f.svg --show signature", "r.jsonl -o f.svg"),
        ("--transport tcp", "times.csv -o f.svg --show fit", "r.jsonl -o f.svg --show fit"),
    ],
    "predict": [
        ("--blocking 1:1", f"halo {ESCHER} --nodes 8 --topology torus --switch 8", HALO),
        ("--levels 0", f"halo {ESCHER} --nodes 8 --topology torus --switch 8", HALO),
        ("--shape 2x2", HALO, f"halo {ESCHER} --nodes 8 --topology torus --switch 8"),
        ("--per-switch 0", HALO, f"halo {ESCHER} --nodes 8 --topology torus --switch 8"),
        ("--hop 200ns", PAIR, HALO),
        ("--routing ideal", PAIR, HALO),
        ("--mapping in-order", PAIR, HALO),
        ("--pairs near", HALO, f"ping_pong {ESCHER} --nodes 8 --switch 6"),
        ("--within 5%", HALO, f"{HALO} --speed 1,2"),
        ("--sizes 8", f"barrier {ESCHER} --nodes 2", PAIR),
        ("--points 50", PAIR, f"send_overlap {ESCHER} --nodes 2"),
        ("--rate 1GFlop/s", HALO, f"milc {ESCHER} --nodes 2"),
        ("--extents 4", PAIR, HALO),
        ("--lattice 8^4", PAIR, HALO),
        ("--depth 1", PAIR, HALO),
        ("--compute 1ns", PAIR, HALO),
        ("--overlap", HALO, f"{HALO} --compute 1ns"),
        ("--sums 0", PAIR, HALO),
        ("--long-links 18", f"milc {ESCHER} --nodes 2", ""),
        ("--threads 1", f"milc {ESCHER} --nodes 2", ""),
        ("--gauge lat", HALO, f"milc {ESCHER} --nodes 2"),
        ("--mass 0.1", HALO, f"milc {ESCHER} --nodes 2"),
        ("--u0 1", HALO, f"milc {ESCHER} --nodes 2"),
    ],
    "price": [
        ("--prices list.toml", "--paper", PRICE),
        ("--prices list.toml", "--compare half.toml full.toml", PRICE),
        ("--compare", "--paper", "half.toml full.toml"),
        ("--cables c.csv", "--compare half.toml full.toml", PRICE),
        ("--draw d.svg", "--compare half.toml full.toml", PRICE),
        ("--simgrid p.xml", "--paper", f"{PRICE} --link 'IB 4x SDR'"),
        ("--switch 24", "--prices half.toml", "--nodes 48"),
        ("--blocking 1:1", f"{PRICE} --topology torus", PRICE),
        ("--blocking 1:1", f"{PRICE} --bisection 50%", PRICE),
        ("--bisection 50%", f"{PRICE} --topology torus", PRICE),
        ("--topology fat-tree", "--prices half.toml", PRICE),
        ("--levels 0", f"{PRICE} --topology torus", PRICE),
        ("--rails 1", "--paper", PRICE),
        ("--shape 3x2", PRICE, f"{PRICE} --topology torus"),
        ("--per-switch 0", PRICE, f"{PRICE} --topology torus"),
        ("--spread even", f"{PRICE} --topology dragonfly", PRICE),
        ('--link "IB 4x SDR"', "--prices half.toml", PRICE),
        ("--measured escher", PRICE, f"{PRICE} --prices list.toml"),
        ("--measured escher", f"{PRICE} --bisection 50%", f"{PRICE} --bisection 20GB/s"),
        ("--application milc.jsonl", PRICE, f"{PRICE} --prices list.toml"),
    ],
    "calibrate": [("--transport tcp", "escher", "r.jsonl")],
    "reproduce": [("--rate 1GFlop/s", "sandia", ""), ("-o f.svg", "osu", "")],
    "check": [("--tolerance 5%", "r.jsonl --make-limits -o l.toml",
               "r.jsonl --against other.jsonl"),
              ("--against other.jsonl", "r.jsonl --make-limits -o l.toml",
               "r.jsonl --tolerance 5%"),
              ("--tolerance 5%", "r.jsonl --against limits.toml",
               "r.jsonl --against other.jsonl"),
              (CONF, "r.jsonl --against other.jsonl", ""),
              (CONF, "r.jsonl --against limits.toml", ""),
              (CONF, "r.jsonl --make-limits -o l.toml", "m1.jsonl --against m2.jsonl")],
    "compare": [(CONF, "r.jsonl other.jsonl", "m1.jsonl m2.jsonl")],
    "slurm script": [("--submit", "ping_pong", "")],
}  # fmt: skip
ALL = [
    pytest.param(command, *scene, id=f"{command} {scene[0]} {scene[1]}")
    for command, scenes in SCENES.items()
    for scene in scenes
]


SIZES = (1, 8, 64, 512, 4096, 16384, 65536, 262144, 1048576)


class PlannedError(Exception):
    """A run was planned, and would begin now."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with records, lists and limits, made once."""
    folder = tmp_path_factory.mktemp("files")
    for name, test, launches in (("r", "stream", 5), ("other", "stream", 4), ("late", "", 5)):
        tests = ("ping_pong", test) if test else ("late_receive",)
        cases = make_cases(tests, ("mpi", "tcp"), SIZES)
        synthetic_record(folder / f"{name}.jsonl", cases, launches=launches)
    times = "".join(f"{size},{1e-6 + size / 1e9}\n" for size in SIZES)
    (folder / "times.csv").write_text(f"bytes,seconds\n{times}")
    (folder / "limits.toml").write_text('[[limit]]\ntest = "ping_pong"\nlatency_at_most = "1 s"\n')
    milc_record(folder)
    for name, slow in (("m1", 1.0), ("m2", 1.5)):
        map_record(folder / f"{name}.jsonl", dict.fromkeys(("n3", "n4"), slow))
    map_record(folder / "long.jsonl", {}, sizes=(8, 1 << 20))
    (folder / "topology.conf").write_text("SwitchName=l1 Nodes=n[1-7]\n")
    (folder / "hosts").write_text("n1\nn2\n")
    price_list(folder / "list.toml")
    price_list(folder / "half.toml", fabrics=HALF)
    price_list(folder / "full.toml", fabrics=FULL)
    return folder


@pytest.fixture
def here(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are typed in that folder, and a run ends where it is planned, on two hosts."""

    def start(request: Request, *_: object, **__: object) -> None:
        planned(request, msgspec.structs.replace(RICH_SITE, hosts=2), lambda _: None)
        raise PlannedError

    for name in ("start", "prepare"):
        monkeypatch.setattr(f"weft.session.{name}", start)
    # Whatever MPI is installed, and without asking programs of another version.
    monkeypatch.setattr("weft.launch.programs.choose_mpi", lambda mpi, *_: mpi or "openmpi")
    monkeypatch.setattr("weft.launch.programs.programs", lambda _: ())
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.chdir(files)


def refusal(command: str, words: str) -> str:
    """What a command says that refuses these words; empty where it does its work."""
    done = CliRunner().invoke(app, [*command.split(), *shlex.split(words)])
    if done.exception is None or isinstance(done.exception, SystemExit | PlannedError):
        return ""
    if isinstance(done.exception, WeftError):
        return str(done.exception)
    raise done.exception


@pytest.mark.parametrize(("command", "option", "without", "_with"), ALL)
@pytest.mark.usefixtures("here", "undrawn")
def test_an_option_without_effect_is_refused(
    command: str, option: str, without: str, _with: str
) -> None:
    told = refusal(command, f"{without} {option}")
    word = SHORT.get(shlex.split(option)[0], shlex.split(option)[0])
    assert told.startswith(word), told
    assert " has no effect: " in told
    assert "; omit " in told or "; use " in told
    # It is the option alone that is refused.
    assert "no effect" not in refusal(command, without)


@pytest.mark.parametrize(("command", "option", "_without", "words"), ALL)
@pytest.mark.usefixtures("here", "undrawn")
def test_an_option_with_effect_is_taken(
    command: str,
    option: str,
    _without: str,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if not words:
        return
    if "IN_JOB" in words:
        monkeypatch.setenv("SLURM_JOB_ID", "7")
    if "UNLIKE" in words:
        words = str(request.getfixturevalue("unlike").path)
    words = words.replace("IN_JOB", "")
    assert not refusal(command, f"{words} {option}")


def commands(group: typer.Typer | None = None) -> Iterator[tuple[str, dict[str, str]]]:
    """Every command, with its options as they are typed by the names of their parameters."""

    def walk(name: str, one: object) -> Iterator[tuple[str, dict[str, str]]]:
        for own, inner in getattr(one, "commands", {}).items():
            yield from walk(f"{name} {own}".strip(), inner)
        if not hasattr(one, "commands"):
            params = getattr(one, "params", ())
            yield (
                name,
                {
                    param.name: max(param.opts, key=len)
                    for param in params
                    if param.param_type_name == "option"
                },
            )

    yield from walk("", typer.main.get_command(group or app))


@pytest.mark.parametrize(("command", "options"), [*commands()])
def test_every_option_is_in_a_table(command: str, options: dict[str, str]) -> None:
    always = {name for names in ALWAYS.get(command, {}) for name in names.split()}
    typed = {shlex.split(option)[0] for option, *_ in SCENES.get(command, ())}
    refused = {SHORT.get(word, word) for word in typed}
    unknown = {name for name, word in options.items() if name not in always and word not in refused}
    assert not unknown, f"{command}: say of {unknown} where they are without effect, or why never"
    gone = always - options.keys()
    assert not gone, f"{command} has no option {gone} any more"
