"""The worked example of Haque et al., ASPLOS 2015, figure 5, as files.

Two equally likely requests of 50 and 150 ms, speed-ups 1, 1.5 and 2, six threads to share out,
and a grid of 50 ms.
"""

from tests.tailc.texts import swapped

TRACE = "request,demand_ms\n1,50\n2,150\n"

SPEC = """\
apiVersion: tailc/v1
kind: few-to-many
name: toy
slo: [{percentile: 99%, latency: 200ms}]
demand:
  trace: toy.csv
  column: demand_ms
  unit: ms
  measure: demand-busy
  reference: one thread
speedup: [1, 1.5, 2]
server: {cores: 6, target_parallelism: 6, quantum: 5ms}
search: {method: grid, step: 50ms}
rates: [10/s]
"""


def write_toy(folder, spec=SPEC, trace=TRACE):
    """Write the trace and the spec into `folder`; return the spec's path as text."""
    (folder / "toy.csv").write_text(trace)
    path = folder / "toy.yaml"
    path.write_text(spec)
    return str(path)


def with_lines(*changes):
    """The spec with each (old, new) text replaced; every old text must be there once."""
    return swapped(SPEC, *changes)
