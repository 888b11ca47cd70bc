"""Lines of source files."""

from __future__ import annotations

from tailc.embed.layout import (
    WIDTH,
    comment,
    comment_text,
    fill_template,
    hex_rows,
    pieces,
    rows_of,
)


def test_numbers_are_wrapped_and_none_is_lost() -> None:
    text = rows_of(map(str, range(5_000)), "\t")
    assert max(len(line.expandtabs(4)) for line in text.splitlines()) <= WIDTH
    assert [int(word) for word in text.replace(",", " ").split()] == list(range(5_000))


def test_bytes_stand_in_rows_of_sixteen() -> None:
    text = hex_rows(bytes(range(33)), "  ")
    assert [line.count(",") for line in text.splitlines()] == [16, 16, 1]
    assert text.splitlines()[2] == "  0x20,"


def test_a_comment_ends_in_nothing_that_goes_on() -> None:
    text = comment(comment_text("a\\u000a ??/ \n*/ é" + "x" * 300))
    assert all(line.startswith("// ") for line in text.splitlines())
    assert not set("\\?é") & set(text)


def test_a_piece_of_text_ends_between_characters() -> None:
    assert pieces([]) == ['""']
    quoted = pieces(["\\303"] * 40)
    assert "".join(piece.strip('"') for piece in quoted) == "\\303" * 40
    assert all((len(piece) - 2) % 4 == 0 for piece in quoted)


def test_parts_are_put_in_once_and_empty_ones_take_their_line_along() -> None:
    template = "  @a@\n@b@;\n"
    assert fill_template(template, a="", b="@a@") == "@a@;\n"
    assert fill_template(template, a="@b@", b="") == "  @b@\n;\n"
