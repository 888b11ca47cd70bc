"""A policy as a C99 header."""

from __future__ import annotations

from tailc.embed.content import Constants, EmbeddedPolicy, Tables
from tailc.embed.language import Language
from tailc.embed.layout import comment, fill_template, pieces, rows_of

_FILE = """\
#ifndef @P@_H
#define @P@_H

#include <stdint.h>
@string_h@

#define @P@_DIGEST \\
    @digest@
#define @P@_NAME \\
    @name@
#define @P@_KIND \\
    @kind@
#define @P@_GENERATION @generation@

@arrays@

enum @p@_start {
    @P@_NOW,
    @P@_WAIT,
    @P@_ON_EXIT
};

// Answer of a look-up. rung: rung at that age, counted from 0. wait_us: remaining wait, or 0.
struct @p@_answer {
    enum @p@_start start;
    uint64_t wait_us;
    uint32_t rung;
};

@ladder_of@
// Answer for a request that has waited and executed for these times in microseconds, below 2^63.
@scaled@
static inline struct @p@_answer
@p@_lookup(
    @ladder@
    @output@
    uint64_t load, uint64_t waited_us, uint64_t executed_us)
{
    struct @p@_answer answer = {
        @P@_NOW, 0, 0
    };
    uint32_t row = @p@_first_row[@at@];
    uint32_t left = @p@_first_row[@at_next@] - row;
    uint32_t half, climb;
    if (@p@_falls_back[@at@]
        && (load < @p@_min_load[@at@]
            || load > @p@_max_load[@at@]))
        return answer;
    for (; left > 1; left -= half) {
        half = left / 2;
        if (@p@_first_load[row + half] <= load)
            row += half;
    }
    if (@p@_on_exit[row]) {
        answer.start = @P@_ON_EXIT;
    } else if (@p@_delay_us[row] > waited_us) {
        answer.start = @P@_WAIT;
        answer.wait_us = @p@_delay_us[row] - waited_us;
    }
    if (@p@_age_from_arrival[@at@])
        executed_us += waited_us;
    climb = @p@_first_climb[row];
    left = @p@_first_climb[row + 1] - climb;
    for (; left > 1; left -= half) {
        half = left / 2;
        if (@p@_age_us[climb + half]@scale@ <= executed_us)
            climb += half;
    }
    answer.rung = @p@_climb_rung[climb];
    return answer;
}

#endif
"""

_LADDER_OF = """\
// Index of the ladder for a class of requests, or -1 if there is none.
static inline int @p@_ladder_of(const char *request_class)
{
    int ladder;
    for (ladder = 0; ladder < @count@; ++ladder)
        if (strcmp(@p@_classes[ladder], request_class) == 0)
            return ladder;
    return @otherwise@;
}
"""


def _body(embedded: EmbeddedPolicy, tables: Tables, name: str) -> str:
    count = len(tables.arrays[0].values)
    otherwise = str(count - 1) if tables.is_for_all else "-1"
    ladder_of = fill_template(_LADDER_OF, p=name, count=str(count), otherwise=otherwise)
    return fill_template(
        _FILE,
        string_h="#include <string.h>" if tables.is_by_class else "",
        digest=literal(embedded.digest),
        name=literal(embedded.policy_name),
        kind=literal(embedded.kind),
        generation=str(embedded.generation),
        arrays="\n\n".join(_array(array, name) for array in tables.arrays),
        ladder_of=ladder_of if tables.is_by_class else "",
        scaled="// output_ppm is the output of the controller." if tables.is_scaled else "",
        ladder="int ladder," if tables.is_by_class else "",
        output="uint64_t output_ppm," if tables.is_scaled else "",
        at="ladder" if tables.is_by_class else "0",
        at_next="ladder + 1" if tables.is_by_class else "1",
        scale="\n            * output_ppm / 1000000" if tables.is_scaled else "",
        p=name,
        P=name.upper(),
    )


def _array(array: Constants, name: str) -> str:
    element = "uint32_t" if array.is_index else "uint64_t"
    if texts := array.texts:
        rows = "\n".join(f"    {literal(text, splice='')}," for text in texts)
        opening = f"static const char *const {name}_{array.name}[] = {{"
    else:
        rows = rows_of(map(str, array.numbers), "    ")
        opening = f"static const {element} {name}_{array.name}[] = {{"
    return f"{comment(array.about)}\n{opening}\n{rows}\n}};"


def literal(text: str, splice: str = " \\") -> str:
    """Format a text as a string literal of C or C++ in UTF-8.

    splice: end of the lines of a macro.
    """
    return f"{splice}\n    ".join(pieces([_escape(byte) for byte in text.encode()]))


def _escape(byte: int) -> str:
    # Octal escapes end after three digits; `?` is escaped because `??` begins a trigraph.
    char = chr(byte)
    if char in '"\\?':
        return f"\\{char}"
    return char if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


LANGUAGE = Language(word="c", called="C", body=_body, runtime=None)
