#!/usr/bin/env python3
"""Counts constructions that make English read like a translation, per 1,000 words.

Reads the documentation, README, CHANGELOG and CONTRIBUTING without their code, and fails if a
construction is more than twice as frequent as in the models: ReFrame, pyperf, hyperfine and
nanobench. It also prints the mean length of sentences, which has no limit.

    scripts/plain_english.py                # every construction and its rate
    scripts/plain_english.py --where beside # the lines that have one
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Construction(NamedTuple):
    """A construction, and how often the models have it, per 1,000 words."""

    name: str
    pattern: str
    of_models: float


# The models have 24,000 words; a rate of 0 counts as one in 10,000 words.
CONSTRUCTIONS = (
    Construction(
        "what as a noun", r"(?:^|[.,;:(] |\b(?:of|than|and|as|by|with|from) )what\b", 0.16
    ),
    Construction("where for if", r"(?:^|[.;] |, )where\b", 1.1),
    Construction("beside", r"\bbesides?\b", 0.1),
    Construction("hold for contain", r"\b(?:holds?|held)\b", 0.1),
    Construction("is named", r"\b(?:is|are|was|were) named\b", 0.1),
    Construction("stand for be", r"\b(?:stands?|stood)\b", 0.1),
    Construction("is said", r"\b(?:is|are) said\b|\bsays? so\b", 0.1),
    Construction("tell for distinguish", r"\btells? (?!you)\w+", 0.12),
    Construction("who of machines", r"\b(?:nobody|somebody|his)\b", 0.1),
    Construction("of at the start", r"(?:^|[.;] )of (?!course)", 0.1),
    Construction("is no", r"\b(?:is|are) no (?!longer|more)\w+", 0.16),
    Construction("in place of", r"\bin place of\b", 0.1),
    Construction("refuse", r"\brefuse[sd]?\b", 0.1),
    Construction("figure for number", r"\bfigures?\b", 0.3),
    Construction("that of", r"\b(?:that|those) of\b", 0.16),
    Construction("one as a pronoun", r"\b(?:the|each|every|another) one\b", 0.3),
    Construction("so many", r"\b(?:so|as) (?:many|much)(?! as)\b", 0.1),
)
# Not prose: code, output, tables, link targets and generated text.
NOT_WORDS = re.compile(
    r"(?s:```.*?```)|^ {4}.*$|^\|.*$|(?s:<!--.*?-->)|`[^`\n]*`|\]\([^)]*\)|https?://\S+", re.M
)


def pages() -> Iterator[Path]:
    """User pages. Decisions are history, and validation pages are generated."""
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if not {"decisions", "validation"} & set(path.parts):
            yield path


def paragraphs() -> Iterator[tuple[Path, str]]:
    """Each paragraph with its page."""
    for path in pages():
        text = NOT_WORDS.sub(" ", path.read_text())
        for part in re.split(r"\n\s*\n|\n(?=[-*#]|\d+\. )", text):
            if words := " ".join(part.strip(" #-*0123456789.").split()):
                yield path, words


def main() -> int:
    """Print the rates, or the places of one construction; 1 if one is too frequent."""
    found = list(paragraphs())
    if sys.argv[1:2] == ["--where"]:
        [wanted] = [one for one in CONSTRUCTIONS if sys.argv[2] in one.name]
        for path, words in found:
            for match in re.finditer(wanted.pattern, words, re.I):
                near = words[max(0, match.start() - 40) : match.end() + 40]
                sys.stdout.write(f"{path.relative_to(ROOT)}: {near}\n")
        return 0
    count = sum(len(words.split()) for _, words in found)
    sentences = sum(len(re.findall(r"[.!?](?:\s|$)", words)) or 1 for _, words in found)
    sys.stdout.write(f"{count} words, {count / sentences:.1f} words per sentence\n")
    too_often = 0
    for one in CONSTRUCTIONS:
        times = sum(len(re.findall(one.pattern, words, re.I)) for _, words in found)
        rate, most = 1000 * times / count, 2 * one.of_models
        too_often += rate > most
        mark = "TOO OFTEN " if rate > most else ""
        sys.stdout.write(f"{mark}{one.name}: {times}, {rate:.2f} per 1,000, at most {most:.2f}\n")
    return 1 if too_often else 0


if __name__ == "__main__":
    sys.exit(main())
