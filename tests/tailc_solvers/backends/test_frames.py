"""Frames read back as written, and nothing else is read as a frame."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tailc_solvers.backends.frames import (
    BASIS,
    PREFIX,
    GarbledFrameError,
    decoded_answer,
    decoded_question,
    encode_frame,
    encoded_answer,
    encoded_question,
)
from tailc_solvers.backends.linear import (
    BackendLimits,
    Basis,
    BasisStatus,
    Duals,
    LinearProgram,
    SolverAnswer,
    SolverOutcome,
    SolverPoint,
)
from tailc_solvers.course import SearchProgress

from tests.tailc_solvers.backends.answers import duals_of, point_of

HEAD = {"outcome": "optimal", "objective": None, "bound": None, "solver": "", "message": ""}


def test_a_question_reads_back():
    program = LinearProgram.build(
        [1.0, -2.0],
        [-math.inf, 0],
        [math.inf, 5],
        [(-math.inf, {0: 1.5, 1: 2.0}, 7.0)],
        integer=[True, False],
        offset=3.25,
    )
    limits = BackendLimits(1.5, 2**33, 10, 7)
    read, read_limits = decoded_question(encoded_question(program, limits))
    assert read_limits == limits
    assert read.offset == 3.25
    for name in ("cost", "lower", "upper", "integer", "row", "column", "value", "row_upper"):
        got, wanted = getattr(read, name), getattr(program, name)
        assert got.dtype == wanted.dtype
        assert got.tolist() == wanted.tolist()


def test_a_corner_reads_back_on_both_ways():
    corner = Basis(
        np.array([BasisStatus.BASIC, BasisStatus.AT_LOWER]), np.array([BasisStatus.AT_UPPER])
    )
    program = LinearProgram.build([1.0, 2.0], 0, 1, [(0, {0: 1.0}, 1)])
    asked, _ = decoded_question(encoded_question(replace(program, start=corner), BackendLimits()))
    told = decoded_answer(
        encoded_answer(SolverAnswer(SolverOutcome.OPTIMAL, duals=Duals(np.zeros(1), corner)))
    )
    assert told.duals is not None
    for read in (asked.start, told.duals.basis):
        assert read is not None
        assert read.variables.tolist() == [BasisStatus.BASIC, BasisStatus.AT_LOWER]
        assert read.rows.tolist() == [BasisStatus.AT_UPPER]
    half = encode_frame(HEAD, {"basis_variables": np.zeros(1)})
    with pytest.raises(GarbledFrameError):
        decoded_answer(half)


@pytest.mark.parametrize("objective", [1.5, math.inf, -math.inf])
@pytest.mark.parametrize("x", [np.array([]), np.array([1.0, math.nan])])
def test_an_answer_reads_back(objective, x):
    told = ("solver 1", "a sentence, in words: ü")
    answer = SolverAnswer(SolverOutcome.FEASIBLE, SolverPoint(x, objective), None, Duals(x), *told)
    read = decoded_answer(encoded_answer(answer))
    assert (read.outcome, read.bound) == (SolverOutcome.FEASIBLE, None)
    assert (read.solver, read.message) == told
    assert point_of(read).objective == objective
    assert np.array_equal(point_of(read).x, x, equal_nan=True)
    assert np.array_equal(duals_of(read).rows, x, equal_nan=True)


def test_an_answer_without_a_point_reads_back():
    read = decoded_answer(encoded_answer(SolverAnswer(SolverOutcome.LIMIT, message="none")))
    assert (read.point, read.duals, read.message) == (None, None, "none")


@pytest.mark.parametrize(
    ("objective", "arrays"),
    [
        (None, {"x": np.zeros(2)}),
        (1.5, {}),
        (None, {name: np.zeros(1, np.int64) for name in BASIS}),
    ],
)
def test_half_a_point_and_a_corner_without_multipliers_are_garbled(objective, arrays):
    with pytest.raises(GarbledFrameError, match="wrong head"):
        decoded_answer(encode_frame({**HEAD, "objective": objective}, arrays))


def test_a_course_reads_back():
    course = (SearchProgress(1, -math.inf, math.inf), SearchProgress(7, 2.5, 3.0))
    read = decoded_answer(encoded_answer(SolverAnswer(SolverOutcome.OPTIMAL, course=course)))
    assert read.course == course


@pytest.mark.parametrize("told", [[1.0, 2.0], [-1.0, 0.0, 0.0], [math.inf, 0, 0], [1, math.nan, 0]])
def test_what_is_no_course_is_garbled(told):
    with pytest.raises(GarbledFrameError, match="a course"):
        decoded_answer(encode_frame(HEAD, {"course": np.array(told, dtype=np.float64)}))


def test_no_flipped_byte_of_an_answer_raises_anything_else():
    frame = encoded_answer(
        SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.arange(3.0), 1.0), 1.0, None, "s", "m")
    )
    garbled = 0
    for at in range(len(frame)):
        for flip in (1, 0x80, 0xFF):
            try:
                decoded_answer(frame[:at] + bytes([frame[at] ^ flip]) + frame[at + 1 :])
            except GarbledFrameError:
                garbled += 1
    assert garbled > len(frame)


def test_no_part_of_an_answer_is_an_answer():
    frame = encoded_answer(SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.arange(3.0), 1.0)))
    for end in range(len(frame)):
        with pytest.raises(GarbledFrameError):
            decoded_answer(frame[:end])


def test_bytes_beyond_the_arrays_are_garbled():
    frame = encoded_answer(SolverAnswer(SolverOutcome.OPTIMAL, SolverPoint(np.arange(3.0), 1.0)))
    magic, length, head = PREFIX.unpack(frame[: PREFIX.size])
    longer = PREFIX.pack(magic, length + 8, head) + frame[PREFIX.size :] + bytes(8)
    with pytest.raises(GarbledFrameError, match="further bytes"):
        decoded_answer(longer)
