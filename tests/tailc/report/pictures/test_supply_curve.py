"""The supply curve of a server: its corners, its knee, and the power of a further unit."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tailc.report.pictures.supply_curve import supply_figures
from tailc.studies.colocation_sizing import SupplyPoint
from tests.tailc.report.pictures.drawings import SVG, heights, line_points, root_of, texts

CORNERS = tuple(SupplyPoint(work, power, 1, None) for work, power in ((0, 10), (0.5, 14), (1, 30)))


def sized(corners=CORNERS, knee=1):
    return SimpleNamespace(
        corners=corners, knee=knee, efficient=corners[-1], dedicated=SimpleNamespace(power_w=20.0)
    )


def test_the_curve_goes_through_its_corners():
    power, marginal = supply_figures(sized())
    (line,) = line_points(power, "t0")
    assert heights(power, [y for _, y in line]) == pytest.approx([10, 14, 30], abs=0.05)
    dots = [one[0].text for one in root_of(power).iter(f"{SVG}circle") if len(one)]
    assert dots == [
        "0.000: 10.0 W", "0.500: 14.0 W", "1.000: 30.0 W",
        "most work per joule: 1.000 with 30.0 W",
    ]  # fmt: skip
    (steps,) = line_points(marginal, "t0")
    assert heights(marginal, [y for _, y in steps]) == pytest.approx([8, 8, 32, 32], abs=0.05)
    assert texts(marginal, "said") == ["knee", "a dedicated server"]
    assert texts(power, "said") == ["knee"]


def test_a_server_without_batch_work_has_no_further_unit():
    power, marginal = supply_figures(sized(CORNERS[:1], 0))
    assert line_points(marginal, "t0") == []
    assert texts(marginal, "legend") == []
    assert texts(power, "legend") == ["least power", "most work per joule"]
