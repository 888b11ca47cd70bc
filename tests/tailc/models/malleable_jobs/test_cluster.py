"""The servers of a plan of malleable jobs."""

import pytest

from tailc.models.malleable_jobs.cluster import cluster_of
from tests.tailc.verify.plan.malleable_case import plan
from tests.tailc.verify.plan.rigid_case import plan as rigid_plan


def test_a_cluster_is_the_one_pool_of_a_plan_of_malleable_jobs():
    cluster = cluster_of(plan())
    assert (cluster.servers, cluster.busy_mw, cluster.epoch_s) == (4, 1_000, 900)
    with pytest.raises(ValueError, match="one pool"):
        cluster_of(rigid_plan())
