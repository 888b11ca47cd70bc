"""The command `tailc explain`: explain a finding code and its remedy."""

from __future__ import annotations

import click

from tailc.cli.outcome import CommandOutcome, command_with_outcome


@click.command("explain", short_help="Explain the code of a finding.")
@click.argument("code")
@command_with_outcome
def command(code: str) -> CommandOutcome:
    """Explain what the finding CODE, such as TC0105, means and how to resolve it.

    CODE can also be the name of a finding of `tailc lint-trace`, such as coarse-clock. The same
    texts are in docs/errors.md and docs/lint-trace.md.
    """
    import textwrap
    from difflib import get_close_matches

    from tailc.errors import Code
    from tailc.report.explanations import explanation, find_rule, heading, severity_of

    rule = find_rule(code)
    if rule is None:
        close = get_close_matches(code.upper(), [names.ident for names in Code], n=1)
        hint = f"did you mean `{close[0]}`?" if close else "a code is such as `TC0105`"
        raise click.UsageError(f"there is no code `{code}`; {hint}")
    result: dict[str, object] = {
        "code": rule.ident,
        "severity": severity_of(rule).value,
        "exit_code": int(rule.exit_code),
        "title": rule.title,
        "explanation": explanation(rule),
    }
    return CommandOutcome(
        text=f"{heading(rule)}\n\n{textwrap.fill(explanation(rule))}", result=result
    )
