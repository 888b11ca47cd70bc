"""Helpers of test_any_text.py that other tests use too."""


def edited(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, length, token in edits:
        at = start % (len(text) + 1)
        text = text[:at] + token + text[at + length :]
    return text
