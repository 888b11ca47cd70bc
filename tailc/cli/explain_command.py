"""tailc explain: what a code means, and what to do."""

from __future__ import annotations

import click

from tailc.cli.outcome import Outcome, reports


@click.command("explain", short_help="Explain the code of a finding.")
@click.argument("code")
@reports
def command(code: str) -> Outcome:
    """Explain what the finding CODE, such as TC0105, means and how to resolve it.

    CODE can also be the name of a finding of `tailc lint-trace`, such as coarse-clock. The same
    texts are in docs/errors.md and docs/lint-trace.md.
    """
    import textwrap
    from difflib import get_close_matches

    from tailc.errors import Code
    from tailc.report.explanations import explanation, find_rule, heading, severity_of

    found = find_rule(code)
    if found is None:
        close = get_close_matches(code.upper(), [known.ident for known in Code], n=1)
        hint = f"did you mean `{close[0]}`?" if close else "a code is such as `TC0105`"
        raise click.UsageError(f"no code `{code}`; {hint}")
    result: dict[str, object] = {
        "code": found.ident,
        "severity": severity_of(found).value,
        "exit_code": int(found.exit_code),
        "title": found.title,
        "explanation": explanation(found),
    }
    return Outcome(text=f"{heading(found)}\n\n{textwrap.fill(explanation(found))}", result=result)
