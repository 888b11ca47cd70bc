"""What a policy is compared with: one short file each, chosen by form.

`baseline` makes one of a name; `default_names` are those that suit a policy.
"""

from tailc.replay.baselines.asked import asked
from tailc.replay.baselines.choice import baseline, default_names

__all__ = ["asked", "baseline", "default_names"]
