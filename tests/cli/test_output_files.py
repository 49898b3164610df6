"""Every file that a command writes: whole or not there, and never in place of a record."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from support.builders import make_cases, synthetic_record
from support.price_lists import FULL, HALF, HEAD, PARTS
from weft.cli.main import app
from weft.errors import WeftError
from weft.outputs import write_output
from weft.record.run import load

CASES = make_cases(("ping_pong", "ping_ping", "stream"), sizes=(8, 64, 1024, 8192, 65536, 1 << 20))
LIMIT = '[[limit]]\ntest = "ping_pong"\nsizes = "8"\nlatency_at_most = "2 us"\n'
FABRIC = ("--nodes", "48", "--switch", "24", "--blocking", "2:1", "--link", "IB 4x SDR")
# A use of every command for each of its options that name a file which it writes.
USES = {
    ("report", "--output"): ("record.jsonl", "-o", "out.html"),
    ("compare", "--output"): ("escher", "red-squall", "-o", "out.html"),
    ("trend", "--output"): ("record.jsonl", "-o", "out.html"),
    ("figure", "--output"): ("record.jsonl", "-o", "out.pdf"),
    ("fit", "--output"): ("record.jsonl", "--transport", "tcp", "-o", "out.html"),
    ("signature", "--output"): ("record.jsonl", "-o", "out.svg"),
    ("layers", "--output"): ("record.jsonl", "--order", "tcp,mpi", "-o", "out.html"),
    ("calibrate", "--output"): ("escher", "-o", "out.xml"),
    ("reproduce", "--output"): ("fermilab", "-o", "out.html"),
    ("price", "--output"): ("--compare", "prices.toml", "-o", "out.html"),
    ("price", "--cables"): (*FABRIC, "--cables", "out.csv"),
    ("price", "--draw"): (*FABRIC, "--draw", "out.svg"),
    ("price", "--simgrid"): (*FABRIC, "--simgrid", "out.xml"),
    ("check", "--output"): ("record.jsonl", "--against", "limits.toml", "-o", "out.html"),
    ("check", "--junit"): ("record.jsonl", "--against", "limits.toml", "--junit", "out.xml"),
    ("check", "--openmetrics"): (
        "record.jsonl", "--against", "limits.toml", "--openmetrics", "out.txt"),
    ("export", "--csv"): ("record.jsonl", "--table", "host", "--csv", "out.csv"),
    ("export", "--json"): ("record.jsonl", "--table", "host", "--json", "out.json"),
    ("export", "--parquet"): ("record.jsonl", "--table", "host", "--parquet", "out.parquet"),
    ("export", "--latex"): ("record.jsonl", "--latex", "out.tex"),
    ("export", "--markdown"): ("record.jsonl", "--markdown", "out.md"),
    ("export", "--methods"): ("record.jsonl", "--methods", "out.tex"),
}  # fmt: skip
# A page's own drawings too, which are most of what a page takes.
pytestmark = pytest.mark.usefixtures("undrawn")
# Files that are read, and what has rules of its own: a record, and a folder of them.
READ = {"--hostfile", "--again", "--resume", "--against", "--prices", "--price", "--topology"}
RECORDS = {(command, "--output") for command in ("run", "predict", "import", "map")}


class Ended(BaseException):
    """Ends a command as nothing in it expects."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return synthetic_record(tmp_path_factory.mktemp("kept") / "record.jsonl", CASES, launches=3)


