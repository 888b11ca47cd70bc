"""A spec, opened: its kind, its model, and where its findings are placed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tailc.errors import Finding
from tailc.policies import Kind, KindSpec, find_kinds
from tailc.specs import column_map, held_out_days
from tailc.specs.column_map import ColumnMap
from tailc.specs.document import parse_document, read_document
from tailc.specs.fields import SpecModel
from tailc.specs.held_out_days import DaysSpec
from tailc.specs.load import LoadedSpec, check_document, kind_of, open_spec
from tailc.specs.migration import migrated_text


@dataclass(frozen=True)
class OpenedSpec:
    """A checked spec of a kind, with what else its files hold; `path` is as the user named it."""

    kind: Kind
    spec: KindSpec
    loaded: LoadedSpec
    path: str
    warnings: tuple[Finding, ...] = ()


def open_kind(path: str) -> OpenedSpec:
    """The spec at `path` (`-` is standard input), checked and completed by its kind."""
    return completed(open_spec(path, kind_models()), path)


def kind_models() -> dict[str, type[SpecModel]]:
    """What checks a spec, by its kind."""
    return {name: kind.spec_model for name, kind in find_kinds().items()}


def document_models() -> dict[str, type[SpecModel]]:
    """What checks a spec of a kind, or another document, by its `kind`; in order of name."""
    others = {held_out_days.KIND: DaysSpec, column_map.KIND: ColumnMap}
    return dict(sorted({**kind_models(), **others}.items()))


def open_document(path: str) -> LoadedSpec:
    """The spec of any kind, or the document of days, at `path`, checked but not completed."""
    return open_spec(path, document_models())


def migrated(path: str) -> tuple[str, str]:
    """The text of the document at `path`, and as this version writes it, which is checked."""
    document, models = read_document(path), document_models()
    model = models.get(kind_of(document) or "")
    after = migrated_text(document, model.older if model else ())
    check_document(parse_document(after, document.source), models)
    return "\n".join(document.lines), after


def completed(loaded: LoadedSpec, path: str) -> OpenedSpec:
    """A loaded spec of a kind, completed by it."""
    spec = cast(KindSpec, loaded.model)
    kind = find_kinds()[spec.kind]
    folder = None if path == "-" else Path(path).parent
    completed, warnings = kind.complete(spec, loaded, folder)
    return OpenedSpec(kind, completed, loaded, path, warnings)
