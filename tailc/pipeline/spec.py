"""Open a spec: its kind, its model, and the places of its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

from tailc.errors import Finding
from tailc.policies import KINDS, Kind, KindSpec
from tailc.specs.document import parse_document, read_document
from tailc.specs.fields import SpecModel
from tailc.specs.load import LoadedSpec, check_document, kind_of, open_spec


@dataclass(frozen=True)
class OpenedSpec:
    """A checked spec with its kind and its document; `path` is as given by the user."""

    kind: Kind
    spec: KindSpec
    loaded: LoadedSpec
    path: str
    warnings: tuple[Finding, ...] = ()


def open_kind(path: str) -> OpenedSpec:
    """Open the spec at `path` (`-` is standard input), check it, and complete it by its kind."""
    return complete_spec(open_spec(path, KIND_MODELS), path)


class _Models(Mapping[str, type[SpecModel]]):
    """The model of each `kind` of document, sorted by name; each is imported when it is looked up.

    others: module and name of the models that are not of policies.
    """

    def __init__(self, others: Mapping[str, tuple[str, str]]) -> None:
        self._others = others

    def __getitem__(self, name: str) -> type[SpecModel]:
        if name not in self._others:
            return KINDS[name].spec_model
        module, model = self._others[name]
        return vars(import_module(f"tailc.specs.{module}"))[model]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted([*KINDS, *self._others]))

    def __len__(self) -> int:
        return len(KINDS) + len(self._others)


KIND_MODELS = _Models({})
DOCUMENT_MODELS = _Models(
    {"days": ("held_out_days", "DaysSpec"), "column-map": ("column_map", "ColumnMap")}
)


def open_document(path: str) -> LoadedSpec:
    """Open and check the spec of any kind, or the document of days, at `path`; not completed."""
    return open_spec(path, DOCUMENT_MODELS)


def migrated_texts(path: str) -> tuple[str, str]:
    """Text of the document at `path` before and after its migration to this version's format.

    Raises TailcError if the migrated text is not valid.
    """
    from tailc.specs.migration import migrated_text

    document, models = read_document(path), DOCUMENT_MODELS
    model = models.get(kind_of(document) or "")
    after = migrated_text(document, model.older if model else ())
    check_document(parse_document(after, document.source), models)
    return "\n".join(document.lines), after


def complete_spec(loaded: LoadedSpec, path: str) -> OpenedSpec:
    """Complete a loaded spec as its kind requires, for example from files that it names."""
    spec = cast(KindSpec, loaded.model)
    kind = KINDS[spec.kind]
    folder = None if path == "-" else Path(path).parent
    complete_spec, warnings = kind.complete(spec, loaded, folder)
    return OpenedSpec(kind, complete_spec, loaded, path, warnings)
