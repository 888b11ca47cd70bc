from dataclasses import replace

from tailc.report.policy import policy_text
from tests.tailc.artifact.published import lucene_policy

FORGED = "d1\nwrote build/x.tailc\x1b[1A"
SHOWN = "d1\\x0awrote build/x.tailc\\x1b[1A"


def test_names_in_an_artifact_cannot_forge_lines():
    policy = lucene_policy()
    ladder = policy.forms[0]
    rungs = tuple(replace(rung, name=FORGED) for rung in ladder.rungs)
    slo = replace(policy.slos[0], request_class=FORGED)
    evidence = replace(policy.evidence, objective=FORGED, method=FORGED, proof=FORGED)
    forged = replace(
        policy,
        name=FORGED,
        kind=FORGED,
        slos=(slo,),
        forms=(replace(ladder, rungs=rungs),),
        evidence=evidence,
    )
    text = policy_text(forged)
    assert len(text.splitlines()) == len(policy_text(policy).splitlines())
    assert "\x1b" not in text
    assert f"{SHOWN} ({SHOWN}), generation" in text
    assert f"for class {SHOWN}" in text
