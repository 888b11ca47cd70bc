"""A policy as a Go package in one file."""

from __future__ import annotations

from tailc.embed.content import Constants, EmbeddedPolicy, Tables
from tailc.embed.language import Language, Runtime
from tailc.embed.layout import comment, fill_template, hex_rows, pieces, rows_of
from tailc.embed.names import camel

_FILE = """\
// Package @package@ contains one policy.
package @package@

// Digest identifies the content of the policy.
const Digest = @digest@

// Name is the name of the policy.
const Name = @name@

// Kind is the kind of the policy.
const Kind = @kind@

// Generation is the number of the policy among those of its name.
const Generation = @generation@

@content@
"""

_TABLES = """\
@arrays@

// Start is when a request may start.
type Start int

// A request starts now, after WaitUs, or when another request exits.
const (
	StartNow Start = iota
	StartWait
	StartOnExit
)

// Answer of a look-up: the rung at that age, counted from 0, and the remaining wait, or 0.
type Answer struct {
	Start  Start
	Rung   int
	WaitUs uint64
}

@ladder_of@
// Lookup answers for a request that has waited and executed for these times in microseconds,
// below 2^63.
@scaled@
func Lookup(@parameters@load, waitedUs, executedUs uint64) Answer {
	if fallsBack[@at@] != 0 && (load < MinLoad[@at@] || load > MaxLoad[@at@]) {
		return Answer{}
	}
	row := firstRow[@at@]
	for left := firstRow[@at_next@] - row; left > 1; left -= left / 2 {
		if firstLoad[row+left/2] <= load {
			row += left / 2
		}
	}
	answer := Answer{}
	if onExit[row] != 0 {
		answer.Start = StartOnExit
	} else if delayUs[row] > waitedUs {
		answer.Start = StartWait
		answer.WaitUs = delayUs[row] - waitedUs
	}
	if ageFromArrival[@at@] != 0 {
		executedUs += waitedUs
	}
	climb := firstClimb[row]
	for left := firstClimb[row+1] - climb; left > 1; left -= left / 2 {
		if ageUs[climb+left/2]@scale@ <= executedUs {
			climb += left / 2
		}
	}
	answer.Rung = climbRung[climb]
	return answer
}"""

_LADDER_OF = """\
// LadderOf returns the index of the ladder for a class of requests, and whether there is one.
func LadderOf(requestClass string) (int, bool) {
	for ladder, class := range Classes {
		if class == requestClass {
			return ladder, true
		}
	}
	return @otherwise@
}
"""

_SEALED = """\
// Sealed is the content of a .tailc file.
var Sealed = []byte{
@bytes@
}"""

_RESERVED = """
break case chan const continue default defer else fallthrough for func go goto if import interface
map package range return select struct switch type var
"""


def _tables_body(embedded: EmbeddedPolicy, tables: Tables, name: str) -> str:
    return _body(embedded, _tables(tables), name)


def _bytes_body(embedded: EmbeddedPolicy, sealed: bytes, name: str) -> str:
    return _body(embedded, _sealed_bytes(sealed), name)


def _body(embedded: EmbeddedPolicy, content: str, name: str) -> str:
    return fill_template(
        _FILE,
        content=content,
        package=name,
        digest=_literal(embedded.digest),
        name=_literal(embedded.policy_name),
        kind=_literal(embedded.kind),
        generation=str(embedded.generation),
    )


def _sealed_bytes(content: bytes) -> str:
    return fill_template(_SEALED, bytes=hex_rows(content, "\t"))


def _tables(tables: Tables) -> str:
    count = len(tables.arrays[0].values)
    otherwise = f"{count - 1}, true" if tables.is_for_all else "0, false"
    ladder_of = fill_template(_LADDER_OF, otherwise=otherwise)
    parameters = "ladder int, " if tables.is_by_class else ""
    parameters += "outputPpm uint64, " if tables.is_scaled else ""
    return fill_template(
        _TABLES,
        arrays="\n\n".join(map(_array, tables.arrays)),
        ladder_of=ladder_of if tables.is_by_class else "",
        scaled="// outputPpm is the output of the controller." if tables.is_scaled else "",
        at="ladder" if tables.is_by_class else "0",
        at_next="ladder+1" if tables.is_by_class else "1",
        scale="*outputPpm/1_000_000" if tables.is_scaled else "",
        parameters=parameters,
    )


def _array(array: Constants) -> str:
    element = "int" if array.is_index else "uint64"
    if texts := array.texts:
        element, rows = "string", "\n".join(f"\t{_literal(text, '		')}," for text in texts)
    else:
        rows = rows_of(map(str, array.numbers), "\t")
    name = camel(array.name, is_capital=not array.is_inner)
    return f"{comment(array.about)}\nvar {name} = [...]{element}{{\n{rows}\n}}"


def _literal(text: str, indent: str = "\t") -> str:
    return f" +\n{indent}".join(pieces([_escape(char) for char in text]))


def _escape(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return char if 0x20 <= ord(char) < 0x7F else f"\\U{ord(char):08x}"


LANGUAGE = Language(
    word="go",
    called="Go",
    body=_tables_body,
    runtime=Runtime("tailc.OpenBytes({name}.Sealed)", _bytes_body),
    joined=lambda words: words.replace("_", ""),
    reserved=frozenset(_RESERVED.split()),
)
