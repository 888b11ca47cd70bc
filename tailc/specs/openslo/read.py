"""Convert OpenSLO documents to objectives of a spec, with warnings about the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from tailc.errors import Code, Finding, TailcError
from tailc.specs.document import read_documents
from tailc.specs.openslo.metrics import (
    fraction_below,
    is_latency,
    quantile,
    summary,
    threshold,
    unit_us,
)
from tailc.specs.openslo.part import DocumentPart
from tailc.specs.openslo.scale import scale
from tailc.units import (
    DURATION,
    PERCENT,
    Dimension,
    QuantityError,
    format_ppm,
    format_us,
    parse,
    shorten,
)

VERSION = "openslo/v1"
_BY_HAND = "give the limit by `--slo`, such as `--slo 'p99 <= 300ms'`"
# By what the version of their files begins with.
_OTHER_TOOLS = {
    "prometheus/v1": "Sloth",
    "sloth.slok.dev/": "Sloth",
    "pyrra.dev/": "Pyrra",
    "n9/": "Nobl9",
    "sre.google.com/": "slo-generator",
    "monitoring.googleapis.com/": "Google Cloud",
}
_US = {"ns": Decimal("0.001"), "us": Decimal(1), "ms": Decimal(1_000), "s": Decimal(1_000_000)}
_METHODS = ("Occurrences", "Timeslices", "RatioTimeslices")
_SHORTHAND = re.compile(r"([0-9]+)([smhdw]?)")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
# A time slice that is a bare number counts minutes.
_BARE = "m"
_TARGET = "such as `target: 0.99`"


@dataclass(frozen=True)
class ImportedObjective:
    """An SLO that was read from OpenSLO: percentile, latency and optional window.

    origin: where it comes from.
    """

    percentile: str
    latency: str
    window: str | None = None
    origin: str | None = None


@dataclass(frozen=True)
class ImportedObjectives:
    """The objectives in the order of the file, without duplicates, and warnings.

    The warnings are about parts that are not imported.
    """

    objectives: tuple[ImportedObjective, ...]
    warnings: tuple[Finding, ...]


def read_openslo(path: str, unit: str | None = None) -> ImportedObjectives:
    """Read the latency objectives of all SLOs in the file `path`.

    unit: of thresholds whose metric has no unit in its name: `ns`, `us`, `ms` or `s`. An SLO of
    another quantity is left out with a warning. Raises TailcError with a place for invalid
    documents, and if there is no objective of latency.
    """
    documents = [DocumentPart(document) for document in read_documents(path)]
    slos = [document for document in documents if _is(document, "SLO")]
    if not slos:
        raise _no_slo(documents[0])
    warnings: list[Finding] = []
    found = [one for slo in slos for one in _Slo(slo, documents, unit, warnings).objectives()]
    if not found:
        hint = (
            "a spec needs the share of requests below a latency; the warnings explain each "
            "objective"
        )
        message = "has no objective of latency"
        refusal = (slos[0] / "spec").error(message, hint)
        raise TailcError([*refusal.findings, *warnings])
    once = {(one.percentile, one.latency, one.window): one for one in reversed(found)}
    return ImportedObjectives(tuple(reversed(once.values())), tuple(warnings))


def _no_slo(document: DocumentPart) -> TailcError:
    """The error for a file without SLOs of OpenSLO, with the tool that it is for if it is known."""
    version = (document / "apiVersion").text() or (document / "version").text() or ""
    tool = next((tool for begin, tool in _OTHER_TOOLS.items() if version.startswith(begin)), None)
    message = "is not `SLO` in any document of this file"
    hint = f"give a file with a document of `apiVersion: {VERSION}` and `kind: SLO`, or {_BY_HAND}"
    return (document / "kind").error(f"{message}: it is for {tool}" if tool else message, hint)


def _is(document: DocumentPart, kind: str) -> bool:
    if (document / "kind").text() != kind:
        return False
    version = (document / "apiVersion").required_text(f"write `apiVersion: {VERSION}`")
    if version != VERSION:
        hint = f"convert the document to `{VERSION}`, the only version that is read, or {_BY_HAND}"
        raise (document / "apiVersion").error(f"is `{shorten(version)}`", hint)
    return True


@dataclass(frozen=True)
class _OwnShare:
    """The share of requests that a metric or its threshold states by itself, and its place."""

    at: DocumentPart
    share: Decimal


@dataclass(frozen=True)
class _Slo:
    """One SLO, the documents to which it may refer, and a list for warnings."""

    document: DocumentPart
    others: Sequence[DocumentPart]
    unit: str | None
    warnings: list[Finding]

    @property
    def _spec(self) -> DocumentPart:
        return self.document / "spec"

    def objectives(self) -> Iterator[ImportedObjective]:
        """The objectives of latency."""
        method = (self._spec / "budgetingMethod").required_text(
            "such as `budgetingMethod: Occurrences`"
        )
        if method not in _METHODS:
            hint = f"use one of {', '.join(f'`{name}`' for name in _METHODS)}"
            raise (self._spec / "budgetingMethod").error(f"is `{shorten(method)}`", hint)
        carried = [
            found
            for part in (self._spec / "objectives").items()
            if (found := self._objective(part, method)) is not None
        ]
        if carried:
            self._tell_rest()
        yield from carried

    def _tell_rest(self) -> None:
        """Warn about parts of an imported SLO that are not imported."""
        if window := self._spec / "timeWindow":
            (first, *_) = window.items()
            aligned = " by the calendar" if first / "calendar" else ""
            lasts = (first / "duration").required_text("such as `duration: 4w`")
            message = f"of {shorten(lasts)}{aligned} is not imported"
            hint = "an SLO of a spec counts all requests of a replay, or those of a `window`"
            self.warnings.append(window.not_imported(message, hint))
        if policies := self._spec / "alertPolicies":
            hint = "no change is needed: alerts stay in the tool that has them"
            self.warnings.append(policies.not_imported("are not imported", hint))

    def _objective(self, part: DocumentPart, method: str) -> ImportedObjective | None:
        """The objective; None, with a warning, if it is not of latency."""
        indicator = self._indicator(part)
        if metric := indicator / "thresholdMetric":
            found = self._by_value(part, metric)
        else:
            found = self._by_query(part, indicator)
        if found is None:
            return None
        latency, own = found
        if weight := part / "compositeWeight":
            hint = "tailc requires every objective, without weights"
            self.warnings.append(weight.not_imported("is not imported", hint))
        percentile, window = self._share(part, method, own)
        return ImportedObjective(percentile, latency, window, self._origin(part))

    def _origin(self, part: DocumentPart) -> str:
        name = (self.document / "metadata" / "name").text() or "without a name"
        return f"`{shorten(name)}`, line {part.line}"

    def _indicator(self, part: DocumentPart) -> DocumentPart:
        """The indicator of the objective or of the SLO, given in place or by name."""
        for owner in (part, self._spec):
            if inline := owner / "indicator":
                return inline / "spec"
            if reference := owner / "indicatorRef":
                return self._referred_part(reference)
        hint = "give an `indicator`, or `indicatorRef` with the name of an SLI in this file"
        raise (self._spec / "indicator").error("is missing", hint, Code.MISSING_KEY)

    def _referred_part(self, reference: DocumentPart) -> DocumentPart:
        wanted = reference.required_text("name an SLI")
        for other in self.others:
            if _is(other, "SLI") and (other / "metadata" / "name").text() == wanted:
                return other / "spec"
        message = f"is `{shorten(wanted)}`, but no SLI of this file has that name"
        raise reference.error(message, "add the document of the SLI to this file")

    def _by_value(
        self, part: DocumentPart, metric: DocumentPart
    ) -> tuple[str, _OwnShare | None] | None:
        """Latency limit of a metric that is a latency."""
        op = (part / "op").required_text("such as `op: lte`")
        if op in ("gt", "gte"):
            if (found := self._by_fraction(part, metric)) is not None:
                return found
            hint = "an objective of latency needs use `lte` or `lt`; this SLO is left out"
            message = (
                f"is `{op}`, so a larger value is better, and this is not an objective of latency"
            )
            self.warnings.append((part / "op").not_imported(message, hint))
            return None
        if op not in ("lt", "lte"):
            raise (part / "op").error(f"is `{shorten(op)}`", "use `lte` or `lt`")
        if lost := _no_latency(metric):
            self.warnings.append(metric.not_imported(*lost))
            return None
        factor = scale(metric)
        if factor is None:
            message = "is computed from other metrics, so this SLO is left out"
            hint = (
                "only a product with a number is supported, such as `histogram_quantile(...) * "
                "1000`"
            )
            self.warnings.append(metric.not_imported(message, hint))
            return None
        at = part / "value"
        value = at.number("such as `value: 0.5`") / factor
        return self._latency(at, value, metric, None), _own_share(metric)

    def _by_fraction(
        self, part: DocumentPart, metric: DocumentPart
    ) -> tuple[str, _OwnShare] | None:
        """Latency limit and share of a metric that is the fraction of requests below a latency."""
        bound, factor = fraction_below(metric), scale(metric)
        if bound is None or factor is None:
            return None
        at = part / "value"
        share = at.number("such as `value: 0.99`") / factor
        return self._latency(metric, bound, metric, None), _OwnShare(at, share)

    def _by_query(
        self, part: DocumentPart, indicator: DocumentPart
    ) -> tuple[str, _OwnShare | None] | None:
        """Latency limit of good requests in a ratio of requests."""
        ratio = indicator / "ratioMetric"
        good = ratio / "good"
        if (ratio / "rawType").text() == "success":
            good = ratio / "raw"
        found = threshold(good)
        if found is None:
            hint = 'use a query of fast requests, such as `..._seconds_bucket{le="0.5"}`'
            message = "does not count the requests below a latency, so this objective is left out"
            at = good or ratio or indicator or part
            self.warnings.append(at.not_imported(message, hint))
            return None
        if threshold(ratio / "total") is not None:
            hint = "correct the document: `total` must count all requests, like `..._count`"
            message = "also counts only requests below a latency, not all"
            self.warnings.append((ratio / "total").not_imported(message, hint))
        bound, unit = found
        return self._latency(good, bound, good, unit), _own_share(good)

    def _latency(
        self, at: DocumentPart, value: Decimal, metric: DocumentPart, unit: Decimal | None
    ) -> str:
        if unit is None:
            unit = unit_us(metric) or (_US[self.unit] if self.unit else None)
        if unit is None:
            message = f"is `{value}`, but the names of the metric do not contain its unit"
            hint = "give the unit with `--openslo-unit`, such as `ms`"
            raise at.error(message, hint, Code.MISSING_UNIT)
        return _quantity(at, f"{value * unit:f}us", DURATION, format_us)

    def _share(
        self, part: DocumentPart, method: str, own: _OwnShare | None
    ) -> tuple[str, str | None]:
        """Percentile of requests, and the window for it."""
        at, share = _target(part)
        window = None
        if method == "RatioTimeslices":
            hint = "tailc weighs all requests equally, not all time slices"
            self.warnings.append(
                at.not_imported(
                    ("is imported as a share of requests, not as a mean of time slices"), hint
                )
            )
        if method == "Timeslices":
            window = _slice(part / "timeSliceWindow")
            hint = (
                "`verify` reports the share of windows that meet the SLO, and judges all requests"
            )
            message = f"of {share} of the time slices is not imported"
            self.warnings.append(at.not_imported(message, hint))
            at = part / "timeSliceTarget"
            needed = at.number("such as `timeSliceTarget: 0.95`")
            share = "all" if needed == 1 and own is not None else _percentage(at, needed)
        if own is not None:
            percentile = _percentage(own.at, own.share)
            hint = "`verify` counts requests, not measurements of a metric"
            message = (
                f"of {share} is not imported: it counts measurements of the metric. The objective "
                f"becomes the percentile {percentile} of all requests"
            )
            self.warnings.append(at.not_imported(message, hint))
            share = percentile
        return share, window


def _own_share(metric: DocumentPart) -> _OwnShare | None:
    share = quantile(metric)
    return None if share is None else _OwnShare(metric, share)


def _no_latency(metric: DocumentPart) -> tuple[str, str] | None:
    """Message and advice for a metric that is neither a latency of requests nor a percentile."""
    own = quantile(metric)
    if own == 1 or (own is None and summary(metric)):
        word = summary(metric) or "quantile"
        message = f"summarises many requests with `{word}`, which is not a percentile"
        hint = "use the latency of each request, a percentile, or the ratio of fast requests"
        return f"{message}: this SLO is not imported", hint
    if not is_latency(metric):
        message = "has no name of a latency, so this SLO is left out"
        return message, "a latency has a name such as `..._latency` or `..._duration_seconds`"
    return None


def _target(part: DocumentPart) -> tuple[DocumentPart, str]:
    """Place of the share of an objective, and the share."""
    share, percent = part / "target", part / "targetPercent"
    if share and percent:
        raise percent.error("and `target` both define the share", "remove one", Code.CONFLICT)
    if percent:
        asked = percent.number(_TARGET)
        if 0 < asked < 1:
            hint = f"write `targetPercent: {asked * 100:f}`, or `target: {asked:f}`"
            raise percent.error(f"is less than one per cent, `{shorten(str(asked))}`", hint)
        return percent, _percentage(percent, asked / 100)
    return share, _percentage(share, share.number(_TARGET))


def _percentage(at: DocumentPart, share: Decimal) -> str:
    if not 0 < share < 1:
        message = f"must be a share between 0 and 1, not `{shorten(at.text() or str(share))}`"
        raise at.error(message, _share_advice(at, share))
    return _quantity(at, f"{share * 100:f}%", PERCENT, format_ppm)


def _share_advice(at: DocumentPart, share: Decimal) -> str:
    if not 1 < share < 100:
        return "a percentile must be between 0 % and 100 %"
    written = f"write `{at.path[-1]}: {(share / 100).normalize():f}`"
    return f"{written}, or `targetPercent: {share}`" if at.path[-1] == "target" else written


def _slice(at: DocumentPart) -> str:
    """A duration such as `10m`, as the window of a spec."""
    text = at.required_text("such as `timeSliceWindow: 1m`")
    match = _SHORTHAND.fullmatch(text)
    if match is None or not int(match[1]):
        raise at.error(f"is `{shorten(text)}`", "a length such as `30s`, `5m` or `2h`")
    seconds = int(match[1]) * _SECONDS[match[2] or _BARE]
    return _quantity(at, f"{seconds}s", DURATION, format_us)


def _quantity(
    at: DocumentPart, text: str, dimension: Dimension, shown: Callable[[int], str]
) -> str:
    """The text as a spec writes it; raises TailcError for 0 and for values with too many digits."""
    try:
        steps = parse(text, dimension)
    except QuantityError as fault:
        raise at.error(f"cannot be imported: {fault.message}", fault.help) from None
    if steps == 0:
        raise at.error("must be more than zero", f"for example `{dimension.example}`")
    return shown(steps).replace(" ", "")
