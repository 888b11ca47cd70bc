"""A policy as a class for Java 11 and later."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from tailc.embed.content import Constants, EmbeddedPolicy, Tables
from tailc.embed.language import Language, NamedBy, Runtime
from tailc.embed.layout import comment, fill_template, pieces, rows_of
from tailc.errors import Code, Finding, TailcError

# The method that initialises the arrays of a class has 64 KiB at most, 8 bytes per number.
MOST_NUMBERS = 6_000
# A constant string has 65,535 bytes at most.
_LONGEST_CONSTANT = 48_000

_FILE = """\
@package@
@imports@

/** The data and the look-up of one policy; its arrays never change. */
public final class @class@ {
    public static final String DIGEST =
        @digest@;
    public static final String NAME =
        @name@;
    public static final String KIND =
        @kind@;
    public static final long GENERATION = @generation@L;

@content@

    private @class@() {}
}
"""

_TABLES = """\
@arrays@

    /** When a request may start. */
    public enum Start { NOW, WAIT, ON_EXIT }

    /** Answer of a look-up; use one for each thread. Rungs count from 0; waitUs: remaining wait. */
    public static final class Answer {
        public Start start;
        public long waitUs;
        public int rung;

        /** An empty answer, for a look-up to fill. */
        public Answer() {}
    }

@ladder_of@
    /** Answers for a request that has waited and executed for these times in microseconds. */
    public static void lookup(
            @ladder@
            @output@
            long load, long waitedUs, long executedUs, Answer answer) {
        if (load < 0 || waitedUs < 0 || executedUs < 0@negative@) {
            throw new IllegalArgumentException("load and times cannot be negative");
        }
        answer.start = Start.NOW;
        answer.waitUs = 0;
        answer.rung = 0;
        if (FALLS_BACK[@at@] != 0 && (load < MIN_LOAD[@at@] || load > MAX_LOAD[@at@])) {
            return;
        }
        int row = FIRST_ROW[@at@];
        int half;
        for (int left = FIRST_ROW[@at_next@] - row; left > 1; left -= half) {
            half = left / 2;
            row += FIRST_LOAD[row + half] <= load ? half : 0;
        }
        if (ON_EXIT[row] != 0) {
            answer.start = Start.ON_EXIT;
        } else if (DELAY_US[row] > waitedUs) {
            answer.start = Start.WAIT;
            answer.waitUs = DELAY_US[row] - waitedUs;
        }
        long ageUs = executedUs;
        if (AGE_FROM_ARRIVAL[@at@] != 0) {
            ageUs = Math.addExact(executedUs, waitedUs);
        }
        int climb = FIRST_CLIMB[row];
        for (int left = FIRST_CLIMB[row + 1] - climb; left > 1; left -= half) {
            half = left / 2;
            climb += AGE_US[climb + half]@scale@ <= ageUs ? half : 0;
        }
        answer.rung = CLIMB_RUNG[climb];
    }"""

_LADDER_OF = """\
    /** Index of the ladder for a class of requests, or -1 if there is none. */
    public static int ladderOf(String requestClass) {
        int ladder = CLASSES.indexOf(requestClass);
        return @found@;
    }

"""

_SEALED = """\
    /** A copy of the content of a .tailc file. */
    public static byte[] sealed() {
        return Base64.getDecoder().decode(String.join("",
@text@));
    }"""

# Keywords, and names that the class itself uses.
_RESERVED = """
abstract assert boolean break byte case catch char class const continue default do double else enum
extends false final finally float for goto if implements import instanceof int interface long native
new null package private protected public return short static strictfp super switch synchronized
this throw throws transient true try var void volatile while yield record sealed permits
Answer Base64 IllegalArgumentException List Math Start String
"""


def _tables_body(embedded: EmbeddedPolicy, tables: Tables, name: str) -> str:
    return _body(embedded, "import java.util.List;", _tables(tables), name)


def _bytes_body(embedded: EmbeddedPolicy, sealed: bytes, name: str) -> str:
    return _body(embedded, "import java.util.Base64;", _sealed_bytes(sealed), name)


def _body(embedded: EmbeddedPolicy, imports: str, content: str, name: str) -> str:
    package, _, simple = name.rpartition(".")
    return fill_template(
        _FILE,
        package=f"package {package};\n" if package else "",
        imports=imports,
        content=content,
        digest=_literal(embedded.digest),
        name=_literal(embedded.policy_name),
        kind=_literal(embedded.kind),
        generation=str(embedded.generation),
        **{"class": simple},
    )


def _sealed_bytes(content: bytes) -> str:
    text = base64.b64encode(content).decode()
    constants = [text[at : at + _LONGEST_CONSTANT] for at in range(0, len(text), _LONGEST_CONSTANT)]
    joined = [" +\n            ".join(pieces(list(constant))) for constant in constants]
    return fill_template(_SEALED, text=",\n".join(f"            {constant}" for constant in joined))


def _tables(tables: Tables) -> str:
    _refuse_too_many(tables.arrays)
    last = len(tables.arrays[0].values) - 1
    index = f"ladder < 0 ? {last} : ladder" if tables.is_for_all else "ladder"
    return fill_template(
        _TABLES,
        arrays="\n\n".join(map(_array, tables.arrays)),
        ladder_of=fill_template(_LADDER_OF, found=index).rstrip("\n") + "\n"
        if tables.is_by_class
        else "",
        ladder="int ladder," if tables.is_by_class else "",
        output="long outputPpm, // the output of the controller" if tables.is_scaled else "",
        at="ladder" if tables.is_by_class else "0",
        at_next="ladder + 1" if tables.is_by_class else "1",
        scale=" * outputPpm / 1_000_000" if tables.is_scaled else "",
        negative=" || outputPpm < 0" if tables.is_scaled else "",
    )


def _refuse_too_many(arrays: Sequence[Constants]) -> None:
    numbers = sum(len(array.values) for array in arrays)
    if numbers > MOST_NUMBERS:
        message = f"the class needs {numbers:,} constants; at most {MOST_NUMBERS:,} are supported"
        help_ = "give --sealed, and open the bytes with the Java runtime"
        raise TailcError(Finding(Code.USAGE, message, help=help_))


def _array(array: Constants) -> str:
    access = "private" if array.is_inner else "public"
    name, indent = array.name.upper(), " " * 8
    about = comment(array.about).replace("\n", "\n    ")
    if texts := array.texts:
        rows = ",\n".join(f"{indent}{_literal(text)}" for text in texts)
        declaration = f"{access} static final List<String> {name} = List.of(\n{rows});"
    else:
        suffix, element = ("", "int") if array.is_index else ("L", "long")
        rows = rows_of((f"{number}{suffix}" for number in array.numbers), indent)
        declaration = f"{access} static final {element}[] {name} = {{\n{rows}\n    }};"
    return f"    {about}\n    {declaration}"


def _literal(text: str) -> str:
    units = text.encode("utf-16-be")
    characters = [int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2)]
    return " +\n            ".join(pieces([_escape(unit) for unit in characters]))


def _escape(unit: int) -> str:
    # Below 128 an octal escape of three digits, since \u000a would end the line.
    char = chr(unit)
    if char in '"\\':
        return f"\\{char}"
    if unit >= 0x80:
        return f"\\u{unit:04x}"
    return char if 0x20 <= unit < 0x7F else f"\\{unit:03o}"


LANGUAGE = Language(
    word="java",
    called="Java",
    body=_tables_body,
    runtime=Runtime("Policy.open({name}.sealed())", _bytes_body),
    named_by=NamedBy.FILE,
    separator=".",
    reserved=frozenset(_RESERVED.split()),
)
