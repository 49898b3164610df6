"""Rules about words: the field's own terms (docs/glossary.md), and none that are archaic."""

import re
from collections.abc import Iterator

from style.tree import Finding, Tree

# Put together here so that this file passes its own rules. What a reader stumbled over, and the
# field's term for it.
_COUNTED = r"G|one|rows?|lines?|files?|sentences?|bytes|price|seconds|number"
_COUNTED_BY = (
    r"byte|peer|second|launch|protocol|size|side|rank|row|file|batch|case|packet|port|test"
    r"|transport|figure|node|host|record|sample"
)
BANNED = (
    (r"men" + r"d(s|ed|ing)?", "fix"),
    (r"fore" + r"t(ell|ells|old|elling)", "predict"),
    (r"(?<!receives )to" + r"ld", "reported, known or distinguished"),
    (r"half" + r" width", "half-width"),
    (r"wanted" + r" half", "target half-width"),
    (r"longest" + r" wait", "timeout"),
    (r"(can)?not be " + r"told", "not significant"),
    (r"kno(ws|w) " + r"nothing of", "does not show or include"),
    (r"what is not its " + r"protocol", "a line that is not of its protocol"),
    (r"has no " + r"end", "incomplete"),
    (r"not asked " + r"for", "not selected"),
    (r"left " + r"out", "skipped or omitted"),
    (r"left to " + r"(it|work)", "chosen by it, or CPU availability"),
    (r"(?<=; )usual" + r":", "default:"),
    (r"dear" + r"(er|est)", "slower or more expensive"),
    (r"wit" + r"ness(es)?", "observation"),
    (r"as it " + r"goes", "per message"),
    (r"time " + r"a peer", "time per peer"),
    (r"half of the " + r"sizes", "median error"),
    (
        rf"({_COUNTED}) an? ({_COUNTED_BY})",
        "per",
    ),
)
_BANNED = tuple(
    (re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE), term) for words, term in BANNED
)
FOLDERS = ("src", "engine", "docs", "scripts", "README.md", "CONTRIBUTING.md")


def banned_words(tree: Tree) -> Iterator[Finding]:
    """Sentences are in the words of the field: docs/glossary.md has them."""
    for source in tree.sources:
        if not any(source.is_under(folder) for folder in FOLDERS):
            continue
        for pattern, term in _BANNED:
            for match in pattern.finditer(source.text):
                number = source.text.count("\n", 0, match.start()) + 1
                yield source.at(number, f"'{match[0]}': {term}")
