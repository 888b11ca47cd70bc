import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tailc.errors import Code, TailcError
from tailc.traces.source import Source, open_source
from tailc.traces.trace import read_trace, trace_in
from tests.tailc.traces.making import DATA, FORMATS, reading, written


def no_room(*_arguments, **_named):
    raise FileNotFoundError(2, "No usable temporary directory found")


def refusal(source: str) -> str:
    with pytest.raises(TailcError) as caught, open_source(source):
        pass
    (finding,) = caught.value.findings
    assert finding.code is Code.CANNOT_READ
    return finding.message


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_regular_file_needs_no_temporary_one(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("tempfile.TemporaryFile", no_room)
    assert read_trace(written(tmp_path, suffix, DATA), reading()).profile.total_weight == 4


def test_no_room_for_what_can_be_read_once_only_is_said(monkeypatch):
    monkeypatch.setattr("tempfile.TemporaryFile", no_room)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"demand\n1\n")))
    assert refusal("-") == "`<stdin>` cannot be read: no usable temporary directory found"


def test_standard_input_that_is_closed_or_fails_is_said(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert refusal("-") == "`<stdin>` cannot be read: it is closed"
    with Path(os.devnull).open("wb") as for_writing:
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=for_writing))
        assert refusal("-").startswith("`<stdin>` cannot be read: ")


def test_a_file_that_goes_away_before_it_is_measured_is_said(tmp_path, monkeypatch):
    path = written(tmp_path, "csv", DATA)
    monkeypatch.setattr("tailc.traces.source.Source.raw", no_room)
    assert refusal(path).startswith(f"`{path}` cannot be read")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_pipe_is_read_like_a_file(tmp_path, suffix):
    data = Path(written(tmp_path, suffix, DATA)).read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    assert read_trace(str(pipe), reading()).profile.demand_ms.tolist() == DATA["demand"]
    writer.join()


@pytest.mark.parametrize("suffix", FORMATS)
def test_standard_input_can_be_read_by_several_readings(tmp_path, monkeypatch, suffix):
    data = Path(written(tmp_path, suffix, DATA)).read_bytes()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    with open_source("-") as source:
        assert trace_in(source, reading()).profile.total_weight == 4
        assert trace_in(source, reading(weight="n")).profile.total_weight == 9


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_stream_is_closed_though_someone_may_still_hold_it(tmp_path, monkeypatch, suffix):
    streams = []
    raw = Source.raw

    def kept(source):
        streams.append(raw(source))
        return streams[-1]

    monkeypatch.setattr(Source, "raw", kept)
    read_trace(written(tmp_path, suffix, DATA), reading())
    assert len(streams) > 1
    assert all(stream.closed for stream in streams)