@pytest.fixture
def folder(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a command has all that it reads; nothing is drawn, and nothing is simulated."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("weft.report.drawing.draw", lambda *_: [b"drawn", b"drawn"])
    monkeypatch.setattr("weft.studies.published.simulated_solver", lambda _: load(kept))
    os.link(kept, "record.jsonl")
    Path("limits.toml").write_text(LIMIT)
    Path("prices.toml").write_text(HEAD + PARTS + HALF + FULL)
    return tmp_path


def _weft(command: str, words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [command, *words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output


def _path_options() -> set[tuple[str, str]]:
    found = set()
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        for param in getattr(command, "params", ()):
            if param.param_type_name == "option" and "Path" in str(
                param.type_descriptor.annotation
            ):
                found.add((name, max(param.opts, key=len)))
    return found


def test_no_output_is_forgotten_here() -> None:
    named = {(command, option) for command, option in _path_options() if option not in READ}
    assert named == set(USES) | RECORDS


@pytest.mark.parametrize("use", USES, ids=" ".join)
@pytest.mark.parametrize("name", ["old.jsonl", "old.jsonl.zst"])
def test_a_record_is_never_replaced(folder: Path, use: tuple[str, str], name: str) -> None:
    old = synthetic_record(folder / name, CASES[:1], launches=1)
    before = old.read_bytes()
    with pytest.raises(WeftError, match=r"old\.jsonl.* is a record, which is never replaced"):
        _weft(use[0], (*USES[use][:-1], name))
    assert old.read_bytes() == before


@pytest.mark.parametrize("use", USES, ids=" ".join)
def test_an_older_file_is_replaced_in_one_step(
    folder: Path, use: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    *_, name = USES[use]
    (folder / name).write_text("older")
    (folder / name).chmod(0o640)
    before = set(folder.iterdir())
    really = os.fsync

    def interrupted(descriptor: int) -> None:
        # All is written, and has not its name yet.
        assert os.fstat(descriptor).st_size > 0
        raise Ended

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(Ended):
        app([use[0], *USES[use]], standalone_mode=False)
    assert (folder / name).read_text() == "older"
    assert set(folder.iterdir()) == before
    monkeypatch.setattr(os, "fsync", really)
    _weft(use[0], USES[use])
    assert (folder / name).read_bytes() != b"older"
    assert (folder / name).stat().st_mode & 0o777 == 0o640
    assert set(folder.iterdir()) == before


def test_what_is_killed_leaves_the_older_file(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("older")
    program = """
import os, signal, sys
from pathlib import Path
from weft.outputs import write_output
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
write_output(Path(sys.argv[1]), "new" * 1000)
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "page.html"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "page.html").read_text() == "older"
    write_output(tmp_path / "page.html", "new")
    assert (tmp_path / "page.html").read_text() == "new"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("check", "record.jsonl", "--against", "limits.toml", "--junit", "limits.toml"),
         "limits.toml is read by this command; use another file after --junit"),
        (("price", *FABRIC, "--prices", "prices.toml", "--cables", "prices.toml"), "is read by"),
        (("check", "record.jsonl", "--against", "limits.toml", "--junit", "a.xml",
          "--openmetrics", "./a.xml"), "--junit and --openmetrics both name a.xml"),
        (("export", "record.jsonl", "--csv", "."), ". is a directory"),
        (("export", "record.jsonl", "--csv", "no/where.csv"), "make its folder"),
        (("compare", "escher", "red-squall", "-o", "-"), "standard output has the table"),
    ],
)  # fmt: skip
def test_nothing_that_is_read_or_written_beside_is_replaced(
    folder: Path, words: tuple[str, ...], told: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(WeftError) as error:
        _weft(words[0], words[1:])
    assert told in str(error.value)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("begin", "is_record"),
    [(b'{"kind":"header","schema', True), (b'{"kind":"he', True), (b"\x28\xb5\x2f\xfd\x00", True),
     (b"", False), (b"{}", False), (b'{"kind":"headline"}', False), (b"<html>", False)],
)  # fmt: skip
def test_what_begins_as_a_record_is_one(tmp_path: Path, begin: bytes, is_record: bool) -> None:
    path = tmp_path / "some"
    path.write_bytes(begin)
    if is_record:
        with pytest.raises(WeftError, match="is a record"):
            write_output(path, "new")
    else:
        write_output(path, "new")
    assert (path.read_bytes() == begin) is is_record


def test_a_link_stays_one_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("older")
    (tmp_path / "link.html").symlink_to("real.html")
    write_output(tmp_path / "link.html", "new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "new"


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize(("mode", "is_refused"), [(0o1777, True), (0o777, False), (0o1755, False)])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes another user's link")
def test_another_users_link_is_followed_in_no_shared_folder(
    tmp_path: Path, kind: str, mode: int, is_refused: bool
) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    name = shared / "weft-20261128-100000.html"
    if kind == "link":
        name.symlink_to(target)
    else:
        os.mkfifo(name)
    os.lchown(name, 65534, 65534)
    if is_refused:
        with pytest.raises(WeftError, match="another user"):
            write_output(name, "page")
        assert target.read_text() == "precious"
    elif kind == "link":
        write_output(name, "page")
        assert target.read_text() == "page"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a file system")
def test_a_read_only_folder_is_refused_before_any_work(tmp_path: Path) -> None:
    weft = Path(sys.executable).with_name("weft")
    script = 'mount -t tmpfs -o ro none "$1" && "$0" compare escher red-squall -o "$1/out.html"'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, weft, tmp_path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert "cannot write" in done.stderr
    assert "Read-only file system" in done.stderr


@pytest.mark.parametrize("command", ["fit", "signature", "layers", "price", "reproduce"])
def test_a_picture_of_no_known_kind_is_refused_before_any_work(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WeftError, match=r"out\.png is no kind of picture"):
        _weft(command, (*USES[command, "--output"][:-1], "out.png"))
    assert capsys.readouterr().out == ""
    assert not (folder / "out.png").exists()
