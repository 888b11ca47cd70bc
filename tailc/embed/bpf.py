"""A policy as a C header for programs in the Linux kernel (BPF), which its verifier accepts.

The verifier must see that loops end and that no index leaves its array. A search therefore has a
constant number of steps without branches, and each index is compared before it is used.
"""

from __future__ import annotations

from tailc.embed.c import literal
from tailc.embed.content import Constants, EmbeddedPolicy, Tables
from tailc.embed.language import Language
from tailc.embed.layout import comment, fill_template, rows_of

_FILE = """\
#ifndef @P@_BPF_H
#define @P@_BPF_H

// Include vmlinux.h or linux/types.h before, and bpf/bpf_helpers.h.

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
    __u64 wait_us;
    __u32 rung;
};

// Whether an index is below the length of its array; the compiler keeps the comparison here.
#define @P@_BELOW(index, length) \\
    ({ asm volatile("" : "+r"(index)); (index) < (length); })
// 1 if a <= b, else 0, without a branch; both are below 2^63.
#define @P@_UP_TO(a, b) (((a) - (b) - 1) >> 63)

// Answer for a request that has waited and executed for these times in microseconds, below 2^62.
@class_note@
@scaled@
static __always_inline struct @p@_answer
@p@_lookup(
    @ladder@
    @output@
    __u64 load, __u64 waited_us, __u64 executed_us)
{
    struct @p@_answer answer = {
        @P@_NOW, 0, 0
    };
    __u64 row, climb, left, half, middle, first, step;
    __u64 at = @at@;
    if (load >> 63)
        load = ~0ULL >> 1;
    if (!@P@_BELOW(at, @ladders@))
        return answer;
    if (@p@_falls_back[at]
        && (load < @p@_min_load[at]
            || load > @p@_max_load[at]))
        return answer;
    row = @p@_first_row[at];
    left = @p@_first_row[at + 1] - row;
    for (step = 0; step < @row_steps@; ++step) {
        half = left / 2;
        middle = row + half;
        if (!@P@_BELOW(middle, @rows@))
            return answer;
        first = @p@_first_load[middle];
        row += half * @P@_UP_TO(first, load);
        left -= half;
    }
    if (!@P@_BELOW(row, @rows@))
        return answer;
    if (@p@_on_exit[row]) {
        answer.start = @P@_ON_EXIT;
    } else if (@p@_delay_us[row] > waited_us) {
        answer.start = @P@_WAIT;
        answer.wait_us = @p@_delay_us[row] - waited_us;
    }
    if (@p@_age_from_arrival[at])
        executed_us += waited_us;
    climb = @p@_first_climb[row];
    left = @p@_first_climb[row + 1] - climb;
    for (step = 0; step < @climb_steps@; ++step) {
        half = left / 2;
        middle = climb + half;
        if (!@P@_BELOW(middle, @climbs@))
            return answer;
        first = @p@_age_us[middle]@scale@;
        climb += half * @P@_UP_TO(first, executed_us);
        left -= half;
    }
    if (!@P@_BELOW(climb, @climbs@))
        return answer;
    answer.rung = @p@_climb_rung[climb];
    return answer;
}

#endif
"""

# Else clang puts short arrays into sections of constants, for which there are no types.
_SECTION = '__attribute__((section(".rodata")))'


def _body(embedded: EmbeddedPolicy, tables: Tables, name: str) -> str:
    lengths = {array.name: len(array.values) for array in tables.arrays}
    rows, climbs = lengths["first_load"], lengths["age_us"]
    class_note = "ladder: index into the classes; the last one may be for all."
    return fill_template(
        _FILE,
        digest=literal(embedded.digest),
        name=literal(embedded.policy_name),
        kind=literal(embedded.kind),
        generation=str(embedded.generation),
        arrays="\n\n".join(_array(array, name) for array in tables.arrays),
        class_note=comment(class_note) if tables.is_by_class else "",
        scaled="// output_ppm is the output of the controller." if tables.is_scaled else "",
        ladder="__u64 ladder," if tables.is_by_class else "",
        output="__u64 output_ppm," if tables.is_scaled else "",
        at="ladder" if tables.is_by_class else "0",
        scale=" * output_ppm / 1000000" if tables.is_scaled else "",
        ladders=str(lengths["min_load"]),
        rows=str(rows),
        climbs=str(climbs),
        # Each step halves the number of rows to search, rounded up.
        row_steps=str((rows - 1).bit_length()),
        climb_steps=str((climbs - 1).bit_length()),
        p=name,
        P=name.upper(),
    )


def _array(array: Constants, name: str) -> str:
    if texts := array.texts:
        longest = max(len(text.encode()) for text in texts) + 1
        rows = "\n".join(f"    {literal(text, splice='')}," for text in texts)
        opening = f"static const char {name}_{array.name}[][{longest}] = {{"
    else:
        element = "__u32" if array.is_index else "__u64"
        rows = rows_of(map(str, array.numbers), "    ")
        opening = f"static const {element} {name}_{array.name}[] = {{"
    return f"{comment(array.about)}\n{_SECTION}\n{opening}\n{rows}\n}};"


LANGUAGE = Language(word="bpf", called="C for BPF", body=_body, runtime=None)
