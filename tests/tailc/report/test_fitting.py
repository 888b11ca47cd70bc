"""Lists are cut to the lines there are."""

from tailc.report.fitting import TextSection, fit_sections


def lines(sections):
    return "\n\n".join("\n".join(section.lines) for section in sections).splitlines()


def numbered(count):
    return tuple(f"line {number}" for number in range(count))


def test_what_fits_is_left_alone():
    sections = (TextSection(("head",), numbered(3)), TextSection(foot=("foot",)))
    assert fit_sections(sections, 6) == sections


def test_the_longest_list_is_cut_and_says_how_much_it_lacks():
    short, long = TextSection(("a",), numbered(4)), TextSection(("b",), numbered(30))
    kept = fit_sections((short, long), 20)
    assert len(lines(kept)) == 20
    assert kept[0] == short
    assert kept[1].lines[-1] == "  ... and 18 more"
    assert len(kept[1].body) == 12


def test_a_list_cut_to_one_line_less_tells_of_two():
    (kept,) = fit_sections((TextSection((), numbered(5)),), 4)
    assert kept.lines == ("line 0", "line 1", "line 2", "  ... and 2 more")


def test_empty_sections_take_no_line():
    assert fit_sections((TextSection(), TextSection(("head",))), 1) == (TextSection(("head",)),)


def test_where_no_cut_is_enough_the_last_lists_are_folded_into_a_line():
    listed = [TextSection((f"list {n}",), numbered(9), may_fold=True) for n in range(12)]
    kept = fit_sections((TextSection(("head",)), *listed, TextSection(("foot",))), 20)
    said = lines(kept)
    assert len(said) == 20
    assert (said[0], said[-1]) == ("head", "foot")
    # A head, a line and "... more" each, and what is between: 3 of 12 lists are left
    assert said[-3] == "  ... and 9 more lists of differences"
    assert [line for line in said if line.startswith("list")] == ["list 0", "list 1", "list 2"]
