#!/usr/bin/env python3
"""Runs a notebook's cells in order, and writes what they give under them.

With --check nothing is written, and the status is 1 where the text under a cell is not what it
gives. The cells run in this Python and in the notebook's folder; of a cell's last line, if it is an
expression, the value is what the cell gives, and a matplotlib figure is a picture.
"""

import ast
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import polars as pl

WIDTH = 100


def run(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """What a cell gives: what it prints, then the value of its last line."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    said = io.StringIO()
    value = None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 # a notebook is a program
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    outputs: list[dict[str, Any]] = []
    if text := said.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(text)})
    if value is not None:
        outputs.append(
            {
                "output_type": "display_data",
                "metadata": {},
                "data": shown(value),
            }
        )
    return outputs


def shown(value: Any) -> dict[str, list[str]]:
    """A picture, or the value's own text."""
    if hasattr(value, "savefig"):
        picture = io.StringIO()
        with mpl.rc_context({"svg.hashsalt": "weft", "svg.fonttype": "path"}):
            value.savefig(picture, format="svg", metadata={"Date": None})
        return {"image/svg+xml": lines(picture.getvalue()), "text/plain": ["a figure"]}
    return {"text/plain": lines(repr(value))}


def lines(text: str) -> list[str]:
    """As notebooks keep a text."""
    return text.splitlines(keepends=True)


def texts(cells: list[dict[str, Any]]) -> list[Any]:
    """What stands under the cells in words: pictures differ with matplotlib's version."""
    return [
        [one.get("text") or one["data"]["text/plain"] for one in cell.get("outputs", ())]
        for cell in cells
    ]


def main(words: list[str]) -> int:
    """Run the notebook that is named."""
    path = Path(words[-1]).resolve()
    book = json.loads(path.read_text())
    names: dict[str, Any] = {"__name__": "__main__"}
    before = texts(book["cells"])
    os.chdir(path.parent)
    with pl.Config(tbl_width_chars=WIDTH, tbl_cols=8, tbl_rows=8):
        for number, cell in enumerate(
            [one for one in book["cells"] if one["cell_type"] == "code"], start=1
        ):
            cell["outputs"] = run("".join(cell["source"]), names)
            cell["execution_count"] = number
    if "--check" in words:
        for at, (was, now) in enumerate(zip(before, texts(book["cells"]), strict=True)):
            if was != now:
                print(f"cell {at} gives something else now:", *map("".join, now), sep="\n")
                return 1
        return 0
    path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
