"""A draw of mutants by a seed: of src/weft, or of folders of the engine."""

from __future__ import annotations

import hashlib
import itertools
import random
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mutants import drawn, drawn_cpp
from mutants.drawn import Drawn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

ENGINE = "engine/"


def draw(
    root: Path, number: int, seed: int, under: Sequence[str] = (), kept: Path | None = None
) -> list[Drawn]:
    """So many mutants of src/weft, or of these folders: each as likely as any other.

    Folders are of src/weft, or of the engine where they begin with engine/. The mutants are in the
    order in which they were drawn, so that the first ones are a draw too. What the rules make of a
    file is kept in the folder `kept`.
    """
    texts = {str(path.relative_to(root)): path.read_text() for path in _files(root, under)}
    every = [one for name, text in texts.items() for one in _kept(kept, name, text)]
    random.Random(seed).shuffle(every)  # noqa: S311 - a draw, no secret
    good = (one for one in every if is_one(one, texts[one.path]))
    return list(itertools.islice(good, number))


def mutants_of(path: str, text: str) -> list[Drawn]:
    """Every change of a file; some can be no mutants, as `is_one` tells."""
    made: list[Drawn] = _maker(path).mutants_of(path, text)
    return made


def is_one(mutant: Drawn, text: str) -> bool:
    """Whether a change of this text makes another program, as far as its text tells."""
    return bool(_maker(mutant.path).is_one(mutant, text))


def _maker(path: str) -> ModuleType:
    return drawn if path.endswith(".py") else drawn_cpp


def _files(root: Path, under: Sequence[str]) -> Iterator[Path]:
    for path in sorted((root / "src" / "weft").rglob("*.py")):
        if not under or path.relative_to(root).parts[2].removesuffix(".py") in under:
            yield path
    for folder in under:
        if folder.startswith(ENGINE):
            found = (root / folder).rglob("*.[ch]pp")
            yield from sorted(found)


def _kept(folder: Path | None, name: str, text: str) -> list[Drawn]:
    """The mutants of a file, read where they were made before: the rules take their time."""
    if folder is None:
        return mutants_of(name, text)
    rules = "".join(Path(one.__file__).read_text() for one in (drawn, drawn_cpp) if one.__file__)
    own = hashlib.sha256(f"{name}\n{rules}\n{text}".encode()).hexdigest()
    path = folder / f"{own}.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=list[Drawn])
    made = mutants_of(name, text)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(made))
    return made
