"""The part of `tailc lookup` for ladders: whether a request starts, and its rung."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tailc.cli.lookup_controller import ControllerOutput, controller_output
from tailc.cli.lookup_query import LadderQuery
from tailc.cli.outcome import CommandOutcome

if TYPE_CHECKING:
    from tailc.artifact.envelope import Policy
    from tailc.forms.ladder.lookup import LookupAnswer
    from tailc.forms.ladder.table import Climb, Ladder


def look_up(policy: Policy, query: LadderQuery) -> CommandOutcome:
    """Look up what the policy decides for a request of an age at a load.

    Includes the output of a controller, if the policy has one.
    """
    from tailc.forms.controller import scaled_ladder
    from tailc.forms.ladder.lookup import lookup

    waited, age = query.waited_us, query.age_us
    form = _form(policy, query.request_class)
    steered = controller_output(policy.controller, query.controller)
    has_steps = None if policy.controller is None else bool(query.controller.measured_us)
    load = _load(form.load_axis.value, query.in_system, query.controller.rate_mrps, has_steps)
    if steered is None:
        answer = _apply_sharing(lookup(form, load, waited, age), form, waited, age)
        return CommandOutcome(text=_sentence(answer, form), result=_result(answer, form))
    scaled = scaled_ladder(form, steered.output_ppm)
    answer, climbs = lookup(scaled, load, waited, age), _climbs(scaled, load)
    answer = _apply_sharing(answer, form, waited, age)
    return CommandOutcome(
        text=f"{_sentence(answer, form)}\n{_controller_text(steered, climbs, form)}",
        result=_result(answer, form) | {"controller": _steered_result(steered, climbs)},
    )


def _apply_sharing(
    answer: LookupAnswer, form: Ladder, waited_us: int, executed_us: int
) -> LookupAnswer:
    """Apply the sharing rule: a request that has given up runs on the first rung."""
    from tailc.forms.ladder.table import Rule

    age_us = executed_us + (waited_us if Rule.AGE_FROM_ARRIVAL in form.rules else 0)
    gave_up = form.sharing is not None and form.sharing.gives_up(age_us)
    return replace(answer, rung=0) if gave_up else answer


def _form(policy: Policy, request_class: str | None) -> Ladder:
    from tailc.units import printable

    try:
        return policy.form_for(request_class)
    except LookupError:
        classes = ", ".join(f"`{printable(form.request_class or '')}`" for form in policy.ladders)
        raise click.UsageError(
            f"this artifact has a table for each class: give `--class`, one of {classes}"
        ) from None


def _load(axis: str, in_system: int | None, rate: int | None, has_steps: bool | None) -> int:
    """The load of the look-up; `has_steps`: whether a controller takes a step at the rate."""
    options = [("--in-system", in_system), ("--rate", rate)]
    (needed, names), (foreign, odd) = options if axis == "in_system" else reversed(options)
    if names is None:
        raise click.UsageError(f"the rows of this artifact depend on {axis}: give {needed}")
    if odd is not None and not (has_steps and foreign == "--rate"):
        if has_steps is not None and foreign == "--rate":
            message = "`--rate` applies to a step of the controller: add `--measured`"
            raise click.UsageError(f"the rows of this artifact depend on {axis}; {message}")
        raise click.UsageError(
            f"the rows of this artifact depend on {axis}: {foreign} does not apply, so remove it"
        )
    return names


def _climbs(ladder: Ladder, load: int) -> tuple[Climb, ...]:
    """Climbs of the row for the load; outside a guard's range only the first, if the guard says
    so.
    """
    from tailc.forms.ladder.lookup import row_at
    from tailc.forms.ladder.table import Climb, Outside

    guard = ladder.guard
    if guard.outside is Outside.FIRST_RUNG and not guard.min_load <= load <= guard.max_load:
        return (Climb(0, 0),)
    return row_at(ladder, load).climbs


def _result(answer: LookupAnswer, form: Ladder) -> dict[str, object]:
    from tailc.forms.ladder.table import rules_beyond_rows

    rung = form.rungs[answer.rung]
    text: dict[str, object] = {
        "start": answer.start.value,
        "wait_us": answer.wait_us,
        "rung": answer.rung,
        "rung_name": rung.name,
        "speed_ppm": rung.speed_ppm,
    }
    rules = [rule.value for rule in rules_beyond_rows(form)]
    return text | ({"rules": rules} if rules else {})


def _steered_result(steered: ControllerOutput, climbs: tuple[Climb, ...]) -> dict[str, object]:
    return {
        **steered.result(),
        "climbs": [{"age_us": climb.age_us, "rung": climb.rung} for climb in climbs],
    }


def _sentence(answer: LookupAnswer, form: Ladder) -> str:
    from tailc.report.overload import overload_text
    from tailc.report.sharing import sharing_text, start_text
    from tailc.report.steering import special_rules_text
    from tailc.units import format_us, printable

    admission = {
        "now": "start at once",
        "wait": f"wait {format_us(answer.wait_us)} more, then start",
        "on-exit": "wait until a request exits",
    }[answer.start.value]
    if start := start_text(form):
        admission = f"start {start}, in order of arrival"
    rung = printable(form.rungs[answer.rung].name)
    core = "" if form.power is None else ", if it has a core"
    running = f"{rung}{core}{special_rules_text(form)}"
    lines = [f"not yet started: {admission}{core}", f"running: {running}"]
    return "\n".join([*lines, *filter(None, (sharing_text(form), overload_text(form)))])


def _controller_text(steered: ControllerOutput, climbs: tuple[Climb, ...], form: Ladder) -> str:
    from tailc.report.steering import climbs_text

    return f"controller: ages times {steered.text()}\nclimbs: {climbs_text(climbs, form)}"
