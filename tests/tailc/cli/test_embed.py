"""tailc embed: which file it writes, which it leaves alone, and what it refuses."""

import json
import os
import shutil

import pytest

from tests.tailc.artifact.published import VECTORS

LUCENE = str(VECTORS / "lucene.tailc")


def test_embed_writes_the_same_file_of_either_encoding_and_again(in_folder, tailc):
    for path in (LUCENE, str(VECTORS / "lucene.json"), str(VECTORS / "lucene")):
        ended = tailc("embed", path, "--lang", "c", "-o", "deep/held.h")
        assert (ended.code, ended.out) == (
            0,
            "wrote deep/held.h: ladders and their look-up, as `lucene`\n",
        )
        (in_folder / "deep/held.h").rename(in_folder / f"{path[-5:]}.h")
    first, *others = [path.read_bytes() for path in in_folder.glob("*.h")]
    assert len(others) == 2
    assert all(other == first for other in others)


def test_embed_tells_programs_what_it_wrote(in_folder, tailc):
    words = ("embed", VECTORS / "plan.json", "--lang", "go", "-o", "held.go")
    result = json.loads(tailc(*words, "--output-format", "json").out)["result"]
    digest = json.loads((VECTORS / "plan.json").read_text())["policy_digest"]
    assert result == {"digest": digest, "sealed": True, "name": "plan", "file": "held.go"}


def test_sealed_bytes_keep_their_signature(in_folder, tailc):
    signed = VECTORS / "signed" / "good.tailc"
    key = str(VECTORS / "signed" / "test-key-1.pem")
    assert (
        tailc("embed", signed, "--lang", "go", "--sealed", "-o", "a.go", "--trust", key).code == 0
    )
    text = (in_folder / "a.go").read_text()
    words = text[text.index("[]byte{") + 7 :].replace("}", "").replace(",", " ").split()
    assert bytes(int(word, 16) for word in words) == signed.read_bytes()


def test_embed_replaces_what_it_wrote_and_nothing_else(in_folder, tailc):
    words = ("embed", VECTORS / "smallest.tailc", "--lang", "rust", "-o", "held.rs")
    assert tailc("embed", LUCENE, *words[2:]).code == 0
    assert tailc(*words).code == 0
    assert '"smallest"' in (in_folder / "held.rs").read_text()
    (in_folder / "held.rs").write_text("fn main() {}\n")
    ended = tailc(*words)
    assert (ended.code, "`held.rs` exists, and `tailc embed` did not" in ended.err) == (
        73,
        True,
    )
    assert (in_folder / "held.rs").read_text() == "fn main() {}\n"


def test_embed_replaces_no_pipe_and_no_link_into_nowhere(in_folder, tailc):
    os.mkfifo(in_folder / "pipe.h")
    (in_folder / "link.h").symlink_to("gone.h")
    for name in ("pipe.h", "link.h"):
        assert tailc("embed", LUCENE, "--lang", "c", "-o", name).code == 73
    assert (in_folder / "pipe.h").is_fifo()
    assert (in_folder / "link.h").is_symlink()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--lang", "c", "-o", "."), 73, "it is a folder"),
        (("--lang", "rst", "-o", "a.rs"), 64, "did you mean `rust`"),
        (("--lang", "java", "-o", "my-file.java"), 64, "-o Lucene.java"),
        (("--lang", "c", "--sealed", "-o", "a.h"), 64, "omit --sealed"),
        (("--lang", "c"), 64, "--output"),
        (("-o", "a.h"), 64, "--lang"),
    ],
)
def test_a_bad_command_line_writes_nothing(in_folder, tailc, words, code, told):
    ended = tailc("embed", LUCENE, *words)
    assert ended.code == code
    assert told in ended.err
    assert list(in_folder.iterdir()) == []


def test_a_damaged_or_missing_artifact_is_refused_where_it_is(in_folder, tailc):
    shutil.copy(LUCENE, in_folder / "bad.tailc")
    data = bytearray((in_folder / "bad.tailc").read_bytes())
    data[100] ^= 1
    (in_folder / "bad.tailc").write_bytes(data)
    ended = tailc("embed", "bad.tailc", "--lang", "c", "-o", "a.h")
    assert (ended.code, "bad.tailc" in ended.err) == (5, True)
    assert tailc("embed", "gone.tailc", "--lang", "c", "-o", "a.h").code == 66
    assert not (in_folder / "a.h").exists()


def test_what_no_trusted_key_has_signed_is_not_embedded(in_folder, tailc):
    key = str(VECTORS / "signed" / "test-key-1.pem")
    ended = tailc("embed", LUCENE, "--lang", "c", "-o", "a.h", "--trust", key)
    assert (ended.code, "TC0405" in ended.err) == (5, True)


def test_standard_output_is_no_source_file(in_folder, tailc):
    ended = tailc("embed", LUCENE, "--lang", "c", "-o", "-")
    assert (ended.code, list(in_folder.iterdir())) == (64, [])
    assert "names no file" in ended.err
