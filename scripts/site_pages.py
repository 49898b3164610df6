"""Pages of the documentation's site that are made of what is there: mkdocs calls `on_files`.

The README and its neighbours; the commands and the record's lines, from the source; the notebook;
and the gallery, whose reports are made of real records.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from mkdocs.structure.files import File

from weft.cli.main import app
from weft.cli.manual import commands_of, words_of
from weft.record.schema import schema_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Pages beside docs/, by their place on the site.
BESIDE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
_LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
# A check ends with these where it fails or cannot tell.
ENDS = (0, 1, 3)
# Each command of the gallery. The suite of a paper takes the longest.
DEADLINE_S = 300


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages that are not files of docs/."""
    for uri, text in pages():
        files.append(File.generated(config, uri, content=text))
    folder = ROOT / "build" / "gallery"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS / "records", folder)
    for one in reports():
        made = gallery_page(folder, one)
        files.append(File.generated(config, f"gallery/{one['page']}", abs_src_path=str(made)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to pages beside docs/ and to files of the source, as the site has them."""
    return with_links(markdown, page.file.src_uri)


def pages() -> Iterator[tuple[str, str]]:
    """Every page that is made, with its place."""
    for source, uri in BESIDE.items():
        yield uri, (ROOT / source).read_text().replace("](docs/", "](").replace("](LICENSE)", "]")
    yield "reference/commands.md", commands()
    yield "reference/record.md", record()
    yield "gallery/index.md", gallery()
    yield "notebooks/first-look.md", notebook(DOCS / "notebooks" / "first-look.ipynb")


def with_links(text: str, uri: str) -> str:
    """A page whose links go to pages of the site; what is only in the source is no link."""
    up = "../" * uri.count("/")

    def led(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if "://" in target or not target:
            return match[0]
        name = target.rpartition("/")[2]
        if name in BESIDE and target.startswith(".."):
            return f"]({up}{BESIDE[name]}{anchor})"
        if uri in BESIDE.values() and name in BESIDE:
            return f"]({BESIDE[name]}{anchor})"
        if name.endswith(".ipynb"):
            return f"]({target.removesuffix('.ipynb')}.md)"
        folder = DOCS / Path(uri).parent
        if (folder / target).exists() and name.endswith((".md", ".webp", ".svg")):
            return match[0]
        on_site = name.endswith((".html", ".md")) and not (folder / target).exists()
        return match[0] if on_site and "src/" not in target else "]"

    return _LINK.sub(led, text)


def commands() -> str:
    """Every command with its options, as its own help has them."""
    top: Any = typer.main.get_command(app)
    lines = ["# Commands", "", "Made of the program itself: `weft COMMAND --help` says the same."]
    for name, command in sorted(commands_of(top)):
        lines += [
            "",
            f"## weft {name}",
            "",
            str(command.help),
            "",
            "| Word | What it does |",
            "|---|---|",
        ]
        for param in command.params:
            does = str(param.help or "").replace("|", "\\|")
            lines.append(f"| `{words_of(param)}` | {does} |")
        if command.epilog:
            lines += ["", "```text", command.epilog, "```"]
    return "\n".join(lines) + "\n"


def record() -> str:
    """The lines of a record, from its schema."""
    lines = [
        "# The record",
        "",
        "One JSON object a line; `schemas/record-1.schema.json` is its schema.",
    ]
    for name, known in sorted(json.loads(schema_text())["$defs"].items()):
        lines += ["", f"## {name}", "", known.get("description", "").replace("\n    ", "\n")]
        fields = known.get("properties", {})
        if fields:
            required = set(known.get("required", ()))
            lines += ["", "| Field | Type | |", "|---|---|---|"]
            lines += [
                f"| `{field}` | {type_of(kind)} | {'' if field in required else 'may be missing'} |"
                for field, kind in fields.items()
            ]
    return "\n".join(lines) + "\n"


def type_of(kind: dict[str, Any]) -> str:
    """A field's type in few words."""
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in kind:
        return " or ".join(map(type_of, kind["anyOf"]))
    if "enum" in kind:
        return ", ".join(f"`{one}`" for one in kind["enum"])
    inner = kind.get("items") or kind.get("additionalProperties")
    name = str(kind.get("type", "any"))
    return f"{name} of {type_of(inner)}" if isinstance(inner, dict) and inner else name


def notebook(path: Path) -> str:
    """A notebook as a page, with what its cells gave."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for given in cell.get("outputs", ()):
            data = given.get("data", {})
            if picture := data.get("image/svg+xml"):
                drawing = "".join(picture)
                parts.append(f"<div>{drawing[drawing.index('<svg') :]}</div>")
            else:
                shown = "".join(given.get("text") or data["text/plain"])
                parts.append(f"```text\n{shown}\n```")
    return "\n\n".join(parts) + "\n"


def reports() -> list[dict[str, Any]]:
    """Every report of the gallery, as its list has it."""
    found: list[dict[str, Any]] = tomllib.loads((DOCS / "gallery.toml").read_text())["report"]
    return found


def gallery() -> str:
    """The list of reports, each with its picture and the commands that wrote it."""
    lines = [
        "# Gallery", "",
        (
            "Each page was written by the commands above it when this site was made, in a folder"
            " with the records of `docs/records`. These are of one virtual machine with other work"
            " on it: they show what a report looks like, not what a network can do."
        ),
    ]  # fmt: skip
    for one in reports():
        picture = f"../images/{Path(one['page']).stem}.webp"
        lines += ["", f"## {one['title']}", "", *(f"    {typed}" for typed in one["commands"])]
        lines += ["", f"[![{one['title']}]({picture})]({one['page']})"]
        lines += ["", f"[Open the page]({one['page']})"]
    return "\n".join(lines) + "\n"


def gallery_page(folder: Path, report: dict[str, Any]) -> Path:
    """A report, made by weft in a folder that has the records. Raises CalledProcessError."""
    weft = str(Path(sys.executable).with_name("weft"))
    for typed in report["commands"]:
        done = subprocess.run(
            [weft, *shlex.split(typed)[1:]], cwd=folder, check=False, timeout=DEADLINE_S,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        if done.returncode not in ENDS:
            done.check_returncode()
    made: Path = folder / report["page"]
    if not made.exists():
        [made] = made.with_suffix("").glob("*.html")
    return made


if __name__ == "__main__":
    sys.stdout.writelines(f"{uri}\n" for uri, _ in pages())
