"""What `weft run` makes of words that are typed, without measuring."""

import shlex
import sys

import pytest

from weft.cli.main import app
from weft.plan.request import Request


def request_of(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Request:
    """The request of these words after `weft run`."""
    asked: list[Request] = []

    class Stop(Exception):  # noqa: N818 - no error
        pass

    def start(request: Request, *_: object) -> None:
        asked.append(request)
        raise Stop

    monkeypatch.setattr("weft.session.start", start)
    # Where Slurm is, several nodes would be asked of it first.
    monkeypatch.setattr("weft.cli.submit.is_needed", lambda *_: False)
    monkeypatch.setattr(sys, "argv", ["weft", "run", *words])
    with pytest.raises(Stop):
        app(["run", *words], standalone_mode=False)
    return asked[0]


def request_of_command(command: str, monkeypatch: pytest.MonkeyPatch) -> Request:
    """The request of a whole command as a message has it."""
    program, run, *words = shlex.split(command)
    assert (program, run) == ("weft", "run")
    return request_of(tuple(words), monkeypatch)
