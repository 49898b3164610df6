"""Rules about the text of files: shape, words, links, hosts."""

import re
from collections.abc import Iterator
from posixpath import normpath

from style.tree import Finding, Source, Tree

AMERICAN = {
    "behav" + "ior": "behaviour",
    "col" + "or": "colour",
    "cent" + "er": "centre",
    "neighb" + "or": "neighbour",
    "fav" + "or": "favour",
    "analy" + "ze": "analyse",
    "optimi" + "ze": "optimise",
    "optimi" + "zation": "optimisation",
    "initiali" + "ze": "initialise",
    "summari" + "ze": "summarise",
    "normali" + "ze": "normalise",
    "recogni" + "ze": "recognise",
    "organi" + "ze": "organise",
    "label" + "ed": "labelled",
    "model" + "ing": "modelling",
    "cancel" + "ed": "cancelled",
    "gr" + "ay": "grey",
    "fib" + "er": "fibre",
}
_AMERICAN_WORD = re.compile(
    r"(?<![\w.#$/=-])(" + "|".join(AMERICAN) + r")(s|d|ed|r|rs)?(?![\w(=/-]|\.\w)", re.IGNORECASE
)
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
# A path or a file's name in prose; not the end of a longer word, a pattern or an address.
_CITED = re.compile(r"(?<![\w/.*{<>$-])((?:[\w-]+/)*[\w-]+\.(?:py|md|hpp|cpp|j2|toml))\b(?![\w({])")
_OURS = (".py", ".md", ".hpp", ".cpp", ".j2")
_OUR_FOLDERS = (
    "src/",
    "engine/",
    "tests/",
    "docs/",
    "bench/",
    "scripts/",
    "packaging/",
    "schemas/",
)
# What a contributor's page says to write stands in code font, above the code.
_MADE = re.compile(r"`([\w/.-]+\.(?:py|hpp|cpp))`")
# It says what was, under the names that things had then.
_HISTORY = ("CHANGELOG.md",)
_CODE_BLOCK = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
# A literal that begins in somebody's folder: "/home/...", '/work/...'.
_OWN_FOLDER = re.compile(r"""["'(=]/(home|work|mnt|Users|scratch)/\w""")


def paths_of_one_machine(tree: Tree) -> Iterator[Finding]:
    """Nothing is looked for in a folder that other machines do not have."""
    for source in tree.sources:
        for number, line in enumerate(source.lines, 1):
            if _OWN_FOLDER.search(line):
                yield source.at(number, "a path outside the checkout that only some machine has")


def british_spelling(tree: Tree) -> Iterator[Finding]:
    """Prose and comments are spelt the British way; names in code follow their libraries."""
    for source in tree.sources:
        for line, prose in source.prose:
            for match in _AMERICAN_WORD.finditer(_CODE_BLOCK.sub(_blank, prose)):
                number = line + prose.count("\n", 0, match.start())
                wanted = AMERICAN[match[1].lower()]
                yield source.at(number, f"{match[0]}: {wanted} in prose")


def dead_links(tree: Tree) -> Iterator[Finding]:
    """A link between our own pages leads somewhere."""
    known = {str(source.path) for source in tree.sources}
    for source in tree.sources:
        if source.path.suffix != ".md":
            continue
        text = _CODE_BLOCK.sub(_blank, source.text)
        for match in _LINK.finditer(text):
            target = match[1]
            if "://" in target or target.startswith("mailto:"):
                continue
            path = normpath(str(source.path.parent / target))
            if path not in known and not (tree.root / path).exists():
                yield source.at(text.count("\n", 0, match.start()) + 1, f"no such page: {target}")


def cited_files(tree: Tree) -> Iterator[Finding]:
    """A page, docstring or comment names no file of ours that is not there.

    A path may begin at any folder. What a page shows how to write is there once its reader did so.
    """
    known: set[str] = set()
    for source in tree.sources:
        parts = source.path.parts
        known |= {"/".join(parts[at:]) for at in range(len(parts))}
    for source in tree.sources:
        if str(source.path) in _HISTORY:
            continue
        for line, prose in source.prose:
            for match in _CITED.finditer(prose):
                path = match[1]
                is_ours = path.endswith(_OURS) or path.startswith(_OUR_FOLDERS)
                if is_ours and path not in known and not _is_written_there(source, path):
                    number = line + prose.count("\n", 0, match.start())
                    yield source.at(number, f"there is no {path}")


def _is_written_there(source: Source, path: str) -> bool:
    """Whether a contributor's page has the reader make this file."""
    makes = source.path.name.startswith("add-a") and source.is_under("docs")
    return makes and any(
        path.endswith(one) or one.endswith(path) for one in _MADE.findall(source.text)
    )


def _blank(match: re.Match[str]) -> str:
    """The newlines of what is cut out, so that line numbers stay."""
    return " " + "\n" * match[0].count("\n")
