"""The racks of a plan of rigid jobs."""

from dataclasses import replace

import pytest

from tailc.models.rigid_jobs.site import site_of
from tests.tailc.verify.plan.rigid_case import plan


def test_a_site_is_read_off_the_racks_of_a_plan():
    site = site_of(plan())
    assert (site.racks, site.rack_servers, site.busy_mw) == (2, 2, 1_000)
    odd = (plan().pools[0], replace(plan().pools[1], busy_mw=2_000))
    with pytest.raises(ValueError, match="same number of servers"):
        site_of(replace(plan(), pools=odd))
    untold = tuple(replace(pool, racks=None) for pool in plan().pools)
    with pytest.raises(ValueError, match="racks in every pool"):
        site_of(replace(plan(), pools=untold))
