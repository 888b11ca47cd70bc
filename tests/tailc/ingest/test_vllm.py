"""Results of vLLM's benchmark: latencies of requests from their tokens, and how they were sent."""

import json

import pytest

from tailc.errors import Code, ExitCode
from tailc.ingest.input_times import Loop
from tailc.ingest.stated_measure import StatedMeasure
from tests.tailc.ingest.generators_case import near, read, written
from tests.tailc.ingest.refusal import OPEN, refused

NONE = StatedMeasure()
BEFORE = {"date": "20260102-030405", "backend": "vllm", "num_prompts": 3, "request_rate": 2.5}
TOTALS = {"duration": 3.1, "completed": 3, "request_throughput": 0.97}
LISTS = {
    "input_lens": [12, 90, 7],
    "output_lens": [3, 1, 2],
    "ttfts": [0.25, 0.125, 0.5],
    "itls": [[0.01, 0.02], [], [0.03]],
    "generated_texts": ["a b c", "d", "e f"],
    "errors": ["", "", ""],
}


def result(**changed):
    return {**BEFORE, "max_concurrency": None, **TOTALS, **LISTS, **changed}


def saved(folder, **changed):
    return written(folder, json.dumps(result(**changed)), "run.json")


def test_a_latency_is_the_time_to_the_first_token_and_those_between_tokens(tmp_path):
    times, found, warnings = read(saved(tmp_path), NONE)
    assert times == near([125, 280, 530])
    assert (found.format, found.loop, warnings) == ("vLLM benchmark", Loop.OPEN, [])


def test_a_benchmark_of_sglang_has_the_same_lists(tmp_path):
    document = result(sharegpt_output_len=None, random_input_len=12)
    del document["num_prompts"], document["request_throughput"]
    times, found, warnings = read(written(tmp_path, json.dumps(document) + "\n", "run.jsonl"), NONE)
    assert times == near([125, 280, 530])
    assert (found.format, found.loop, warnings) == ("SGLang benchmark", Loop.OPEN, [])
    two = written(tmp_path, (json.dumps(document) + "\n") * 2, "runs.jsonl")
    told = refused(two, OPEN)
    assert (told.code, "SGLang benchmark appended" in told.message) == (Code.BROKEN_FORMAT, True)
    closed = json.dumps({**document, "max_concurrency": 4, "request_rate": float("inf")})
    assert refused(written(tmp_path, closed, "run.jsonl"), NONE).code is Code.CLOSED_LOOP
    at_once = json.dumps({**document, "request_rate": float("inf")})
    assert "at once" in refused(written(tmp_path, at_once, "run.jsonl"), NONE).message


def test_written_latencies_and_waiting_times_in_the_client_count(tmp_path):
    latencies, queue = [0.3, 0.2, 0.6], [0.0, 1.0, 0.0]
    path = saved(tmp_path, latencies=latencies, queue_times=queue, max_concurrency=2)
    times, found, _ = read(path, NONE)
    assert (times, found.loop) == (near([300, 600, 1200]), Loop.OPEN)


@pytest.mark.parametrize("latencies", [[[0.1], [0.2], [0.3]], [[], [], []], ["0.1", "0.2", "0.3"]])
def test_latencies_that_are_no_numbers_are_refused(tmp_path, latencies):
    assert refused(saved(tmp_path, latencies=latencies), OPEN).code.value[1] is ExitCode.BAD_CONTENT


@pytest.mark.parametrize("values", [None, 5, [1]])
def test_json_that_is_only_like_a_summary_of_k6_is_a_table(tmp_path, values):
    document = json.dumps({"metrics": {"a": {"values": values}}})
    path = written(tmp_path, document, "summary.json")
    assert "k6" not in refused(path, OPEN).message


def test_a_benchmark_of_embeddings_has_latencies_alone(tmp_path):
    document = result(latencies=[0.3, 0.2, 0.6], errors=["", "", ""])
    for name in ("ttfts", "itls", "output_lens", "generated_texts"):
        del document[name]
    times, _, _ = read(written(tmp_path, json.dumps(document)), NONE)
    assert times == near([200, 300, 600])


