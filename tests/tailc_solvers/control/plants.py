"""Plants and gains that tests share: loops that are stable, of every kind."""

from tailc_solvers.control.plant import Plant, SampledPlant, lag

SAMPLED = {
    "gain": (SampledPlant((0.5,)), (0.1, 0.9, 0.0)),
    "gain, late": (SampledPlant((0.5,), delay=5), (0.2, 0.2, 0.0)),
    "window": (SampledPlant((0.125,) * 4), (0.11, 0.49, 0.0)),
    "window, pid": (SampledPlant((0.125,) * 4), (0.8, 0.8, 0.4)),
    "window, falling": (SampledPlant((-0.25,) * 4), (-0.1, -0.2, 0.0)),
    "one pole": (SampledPlant((0.1,), (1.0, -0.9), 3), (1.6, 0.18, 0.0)),
    "one pole, pid": (SampledPlant((0.1,), (1.0, -0.9), 3), (2.0, 0.2, 0.9)),
    "two poles": (SampledPlant((0.1, 0.05), (1.0, -1.5, 0.54), 2), (0.2, 0.03, 0.1)),
    "slow": (SampledPlant((0.01,), (1.0, -0.99), 10), (3.0, 0.04, 0.0)),
    "integrating": (SampledPlant((0.1,), (1.0, -1.0), 2), (1.5, 0.05, 0.0)),
    "inverse": (SampledPlant((-0.05, 0.2), (1.0, -0.8), 1), (0.8, 0.2, 0.0)),
    "ringing": (SampledPlant((0.3, 0.2), (1.0, -0.9, 0.5), 1), (0.2, 0.15, 0.0)),
    "oscillating loop": (SampledPlant((0.5,)), (0.1, 3.0, 0.0)),
}

CONTINUOUS = {
    "first order, dead time": (lag(1.0, [1.0], 1.0), (0.5, 0.5, 0.0)),
    "lag dominant": (lag(2.0, [1.0], 0.02), (10.0, 40.0, 0.0)),
    "delay dominant": (lag(1.0, [0.1], 1.0), (0.2, 0.5, 0.0)),
    "pure dead time": (lag(0.5, [], 1.0), (0.2, 1.0, 0.0)),
    "first order": (lag(1.0, [1.0]), (2.0, 3.0, 0.0)),
    "second order": (lag(1.0, [1.0, 0.3]), (2.0, 2.0, 0.0)),
    "three lags": (lag(1.0, [1.0] * 3), (1.0, 0.4, 0.5)),
    "four lags": (lag(1.0, [1.0] * 4), (0.67, 0.26, 0.0)),
    "eight lags": (lag(-1.0, [1.0] * 8), (-0.36, -0.09, 0.0)),
    "falling lags": (lag(1.0, [1.0, 0.5, 0.25, 0.125]), (1.5, 1.2, 0.3)),
    "zero on the right": (Plant((-1.0, 1.0), (1.0, 3.0, 3.0, 1.0)), (0.4, 0.2, 0.0)),
    "integrating": (Plant((1.0,), (1.0, 1.0, 0.0), 0.5), (0.4, 0.02, 0.0)),
    "integrating, pid": (Plant((1.0,), (1.0, 1.0, 0.0), 0.5), (0.6, 0.06, 0.4)),
    "oscillating": (Plant((1.0,), (1.0, 0.4, 1.0), 0.2), (0.1, 0.15, 0.1)),
    "zero on the left": (Plant((3.0, 1.0), (2.0, 3.0, 1.0), 0.5), (0.3, 0.5, 0.0)),
}
