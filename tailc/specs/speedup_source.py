"""Source of the speed-ups of requests: one curve, one per class, or columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, model_validator

from tailc.errors import Code
from tailc.specs.fields import Complaint, RefusalError, SpecModel, SpeedupPpm, Text
from tailc.specs.one_of import ExactlyOne, Stray
from tailc.units import shorten


class ClassCurvesSpec(SpecModel):
    """Speed-up curves by class of requests."""

    column: Text = Field(examples=["query_type"], description="Column with the class.")
    curves: dict[str, Annotated[tuple[SpeedupPpm, ...], Field(min_length=1)]] = Field(
        description="Class to curve; two or more, equally long."
    )

    @model_validator(mode="after")
    def _check_lengths(self) -> ClassCurvesSpec:
        if len(self.curves) < 2:
            message = "needs two or more classes"
            hint = "write one curve for all requests as `speedup: [1, 1.9, 2.7]`"
            raise RefusalError(Complaint(Code.BAD_VALUE, message, hint, ("curves",)))
        first, *others = self.curves
        wanted = len(self.curves[first])
        complaints = [
            Complaint(
                Code.CONFLICT,
                f"has {len(self.curves[name])} degrees, but `{shorten(first)}` has {wanted}",
                "give every class the same number of degrees",
                ("curves", name),
                ("curves", first),
            )
            for name in others
            if len(self.curves[name]) != wanted
        ]
        if complaints:
            raise RefusalError(*complaints)
        return self

    def at_degrees(self, positions: Sequence[int]) -> ClassCurvesSpec:
        """Select the speed-ups of all classes at some degrees (numbers of threads)."""
        curves = {name: tuple(curve[p] for p in positions) for name, curve in self.curves.items()}
        return self.model_copy(update={"curves": curves})


class OneCurve(SpecModel):
    """One speed-up curve for all requests."""

    name: Text | None = Field(default=None, description="Source of the curve.")
    curve: Annotated[tuple[SpeedupPpm, ...], Field(min_length=1)] = Field(
        description="Speed-up at degree 1, 2, ..."
    )

    @property
    def degrees(self) -> int:
        """The largest number of threads (degree) with a speed-up."""
        return len(self.curve)

    @property
    def shared_curve(self) -> tuple[int, ...]:
        """The speed-up curve of all requests, from one thread up [1e-6]."""
        return self.curve

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes of requests: none, because all requests have one curve."""
        return ()

    def at_degrees(self, positions: Sequence[int]) -> OneCurve:
        """Select the speed-ups at some degrees of parallelism."""
        return self.model_copy(update={"curve": tuple(self.curve[p] for p in positions)})


class CurvesByClass(SpecModel):
    """A speed-up curve for each class of requests."""

    classes: ClassCurvesSpec = Field(description="A curve for each class.")

    @property
    def degrees(self) -> int:
        """The largest number of threads (degree) with a speed-up."""
        return len(next(iter(self.classes.curves.values())))

    @property
    def shared_curve(self) -> tuple[int, ...]:
        """The common speed-up curve: empty, because classes of requests have different curves."""
        return ()

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes of requests, sorted."""
        return tuple(sorted(self.classes.curves))

    def at_degrees(self, positions: Sequence[int]) -> CurvesByClass:
        """Select the speed-ups at some degrees of parallelism."""
        return self.model_copy(update={"classes": self.classes.at_degrees(positions)})


class SpeedupColumnsSpec(SpecModel):
    """Columns of the trace with speed-ups of each request, one per degree."""

    columns: Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        description="Columns with each request's own speed-up at degree 1, 2, ..."
    )

    @property
    def degrees(self) -> int:
        """The largest number of threads (degree) with a speed-up."""
        return len(self.columns)

    @property
    def shared_curve(self) -> tuple[int, ...]:
        """The common speed-up curve: empty, because each request has its own curve."""
        return ()

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of the classes of requests: none, because each request has its own speed-ups."""
        return ()

    def at_degrees(self, positions: Sequence[int]) -> SpeedupColumnsSpec:
        """Select the columns with the speed-ups at some degrees of parallelism."""
        return self.model_copy(update={"columns": tuple(self.columns[p] for p in positions)})


ONE_SPEEDUP = ExactlyOne(
    both="and `speedup.{}` both define the speed-ups",
    missing=("has no speed-ups", "write `[1, 1.9, 2.7]`, or one of `curve`, `classes`, `columns`"),
    strays={"name": Stray("has no effect: the speed-ups come from `{}`")},
)
