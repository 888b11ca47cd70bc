"""The option --report, and writing of the report page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tailc.cli.outcome import CommandOutcome
    from tailc.report.page.content import Page

_ENDINGS = (".html", ".htm")


class ReportFile(click.ParamType):
    """Option type: path of an HTML page.

    Other endings are refused, so that no policy is overwritten.
    """

    name = "file"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """Check the path; a usage error for another ending, or a folder."""
        path = Path(str(value))
        if path.suffix.lower() not in _ENDINGS or path.is_dir():
            from tailc.units import shorten

            reason = "is a folder" if path.is_dir() else "ends in neither `.html` nor `.htm`"
            self.fail(f"`{shorten(str(value))}` {reason}", param, ctx)
        return path


REPORT_FILE = ReportFile()

report = click.option(
    "--report", type=REPORT_FILE, metavar="FILE", help="Write an HTML report: FILE.html."
)


def with_report(outcome: CommandOutcome, path: Path, page: Page) -> CommandOutcome:
    """Write the report page and add its path to the outcome; replaces an old page atomically."""
    from tailc.atomic_files import replace_files
    from tailc.cli.own_files import words_in
    from tailc.report.page.html_file import page_bytes
    from tailc.units import printable

    replace_files([(path, page_bytes(page))])
    files = [*words_in(outcome.result.get("files")), str(path)]
    line = f"wrote {printable(str(path))}\n"
    text = outcome.text if not outcome.text or outcome.text.endswith("\n") else f"{outcome.text}\n"
    result = {**outcome.result, "files": files}
    return replace(outcome, text=text + line, result=result)
