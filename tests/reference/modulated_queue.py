"""One server with exponential demand under a Poisson process of two rates: MMPP/M/1.

A quasi-birth-death process, solved by its matrix R (Neuts, Matrix-Geometric Solutions in Stochastic
Models, 1981): with n requests in the system the probabilities of the two states are pi_0 R^n.
"""

import numpy as np


def mean_in_system(rates, leaving, service):
    """`leaving[i]` is the rate of switching away from state i."""
    up, down = np.diag(rates), service * np.eye(2)
    switching = np.array([[-leaving[0], leaving[0]], [leaving[1], -leaving[1]]])
    within = switching - up - down
    ratio = np.zeros((2, 2))
    for _ in range(100_000):
        better = -(up + ratio @ ratio @ down) @ np.linalg.inv(within)
        if np.abs(better - ratio).max() < 1e-14:
            break
        ratio = better
    # Nobody in the system: pi_0 (switching - up + R down) = 0, and all probabilities add up to 1
    rest = np.linalg.inv(np.eye(2) - ratio)
    balance = np.column_stack([(switching - up + ratio @ down)[:, 0], rest.sum(axis=1)])
    empty = np.linalg.solve(balance.T, [0.0, 1.0])
    return float((empty @ ratio @ rest @ rest).sum())
