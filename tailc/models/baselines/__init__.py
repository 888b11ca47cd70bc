"""What a policy is compared with: one short file each, chosen by form.

`baseline` makes one of a name; `default_names` are those that suit a policy, and `chosen_names`
those that are asked for.
"""

from tailc.models.baselines.choice import baseline, check_name, chosen_names, default_names
from tailc.models.baselines.search import Search, Tried

__all__ = ["Search", "Tried", "baseline", "check_name", "chosen_names", "default_names"]
