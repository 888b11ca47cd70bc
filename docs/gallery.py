"""Draw the pictures of gallery.md anew: `python docs/gallery.py [FOLDER]`.

The page has the commands. The picture below a command is the file that the command writes, or a
picture of the page that it writes, with the name from that page. FOLDER is by default the folder
`gallery` next to this file; the tests write into another one.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from tailc.cli import run
from tailc.report.pictures.figure import Figure, Picture
from tailc.report.pictures.picture_file import picture_svg

HERE = Path(__file__).resolve().parent

# What the commands find around them.
_AROUND = ("docs", "examples")
_PART = re.compile(
    r"^\$ tailc (?P<command>.+)$|\]\(gallery/(?P<name>[a-z0-9-]+)\.svg\)", re.MULTILINE
)
_FIGURE = r'<figure id="figure-{}">\s*<h3>(.*?)</h3>.*?(<svg [^>]*? height="([0-9.]+)".*?</svg>)'


def main(folder: Path) -> None:
    """Write every picture of the page into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures((HERE / "gallery.md").read_text(encoding="utf-8")):
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")


def pictures(text: str) -> Iterator[tuple[str, str]]:
    """The name of each picture that a page shows, and the picture. Raises ValueError where a
    command fails, or writes no such picture.
    """
    page = ""
    for part in _PART.finditer(text):
        if part["command"]:
            page = written(shlex.split(part["command"]))
        elif page.startswith("<svg"):
            yield part["name"], page
        else:
            yield part["name"], alone(part["name"], page)


def written(arguments: list[str]) -> str:
    """The page or the picture that a command writes, run where it finds what it reads."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for name in _AROUND:
            Path(name).symlink_to(HERE.parent / name)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(arguments)
        pages = list(Path("build").glob("*.*"))
        if len(pages) != 1:
            message = (
                f"`tailc {shlex.join(arguments)}` ended with {code} and no page:\n{said.getvalue()}"
            )
            raise ValueError(message)
        return pages[0].read_text(encoding="utf-8")


def alone(name: str, page: str) -> str:
    """A picture out of a page, as a command writes it to a file of its own."""
    found = re.search(_FIGURE.format(name), page, re.DOTALL)
    if found is None:
        raise ValueError(f"there is no picture `{name}` on the page of the command above it")
    title, svg = Markup(found[1]), Markup(found[2])
    return picture_svg([Figure(name, title, "", (), Picture(svg, float(found[3])))])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "gallery")
