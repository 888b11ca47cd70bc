"""What a policy is compared with: one short file each, chosen by form.

`baseline` makes one of a name; `default_names` are those that suit a policy.
"""

from tailc.replay.baselines.choice import baseline, check_name, default_names
from tailc.replay.baselines.search import Search, Tried

__all__ = ["Search", "Tried", "baseline", "check_name", "default_names"]
