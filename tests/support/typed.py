"""What weft makes of words that are typed, without measuring."""

import shlex
import sys

import pytest

from weft.cli.main import app
from weft.plan.request import Request


def request_of(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Request:
    """The request of these words after `weft run`."""
    return _request_of(("run", *words), monkeypatch)


def _request_of(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Request:
    asked: list[Request] = []

    class Stop(Exception):  # noqa: N818 - no error
        pass

    def start(request: Request, *_: object, **__: object) -> None:
        asked.append(request)
        raise Stop

    monkeypatch.setattr("weft.session.start", start)
    # Where Slurm is, several nodes would be asked of it first.
    monkeypatch.setattr("weft.cli.submit.is_needed", lambda *_: False)
    monkeypatch.setattr(sys, "argv", ["weft", *words])
    with pytest.raises(Stop):
        app(list(words), standalone_mode=False)
    return asked[0]


def request_of_command(command: str, monkeypatch: pytest.MonkeyPatch) -> Request:
    """The request of a whole `weft run` as a message has it."""
    program, run, *words = shlex.split(command)
    assert (program, run) == ("weft", "run")
    return request_of(tuple(words), monkeypatch)


def request_of_map(command: str, monkeypatch: pytest.MonkeyPatch) -> Request:
    """The request of a whole `weft map` as a message has it."""
    program, *words = shlex.split(command)
    assert (program, words[0]) == ("weft", "map")
    return _request_of(tuple(words), monkeypatch)
