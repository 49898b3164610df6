"""What zsh and fish offer for a word that is typed there, where these shells are installed."""

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TYPED = [
    ("weft doc", "weft doctor"),
    ("weft compare esch", "weft compare escher"),
    ("weft show --table overh", "weft show --table overhead"),
    ("weft run --wait sp", "weft run --wait spin"),
]
DEADLINE_S = 600


@pytest.fixture
def completion(tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """An environment with weft, and in its folder the script that a shell reads once."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    here = {
        **os.environ,
        "HOME": str(tmp_path),
        "TERM": "dumb",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["weft"], env={**here, "_WEFT_COMPLETE": f"source_{shell}"}, capture_output=True,
        text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    (tmp_path / "weft.completion").write_text(done.stdout)
    return here


@pytest.mark.parametrize("completion", ["fish"], indirect=True)
@pytest.mark.parametrize(("typed", "whole"), TYPED)
def test_fish_offers_the_word(
    completion: dict[str, str], tmp_path: Path, typed: str, whole: str
) -> None:
    words = f"source weft.completion; complete --do-complete '{typed}'"
    done = subprocess.run(
        ["fish", "-c", words], env=completion, cwd=tmp_path, capture_output=True, text=True,
        timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert done.stdout.split("\t")[0].strip() == whole.rsplit(maxsplit=1)[-1]


@pytest.mark.parametrize("completion", ["zsh"], indirect=True)
def test_zsh_completes_what_is_typed(completion: dict[str, str], tmp_path: Path) -> None:
    """Typed at a terminal, for nothing else asks zsh for its completions."""
    terminal, far_end = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=far_end, stdout=far_end, stderr=far_end, env=completion,
        cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    try:
        load = "autoload -Uz compinit; compinit -u -D; source weft.completion; echo re''ady\n"
        os.write(terminal, load.encode())
        heard_until(terminal, "ready")
        for typed, whole in TYPED:
            # The line is begun anew.
            os.write(terminal, f"\x15{typed}\t".encode())
            heard_until(terminal, whole)
    finally:
        shell.kill()
        shell.wait()
        os.close(terminal)
        os.close(far_end)


def heard_until(terminal: int, wanted: str) -> None:
    """Reads what the shell shows until it is there. Fails where it says nothing more."""
    heard = ""
    while wanted not in heard:
        ready, _, _ = select.select([terminal], [], [], DEADLINE_S)
        assert ready, heard
        heard += os.read(terminal, 65536).decode(errors="replace")
