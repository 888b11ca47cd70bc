"""Format a spec: order of keys, spelling of quantities, layout.

Comments stay with their subject: those above or behind a key move with it; those at the beginning
of the file and at the end of a mapping stay there.
"""

from __future__ import annotations

from collections.abc import Mapping

from tailc.specs.document import parse_document
from tailc.specs.fields import SpecModel
from tailc.specs.formatting.layout import laid_out
from tailc.specs.formatting.order import order_of
from tailc.specs.formatting.spelling import respell
from tailc.specs.load import LoadedSpec, check_document


def format_spec(loaded: LoadedSpec, models: Mapping[str, type[SpecModel]]) -> str:
    """Format a spec as `tailc fmt` does; the result is checked to have the same meaning.

    models: the model of each kind.
    """
    document = loaded.document
    text = "\n".join(document.lines)
    spelled = respell(text, loaded, models)
    text = laid_out(spelled, order_of(type(loaded.model)))
    again = check_document(parse_document(text, document.source), models)
    assert again.model == loaded.model, "the spec means something else once it is formatted"
    return text
