"""The wheel holds the two packages and nothing that would clash with another's, and it suffices."""

import json
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"

# By example: arguments of `verify` and of `lookup`; other examples are only compiled.
QUICK = "--requests 100 --replicates 49 --baselines none"
OWN = f"--allow-compile-trace {QUICK}"
TABLE = "--in-system 3"
ASKED = {
    "autopro": ("heldout.csv --baselines none", ""),
    "bing-fm": (f"demand.parquet {OWN}", TABLE),
    "elfen": (f"demand.parquet {OWN}", "--rate 100/s"),
    "finance": (f"heldout.parquet {QUICK}", TABLE),
    "green-sla": ("campus.yaml --windows 1 --baselines none", "--at 2026-06-16T16:00Z"),
    "greenpar": ("service.yaml --windows 1 --baselines none", "--at 2012-07-05T06:00Z"),
    "joint": (f"../lucene-fm/demand.parquet {OWN}", TABLE),
    "lucene-as2f": (f"demand.parquet {OWN}", TABLE),
    "lucene-fm": (f"demand.parquet {OWN}", TABLE),
    "rubik": (f"heldout.parquet {QUICK}", "--held 1ms"),
    "search": (f"heldout.parquet {QUICK}", TABLE),
}
SPECS = {path.parent.name: path.name for path in EXAMPLES.glob("*/service.yaml")}
SPECS["green-sla"] = "campus.yaml"
# Those whose rows or boundaries are rates; of the others one rate is enough.
OF_RATES = ("elfen", "lucene-as2f")
RATES = re.compile(r"^rates: \[(.+?), (?:.+, )?(.+?)\]$", re.MULTILINE)

# What a plain install does not bring.
EXTRAS = ("cryptography", "distributed", "gurobipy", "opentelemetry.proto", "pvlib", "resvg_py")

RUN = """
import contextlib, importlib.util, io, json, sys
from tailc.cli import run
from tailc.cli.light_numba import make_numba_light
make_numba_light()
ended = []
for words in json.loads(sys.argv[1]):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(words)
    ended.append([words, code, said.getvalue()])
def is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
extras = [name for name in json.loads(sys.argv[2]) if is_there(name)]
print(json.dumps({"ended": ended, "extras": extras}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def modules(archive):
    return [name for name in archive.namelist() if ".dist-info/" not in name]


def test_the_wheel_installs_tailc_and_its_solvers_only(wheel):
    names = modules(wheel)
    assert {name.split("/")[0] for name in names} == {"tailc", "tailc_solvers"}
    assert "tailc/artifact/_generated/policy_generated.py" in names
    assert "tailc/report/page/templates/page.html" in names


def test_the_wheel_has_its_licence_and_its_types(wheel):
    assert "tailc/py.typed" in wheel.namelist()
    (licence,) = [name for name in wheel.namelist() if name.endswith("/LICENSE")]
    assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()


def test_the_wheel_s_files_are_those_of_the_tree(wheel):
    for name in modules(wheel):
        place = ROOT / "solvers" if name.startswith("tailc_solvers") else ROOT
        assert wheel.read(name) == (place / name).read_bytes(), name


def required(requirements):
    """The distributions that these requirements bring, without extras that nobody asks for."""
    from packaging.requirements import Requirement

    found, waiting = {}, [Requirement(line) for line in requirements]
    while waiting:
        one = waiting.pop()
        extras = one.extras or {""}
        if one.marker and not one.marker.evaluate({"extra": ""}):
            continue
        if one.name in found and extras == {""}:
            continue
        found[one.name] = metadata.distribution(one.name)
        for line in found[one.name].requires or ():
            own = Requirement(line)
            if own.marker is None or any(own.marker.evaluate({"extra": e}) for e in extras):
                waiting.append(Requirement(re.sub(";.*", "", line)))
    return found.values()


@pytest.fixture(scope="module")
def plain(wheel, tmp_path_factory):
    """The Python of an environment with the wheel and what it requires, and nothing else.

    The wheel's files are in the tree, as the test above shows, and are run from there: what has
    been compiled is kept beside them.
    """
    folder = tmp_path_factory.mktemp("plain")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (metadata_file,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
    wheel.extract(metadata_file, site)
    (site / "tailc.pth").write_text(f"{ROOT}\n{ROOT / 'solvers'}\n")
    lines = metadata.PathDistribution(site / Path(metadata_file).parent).requires
    assert lines is not None
    for distribution in required([line for line in lines if "extra ==" not in line]):
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return folder / "bin" / "python"


@pytest.fixture
def examples(tmp_path):
    """A copy with fewer rates: a compile replays what it writes at each."""
    folder = shutil.copytree(EXAMPLES, tmp_path / "examples")
    for name, spec in SPECS.items():
        kept = r"rates: [\1, \2]" if name in OF_RATES else r"rates: [\1]"
        text = (folder / name / spec).read_text()
        (folder / name / spec).write_text(RATES.sub(kept, text))
    return folder


def commands(example, spec):
    stem = str(example / "policy")
    yield ["compile", str(example / spec), "--allow-misses", "-o", stem, "-q"]
    if example.name not in ASKED:
        return
    held_out, asked = ASKED[example.name]
    trace, *words = held_out.split()
    yield ["verify", stem, "--trace", str(example / trace), *words]
    yield ["lookup", stem, *asked.split()]


def test_every_example_compiles_verifies_and_looks_up_in_a_plain_install(plain, examples, tmp_path):
    assert ASKED.keys() <= SPECS.keys()
    every = [words for name in SPECS for words in commands(examples / name, SPECS[name])]
    call = [plain, "-I", "-c", RUN, json.dumps(every), json.dumps(EXTRAS)]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["extras"] == []
    for words, code, said in told["ended"]:
        # So few replays may leave a verdict undecided.
        allowed = (0, 1, 4) if words[0] == "verify" else (0,)
        assert code in allowed, f"tailc {' '.join(words)}: {code}\n{said}"
