"""The list of target languages."""

from __future__ import annotations

from tailc.embed import bpf, c, cpp, go, java, rust
from tailc.embed.language import Language
from tailc.errors import Code, Finding, TailcError, did_you_mean

LANGUAGES: dict[str, Language] = {
    language.word: language
    for language in (
        *(c.LANGUAGE, cpp.LANGUAGE, java.LANGUAGE, go.LANGUAGE, rust.LANGUAGE, bpf.LANGUAGE),
    )
}


def find_language(word: str) -> Language:
    """Find the language called `word`; TailcError with a suggestion if there is none."""
    if word not in LANGUAGES:
        help_ = did_you_mean(word, list(LANGUAGES))
        raise TailcError(Finding(Code.USAGE, f"no language `{word}` to embed in", help=help_))
    return LANGUAGES[word]
