"""Mutants of C++: what universalmutator's rules make of a line's code, and is no word or type."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING

from mutants.drawn import Drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

RULES = ("cpp.rules", "c_like.rules", "universal.rules")
# What a compiler or the linker looks at, and the program does not compute.
_NO_CODE = re.compile(r"^\s*(#|//|/?\*|using |namespace |template|static_assert|friend |extern )")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
# Words for a person are held elsewhere: a text with a blank.
_WORDS = re.compile(r'"[^"\n]* [^"\n]*"')


def mutants_of(path: str, text: str) -> list[Drawn]:
    """Every change of a file; some the compiler refuses."""
    from universalmutator.mutator import mutants_regexp

    lines = text.splitlines(keepends=True)
    # It says on standard output which rules it takes.
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutants_regexp(list(lines), ruleFiles=list(RULES), ignorePatterns=[])
    found = [
        Drawn(path=path, line=number, old=lines[number - 1], new=new)
        for number, new, *_ in made
        if not _NO_CODE.match(lines[number - 1])
    ]
    return list(dict.fromkeys(found))


def is_one(mutant: Drawn, text: str) -> bool:
    """Whether more than comments, blanks and words are changed, as far as lines can tell."""
    return code_of(mutant.planted(text)) != code_of(text)


def code_of(text: str) -> Sequence[str]:
    """The text's pieces without comments and without what words say."""
    # Wherever two names touch they are one: a blank counts there alone.
    bare = _WORDS.sub('"words"', _COMMENT.sub(" ", text))
    return re.findall(r"\w+|[^\w\s]", bare)
