from tailc.report.table import aligned


def test_words_stand_on_the_left_and_numbers_on_the_right():
    rows = [("load", "tail", ""), ("1", "9.5 ms", "best"), ("100", "12 ms", "")]
    assert aligned(rows, numbers={1}).splitlines() == [
        "load    tail",
        "1     9.5 ms  best",
        "100    12 ms",
    ]


def test_no_line_ends_in_blanks():
    assert aligned([("a", ""), ("bcd", "e")]).splitlines() == ["a", "bcd  e"]
