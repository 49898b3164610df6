"""Rules about words: the field's own terms (docs/glossary.md), and none that are archaic."""

import ast
import re
from collections.abc import Iterator

from style.tree import Finding, Source, Tree

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
# For text in small letters: what begins with a letter of its own is found many times sooner than
# behind a look at the character before, which is done once there is something.
_BANNED = tuple((re.compile(rf"{words.lower()}(?!\w)"), term) for words, term in BANNED)
_IN_WORD = re.compile(r"\w")
FOLDERS = ("src", "engine", "docs", "scripts", "README.md", "CONTRIBUTING.md")


def banned_words(tree: Tree) -> Iterator[Finding]:
    """Sentences are in the words of the field: docs/glossary.md has them."""
    for source in tree.sources:
        if not any(source.is_under(folder) for folder in FOLDERS):
            continue
        text = source.text.lower()
        for pattern, term in _BANNED:
            for match in pattern.finditer(text):
                if not match.start() or not _IN_WORD.match(text, match.start() - 1):
                    number = text.count("\n", 0, match.start()) + 1
                    yield source.at(number, f"'{match[0]}': {term}")


# Names of modules and of public classes, the heads of tables, and the types of the engine.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_HEAD = re.compile(r"\bhead=\(([^()]*)\)")
_TEXT = re.compile(r'"([^"]*)"')
_TYPE = re.compile(r"^(?:struct|(?:enum )?class|concept) (\w+)\b(?! *;)", re.MULTILINE)
GLOSSARY = "docs/glossary.md"
PLAIN_WORDS = "tests/style/plain_words.txt"


def unknown_terms(tree: Tree) -> Iterator[Finding]:
    """A term stands in the glossary: each word of a name or of a table's head is there or plain.

    An invented term is in neither. A plain word that no name has is taken off the list.
    """
    glossary, plain = tree.find(GLOSSARY), tree.find(PLAIN_WORDS)
    known = set(map(_stem, re.findall(r"[a-z]+", glossary.text.lower()))) if glossary else set()
    listed = set(plain.text.split()) if plain else set()
    unused = set(listed)
    python = ((one, _names(one)) for one in tree.code(".py", under="src/weft"))
    engine = (
        (one, _names_of_engine(one))
        for one in tree.code(".hpp", ".cpp", under="engine")
        if not one.is_under("engine/tests")
    )
    for source, names in (*python, *engine):
        for number, name in names:
            for word in map(str.lower, _WORD.findall(name)):
                unused.discard(word)
                if len(word) > 1 and _stem(word) not in known and word not in listed:
                    yield source.at(number, f"'{word}' of {name}: {GLOSSARY} does not have it")
    for word in sorted(unused):
        yield Finding(PLAIN_WORDS, 0, f"no name has the word '{word}'")


def _names(source: Source) -> Iterator[tuple[int, str]]:
    """A module's own name, those of its public classes, and its tables' heads, with their lines."""
    yield 1, source.path.parent.name if source.path.stem == "__init__" else source.path.stem
    for node in source.module.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.lineno, node.name
    for match in _HEAD.finditer(source.text):
        for text in _TEXT.findall(match[1]):
            yield source.text.count("\n", 0, match.start()) + 1, text


def _names_of_engine(source: Source) -> Iterator[tuple[int, str]]:
    """A file's own name and those of the types that it defines, with their lines."""
    yield 1, source.path.stem
    for match in _TYPE.finditer(source.text):
        yield source.text.count("\n", 0, match.start()) + 1, match[1]


def _stem(word: str) -> str:
    """A word whether it is one or several: cases, case; topologies, topology."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
