"""The command `tailc embed`: convert a policy to a source file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome
from tailc.cli.trust_option import trusts

if TYPE_CHECKING:
    from tailc.artifact.trust import Trust


@click.command("embed", short_help="Convert a policy to source code.")
@click.argument("artifact")
@click.option(
    "--lang", required=True, metavar="LANGUAGE", help="Language: c, cpp, java, go, rust or bpf."
)
@click.option("-o", "--output", required=True, metavar="FILE", help="Write this source file.")
@click.option(
    "--name",
    metavar="NAME",
    help="Prefix in C and bpf, namespace in C++, class in Java, or package in Go. Default: from "
    "the name of the policy, in Java from FILE.",
)
@click.option(
    "--sealed",
    is_flag=True,
    help="Write a copy of the .tailc file for the runtime of the language, for ladders as well.",
)
@trusts
@command_with_outcome
def command(
    artifact: str, trust: Trust, *, lang: str, output: str, name: str | None, sealed: bool
) -> CommandOutcome:
    """Convert ARTIFACT to a source file, for programs that cannot load files.

    A ladder (table by load and age) becomes constants and a look-up function, and needs no
    runtime. A policy of another form becomes its sealed bytes, a copy of the .tailc file, which
    the runtime of the language opens. C and bpf (C for programs in the Linux kernel) take only
    ladders. An existing FILE is replaced only if this command wrote it.
    """
    from tailc.artifact.files import read_whole
    from tailc.embed.languages import find_language
    from tailc.embed.source import build_content, format_source
    from tailc.embed.writing import write_source

    if output == "-":
        raise click.UsageError("`-` names no file: give -o a source file, such as policy.h")
    language = find_language(lang)
    policy, digest, whole = read_whole(artifact, trust)
    what = build_content(policy, digest, whole, is_sealed=sealed)
    text, called = format_source(what, language, Path(output), name)
    write_source(Path(output), text)
    content_text = (
        "its sealed bytes" if isinstance(what.content, bytes) else "ladders and their look-up"
    )
    return CommandOutcome(
        text=f"wrote {output}: {content_text}, as `{called}`",
        result={"digest": digest, "sealed": what.content is whole, "name": called, "file": output},
        is_answer=False,
    )
