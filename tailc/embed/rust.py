"""A policy as a Rust module, which has the name of its file."""

from __future__ import annotations

from tailc.embed.content import Constants, EmbeddedPolicy, Tables
from tailc.embed.language import Language, NamedBy, Runtime
from tailc.embed.layout import comment, fill_template, hex_rows, pieces, rows_of

_FILE = """\
// A server may use only a part of this file.
#![allow(dead_code)]

pub const DIGEST: &str = @digest@;
pub const NAME: &str = @name@;
pub const KIND: &str = @kind@;
pub const GENERATION: u64 = @generation@;

@content@
"""

_TABLES = """\
@arrays@

/// When a request may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Now,
    WaitUs(u64),
    OnExit,
}

/// Answer of a look-up: the rung at that age, counted from 0, and the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub start: Start,
    pub rung: usize,
}

@ladder_of@
/// Answer for a request that has waited and executed for these times in microseconds.
@scaled@
pub fn lookup(
    @ladder@
    @output@
    load: u64,
    waited_us: u64,
    executed_us: u64,
) -> Answer {
    if FALLS_BACK[@at@] != 0 && !(MIN_LOAD[@at@]..=MAX_LOAD[@at@]).contains(&load) {
        return Answer { start: Start::Now, rung: 0 };
    }
    let mut row = FIRST_ROW[@at@];
    let mut left = FIRST_ROW[@at_next@] - row;
    while left > 1 {
        row += if FIRST_LOAD[row + left / 2] <= load { left / 2 } else { 0 };
        left -= left / 2;
    }
    let start = if ON_EXIT[row] != 0 {
        Start::OnExit
    } else if DELAY_US[row] > waited_us {
        Start::WaitUs(DELAY_US[row] - waited_us)
    } else {
        Start::Now
    };
    let counted_us = if AGE_FROM_ARRIVAL[@at@] != 0 { waited_us } else { 0 };
    let age_us = executed_us.saturating_add(counted_us);
    let mut climb = FIRST_CLIMB[row];
    left = FIRST_CLIMB[row + 1] - climb;
    while left > 1 {
        let is_made = AGE_US[climb + left / 2]@scale@ <= age_us;
        climb += if is_made { left / 2 } else { 0 };
        left -= left / 2;
    }
    Answer { start, rung: CLIMB_RUNG[climb] }
}"""

_LADDER_OF = """\
/// Index of the ladder for a class of requests, or none.
pub fn ladder_of(request_class: &str) -> Option<usize> {
    let named = CLASSES.iter().position(|class| *class == request_class);
    @found@
}
"""

_SEALED = """\
/// The content of a .tailc file.
pub static SEALED: [u8; @count@] = [
@bytes@
];"""


def _tables_body(embedded: EmbeddedPolicy, tables: Tables, _name: str) -> str:
    return _body(embedded, _tables(tables))


def _bytes_body(embedded: EmbeddedPolicy, sealed: bytes, _name: str) -> str:
    return _body(embedded, _sealed_bytes(sealed))


def _body(embedded: EmbeddedPolicy, content: str) -> str:
    return fill_template(
        _FILE,
        content=content,
        digest=_literal(embedded.digest),
        name=_literal(embedded.policy_name),
        kind=_literal(embedded.kind),
        generation=str(embedded.generation),
    )


def _sealed_bytes(content: bytes) -> str:
    return fill_template(_SEALED, count=str(len(content)), bytes=hex_rows(content, "    "))


def _tables(tables: Tables) -> str:
    last = len(tables.arrays[0].values) - 1
    index = f"named.or(Some({last}))" if tables.is_for_all else "named"
    return fill_template(
        _TABLES,
        arrays="\n\n".join(map(_array, tables.arrays)),
        ladder_of=fill_template(_LADDER_OF, found=index) if tables.is_by_class else "",
        scaled="/// `output_ppm` is the output of the controller." if tables.is_scaled else "",
        ladder="ladder: usize," if tables.is_by_class else "",
        output="output_ppm: u64," if tables.is_scaled else "",
        at="ladder" if tables.is_by_class else "0",
        at_next="ladder + 1" if tables.is_by_class else "1",
        scale=" * output_ppm / 1_000_000" if tables.is_scaled else "",
    )


def _array(array: Constants) -> str:
    access = "" if array.is_inner else "pub "
    element = "usize" if array.is_index else "u64"
    if texts := array.texts:
        element, rows = "&str", "\n".join(f"    {_literal(text, '    ')}," for text in texts)
    else:
        rows = rows_of(map(str, array.numbers), "    ")
    opening = f"{access}static {array.name.upper()}: [{element}; {len(array.values)}] = ["
    return f"{comment(array.about)}\n{opening}\n{rows}\n];"


def _literal(text: str, indent: str = "") -> str:
    quoted = pieces([_escape(char) for char in text])
    if len(quoted) == 1:
        return quoted[0]
    lines = "".join(f"{indent}    {piece},\n" for piece in quoted)
    return f"concat!(\n{lines}{indent})"


def _escape(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if 0x20 <= ord(char) < 0x7F else f"\\u{{{ord(char):x}}}"


LANGUAGE = Language(
    word="rust",
    called="Rust",
    body=_tables_body,
    runtime=Runtime("Options::new().open_bytes(&SEALED)", _bytes_body),
    named_by=NamedBy.FILE_ALONE,
)