@pytest.mark.parametrize(
    "changed",
    [
        {"errors": ["", "Traceback: timed out", ""]},
        {"ttfts": [0.25, 0.0, 0.5], "errors": ["", "Not Found", ""]},
        {"ttfts": [0.25, 0, 0.5]},
        {"latencies": [0.28, 0.0, 0.53], "queue_times": [0.1, 0.1, 0.1], "request_rate": "inf"}
        | {"max_concurrency": 1},
    ],
)
def test_requests_that_failed_are_left_out(tmp_path, changed):
    stated = OPEN if "latencies" not in changed else StatedMeasure(interval_us=10_000_000)
    times, found, warnings = read(saved(tmp_path, **changed), stated)
    assert (times, found.left_out) == (near([280, 530]), 1)
    assert warnings == [Code.FAILED_REQUESTS]


def test_a_number_of_clients_without_a_rate_is_a_closed_loop(tmp_path):
    path = saved(tmp_path, request_rate="inf", max_concurrency=4)
    assert refused(path, NONE).code is Code.CLOSED_LOOP
    assert refused(path, OPEN).code is Code.CLOSED_LOOP


def test_all_requests_at_once_are_refused_with_how_to_measure(tmp_path):
    found = refused(saved(tmp_path, request_rate="inf"), OPEN)
    assert (found.code, "at once" in found.message) == (Code.CLOSED_LOOP, True)
    assert "--request-rate" in found.help


def test_an_older_version_does_not_say_whether_its_limit_of_requests_delayed_any(tmp_path):
    path = saved(tmp_path, max_concurrency=4)
    assert refused(path, NONE).code is Code.UNSTATED_MEASURE
    assert read(path, OPEN)[0] == near([125, 280, 530])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_result_without_lists_is_a_summary_and_refused_with_what_to_run(tmp_path, indent):
    document = {**BEFORE, **TOTALS, "median_ttft_ms": 250.0, "p99_itl_ms": 29.7}
    found = refused(written(tmp_path, json.dumps(document, indent=indent)))
    assert (found.code, "a summary of vLLM" in found.message) == (Code.UNKNOWN_INPUT, True)
    assert "--save-detailed" in found.help


@pytest.mark.parametrize(
    "changed",
    [
        {"itls": [[0.01], []]},
        {"ttfts": [0.25, "x", 0.5]},
        {"ttfts": None},
        {"errors": ["", ""]},
        {"errors": [""]},
        {"queue_times": [0.5]},
        {"request_rate": "fast"},
    ],
)
def test_lists_that_do_not_fit_together_are_refused(tmp_path, changed):
    found = refused(saved(tmp_path, **changed), OPEN)
    assert (found.code, "vLLM" in found.message) == (Code.BROKEN_FORMAT, True)


@pytest.mark.parametrize("time", [-0.25, float("nan"), float("inf")])
def test_a_latency_that_is_no_time_is_refused_with_its_request(tmp_path, time):
    found = refused(saved(tmp_path, ttfts=[0.25, 0.125, time]), OPEN)
    assert found.code in (Code.NOT_POSITIVE, Code.NOT_A_NUMBER, Code.NOT_FINITE)
    assert found.place.row == 3


def test_appended_results_of_several_runs_are_refused(tmp_path):
    text = json.dumps(result()) + "\n" + json.dumps(result(request_rate=5)) + "\n"
    found = refused(written(tmp_path, text), OPEN)
    assert (found.code, "several runs" in found.message) == (Code.BROKEN_FORMAT, True)
    assert found.place.line == 2


def test_a_result_cut_off_in_the_middle_is_not_whole(tmp_path):
    found = refused(written(tmp_path, json.dumps(result())[:-30]), OPEN)
    assert (found.code, "incomplete" in found.message) == (Code.BROKEN_FORMAT, True)
