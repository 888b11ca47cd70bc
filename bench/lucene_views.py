"""The columns of the Lucene tables: tables of FM, on cores that threads hold or give back."""

from __future__ import annotations

from dataclasses import replace

from bench import published_server
from bench.study import Study, published_policy, study_of, with_target
from bench.timing import ROOT
from bench.views import View, given_back
from tailc.forms.ladder.table import Ladder
from tailc.models.shared_cores.baselines.without_boosting import without_boosting
from tailc.models.shared_cores.model import SharedCores

SPEC = ROOT / "examples" / "lucene-fm" / "service.yaml"
# Where the published target, 24, had small differences.
TARGETS = (20, 22, 24, 26, 28)
# Too few for 15 cores, or just enough.
SMALL_TARGETS = (12, 14, 15, 16, 17, 18)


def views() -> tuple[View, ...]:
    held, lean = (_study(gives_back=gives_back) for gives_back in (False, True))
    return (
        View("ours", held, "fm"),
        View("no boosting", held, "no-boost"),
        View("published table", held, "published table"),
        View("target 18", held, "target 18"),
        View("cores given back", lean, "fm"),
        View("both", lean, "published table"),
    )


def _study(*, gives_back: bool) -> Study:
    """The fitted workload, with the published table and other targets as more policies."""

    def here(ladder: Ladder) -> Ladder:
        return given_back(ladder) if gives_back else ladder

    policy = published_policy(str(SPEC))
    policy = replace(policy, forms=(here(policy.forms[0]),))
    study = study_of(SPEC, policy, repetitions=40, requests=20_000, searched_rps=40)
    _add(study, "published table", here(published_server.policy().forms[0]))
    for target in (*SMALL_TARGETS, *TARGETS):
        ladder = here(with_target(SPEC, target).forms[0])
        _add(study, f"target {target}", ladder)
        study.add(f"target {target}, without exits", SharedCores("", (_without_exits(ladder),)))
    return study


def _add(study: Study, name: str, ladder: Ladder) -> None:
    subject = SharedCores("", (ladder,))
    study.add(name, subject)
    study.add(f"{name}, no boosting", without_boosting(subject))


def _without_exits(ladder: Ladder) -> Ladder:
    """The last row that was searched, for all larger loads too."""
    *rows, last, _on_exit = ladder.rows
    return replace(ladder, rows=(*rows, replace(last, last_load=None)))
