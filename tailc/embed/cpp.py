"""A policy as a C++17 header."""

from __future__ import annotations

from tailc.embed.c import literal
from tailc.embed.content import Constants, EmbeddedPolicy, Tables
from tailc.embed.language import Language, Runtime
from tailc.embed.layout import comment, fill_template, hex_rows, rows_of
from tailc.embed.names import camel

_FILE = """\
#pragma once

#include <cstddef>
#include <cstdint>
@optional@
#include <string_view>

namespace @namespace@ {

inline constexpr std::string_view kDigest =
    @digest@;
inline constexpr std::string_view kName =
    @name@;
inline constexpr std::string_view kKind =
    @kind@;
inline constexpr std::int64_t kGeneration = @generation@;

@content@

}  // namespace @namespace@
"""

_TABLES = """\
@arrays@

enum class Start { now, wait, on_exit };

// Answer of a look-up. rung: rung at that age, counted from 0. wait_us: remaining wait, or 0.
struct Answer {
  Start start = Start::now;
  std::uint64_t wait_us = 0;
  std::uint32_t rung = 0;
};

@ladder_of@
// Answer for a request that has waited and executed for these times in microseconds, below 2^63.
@scaled@
inline constexpr Answer lookup(
    @ladder@
    @output@
    std::uint64_t load, std::uint64_t waited_us, std::uint64_t executed_us) {
  if (kFallsBack[@at@] && (load < kMinLoad[@at@] || load > kMaxLoad[@at@])) return {};
  std::uint32_t row = kFirstRow[@at@], half = 0;
  for (std::uint32_t left = kFirstRow[@at_next@] - row; left > 1; left -= half) {
    half = left / 2;
    row += kFirstLoad[row + half] <= load ? half : 0;
  }
  Answer answer;
  if (kOnExit[row]) {
    answer.start = Start::on_exit;
  } else if (kDelayUs[row] > waited_us) {
    answer.start = Start::wait;
    answer.wait_us = kDelayUs[row] - waited_us;
  }
  const std::uint64_t age_us = executed_us + (kAgeFromArrival[@at@] ? waited_us : 0);
  std::uint32_t climb = kFirstClimb[row];
  for (std::uint32_t left = kFirstClimb[row + 1] - climb; left > 1; left -= half) {
    half = left / 2;
    climb += kAgeUs[climb + half]@scale@ <= age_us ? half : 0;
  }
  answer.rung = kClimbRung[climb];
  return answer;
}"""

_LADDER_OF = """\
// Index of the ladder for a class of requests, or nothing if there is none.
inline constexpr std::optional<std::size_t> ladder_of(std::string_view request_class) {
  for (std::size_t ladder = 0; ladder < @count@; ++ladder)
    if (kClasses[ladder] == request_class) return ladder;
  return @otherwise@;
}
"""

_SEALED = """\
// The content of a .tailc file.
alignas(8) inline constexpr unsigned char kSealed[] = {
@bytes@
};"""

_RESERVED = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
constinit continue decltype default delete do double dynamic_cast else enum explicit export extern
false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires return short signed
sizeof static static_assert static_cast struct switch tailc template this thread_local throw true
try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
std
"""


def _tables_body(embedded: EmbeddedPolicy, tables: Tables, name: str) -> str:
    optional = "#include <optional>" if tables.is_by_class else ""
    return _body(embedded, optional, _tables(tables), name)


def _bytes_body(embedded: EmbeddedPolicy, sealed: bytes, name: str) -> str:
    return _body(embedded, "", _sealed_bytes(sealed), name)


def _body(embedded: EmbeddedPolicy, optional: str, content: str, name: str) -> str:
    return fill_template(
        _FILE,
        optional=optional,
        content=content,
        namespace=name,
        digest=literal(embedded.digest, splice=""),
        name=literal(embedded.policy_name, splice=""),
        kind=literal(embedded.kind, splice=""),
        generation=str(embedded.generation),
    )


def _sealed_bytes(content: bytes) -> str:
    return fill_template(_SEALED, bytes=hex_rows(content, "    "))


def _tables(tables: Tables) -> str:
    count = len(tables.arrays[0].values)
    otherwise = str(count - 1) if tables.is_for_all else "std::nullopt"
    ladder_of = fill_template(_LADDER_OF, count=str(count), otherwise=otherwise)
    return fill_template(
        _TABLES,
        arrays="\n\n".join(map(_array, tables.arrays)),
        ladder_of=ladder_of if tables.is_by_class else "",
        scaled="// output_ppm is the output of the controller." if tables.is_scaled else "",
        ladder="std::size_t ladder," if tables.is_by_class else "",
        output="std::uint64_t output_ppm," if tables.is_scaled else "",
        at="ladder" if tables.is_by_class else "0",
        at_next="ladder + 1" if tables.is_by_class else "1",
        scale=" * output_ppm / 1'000'000" if tables.is_scaled else "",
    )


def _array(array: Constants) -> str:
    element = "std::uint32_t" if array.is_index else "std::uint64_t"
    if texts := array.texts:
        element = "std::string_view"
        rows = "\n".join(f"    {literal(text, splice='')}," for text in texts)
    else:
        rows = rows_of(map(str, array.numbers), "    ")
    name = camel(array.name, is_capital=True)
    return f"{comment(array.about)}\ninline constexpr {element} k{name}[] = {{\n{rows}\n}};"


LANGUAGE = Language(
    word="cpp",
    called="C++",
    body=_tables_body,
    runtime=Runtime("tailc::open({name}::kSealed, sizeof {name}::kSealed)", _bytes_body),
    separator="::",
    reserved=frozenset(_RESERVED.split()),
)
