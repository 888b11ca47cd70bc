"""The wheel holds the two packages, and nothing that would clash with another's."""

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_wheel_installs_tailc_and_its_solvers_only(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    folders = {name.split("/")[0] for name in names}
    assert {f for f in folders if not f.endswith(".dist-info")} == {"tailc", "tailc_solvers"}
    assert "tailc/artifact/_generated/policy_generated.py" in names
    assert "tailc/report/page/templates/page.html" in names
