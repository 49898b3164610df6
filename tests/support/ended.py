"""How the program ends that is typed, in this process."""

import contextlib
import gc
import io
import sys
import tempfile
from collections.abc import Sequence

import pytest

from weft.cli.main import main


def status_of(words: Sequence[object]) -> tuple[int, str]:
    """How the program ends, and what it says on standard error."""
    errors = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(errors),
    ):
        patch.setattr(sys, "argv", ["weft", *map(str, words)])
        patch.setattr(gc, "freeze", lambda: None)
        patch.setenv("XDG_STATE_HOME", tempfile.gettempdir())
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0), errors.getvalue()
    return 0, errors.getvalue()
