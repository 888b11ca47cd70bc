import pytest

from tailc.errors import Code
from tailc.report.explanations import EXPLANATIONS


def test_every_code_is_explained():
    assert [code.ident for code in Code if code not in EXPLANATIONS] == []


@pytest.mark.parametrize("code", EXPLANATIONS, ids=lambda code: code.ident)
def test_an_explanation_is_sentences_that_say_more_than_the_title(code):
    text = EXPLANATIONS[code]
    assert text[0].isupper() or text[0] == "`"
    assert text.endswith(".")
    assert "  " not in text
    assert code.title not in text.lower()


def test_explain_prints_it(tailc):
    ended = tailc("explain", "tc0226")
    assert ended.code == 0
    assert ended.out.startswith("TC0226 (error, exit code 65): times of a closed loop")
    assert "coordinated omission" in " ".join(ended.out.split())


def test_a_warning_is_called_one(tailc):
    assert tailc("explain", "TC0251").out.startswith("TC0251 (warning): ")


def test_a_code_that_there_is_not_is_refused(tailc):
    ended = tailc("explain", "overload")
    assert ended.code == 64
    assert "no code `overload`; a code is such as `TC0105`" in ended.err


def test_a_code_that_is_nearly_one_is_corrected(tailc):
    assert "did you mean `TC0226`?" in tailc("explain", "226").err
