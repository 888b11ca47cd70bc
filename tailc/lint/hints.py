"""Complete hints of findings that name options which `lint-trace` itself does not have."""

from __future__ import annotations

import re
from dataclasses import replace

from tailc.errors import Finding

# Of the options that hints of readers name.
_OF_LINT = frozenset(
    {"--column", "--time", "--unit", "--weight", "--measure", "--service", "--tag", "--metric"}
    | {"--label"}
)
_OPTION = re.compile(r"`(--[a-z-]+)")


def with_command(finding: Finding, command: str) -> Finding:
    """Add the name of a command to a finding whose hint names options of this command."""
    if finding.help is None or set(_OPTION.findall(finding.help)) <= _OF_LINT:
        return finding
    return replace(finding, help=f"{finding.help} (options of `{command}`)")
