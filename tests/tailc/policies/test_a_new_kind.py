"""The kind that the documentation adds, added for real: a folder, and nothing else."""

import re
from pathlib import Path

from tailc import policies, read_artifact
from tailc.forms.ladder.table import ON_EXIT
from tests.tailc.toy import with_lines, write_toy

PAGE = Path(__file__).parents[3] / "docs/adding-a-policy-kind.md"
SPEC = with_lines(
    ("kind: few-to-many", "kind: one-thread"),
    ("server: {cores: 6, target_parallelism: 6, quantum: 5ms}\n", "cores: 6\n"),
    ("search: {method: grid, step: 50ms}\n", ""),
    ("speedup: [1, 1.5, 2]", "speedup: [1]"),
)


def test_a_folder_is_all_that_a_new_kind_needs(tmp_path, tailc, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    until_kind = next(at for at, block in enumerate(blocks) if "KIND = " in block)
    folder = tmp_path / "kinds/one_thread"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("\n".join(blocks[: until_kind + 1]))
    monkeypatch.setattr(policies, "__path__", [*policies.__path__, str(folder.parent)])
    spec = write_toy(tmp_path, SPEC)
    assert tailc("check", spec).code == 0
    assert tailc("compile", spec, "-o", tmp_path / "plain").code == 0
    assert "1 thread" in tailc("lookup", tmp_path / "plain", "--in-system", 9).out
    rows = read_artifact(tmp_path / "plain").forms[0].rows
    assert [row.admission == ON_EXIT for row in rows] == [False]
