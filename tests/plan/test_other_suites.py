"""Names of tests of OMB, IMB, perftest and ucx_perftest: weft's test with that loop, or none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from support.copies import ROOT
from support.typed import request_of
from weft.errors import WeftError
from weft.plan.other_suites import SAME, choose_tests, same_as, translated

SUITES = tomllib.loads(
    (Path(__file__).parents[1] / "site" / "peers_tests.toml").read_text()
)  # fmt: skip
# weft's own tests that share no name with another suite's.
OWN = (
    "ping_pong", "ping-pong", "Ping_Pong", "stream", "halo", "milc", "copy", "burst", "shift",
    "barrier", "allreduce", "sendrecv", "get_overlap", "put_notify_ping_pong", "registration",
    "random_pairs", "message_rate", "offered_load", "pair_rounds",
)  # fmt: skip


@pytest.mark.parametrize("suite", sorted(SUITES))
def test_every_name_of_a_suite_is_a_test_of_its_transport_or_refused(suite: str) -> None:
    transport = {"perftest": "verbs", "ucx_perftest": "ucx"}.get(suite, "mpi")
    found = 0
    for name in SUITES[suite].split():
        try:
            same = same_as(name)
        except WeftError:
            continue
        assert same is not None, name
        assert same.transport.partition(":")[0] == transport, name
        found += 1
    assert found >= 5


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("osu_latency", "ping_pong --transport mpi"),
        ("osu-bw", "window_stream --transport mpi --buffers shared"),
        ("osu_bibw", "bidirectional_window_stream --transport mpi --buffers shared"),
        ("PingPong", "ping_pong --transport mpi"),
        ("pingpong", "ping_pong --transport mpi"),
        ("Uniband", "window_stream --transport mpi --buffers shared --queue-depth 256"),
        ("Sendrecv", "sendrecv --transport mpi"),
        ("ib_send_lat", "ping_pong --transport verbs --single"),
        ("ib_write_bw", "put_stream --transport verbs --queue-depth 128"),
        ("tag_lat", "ping_pong --transport ucx"),
        ("latency", "ping_pong"),
        ("bw", "stream"),
        ("bandwidth", "stream"),
        ("bidir_bandwidth", "bidirectional_stream"),
        ("incast", "hot_spot_receive"),
        ("bcast", "broadcast"),
    ],
)
def test_a_name_stands_for_the_test_with_its_loop_and_options(name: str, words: str) -> None:
    same = same_as(name)
    assert same is not None
    assert same.words == words


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("osu_gather", "gather"), ("gather", "gather"), ("Gather", "gather"),
        ("osu_ibcast", "non-blocking bcast"), ("Ibcast_pure", "non-blocking bcast"),
        ("Reduce_persist", "persistent reduce"), ("osu_foo", "foo"),
        ("Unidir_Put", "put that ends with a fence"), ("ib_atomic_bw", "atomic operation"),
    ],
)  # fmt: skip
def test_what_weft_lacks_is_said_in_a_word(name: str, what: str) -> None:
    with pytest.raises(WeftError) as refused:
        same_as(name)
    assert refused.value.what == f"weft has no {what} yet"


@pytest.mark.parametrize("name", [*OWN, "no_such_test", "igloo", "swappy"])
def test_wefts_own_names_and_unknown_ones_are_left_as_they_are(name: str) -> None:
    assert same_as(name) is None


def test_tests_of_several_transports_need_several_runs_or_a_transport() -> None:
    names = ("osu_latency", "tag_lat")
    with pytest.raises(WeftError, match="osu_latency of mpi, tag_lat of ucx"):
        translated(names, ())
    assert {one.words for one in translated(names, ("transport",)).values()} == {"ping_pong"}


def test_records_are_asked_for_a_test_by_either_name() -> None:
    known = ("ping_pong", "window_stream", "omb_gather_latency")
    asked = ("osu_latency", "osu_bw", "omb_gather_latency")
    assert choose_tests(asked, known) == known
    with pytest.raises(WeftError, match="there is no test called osu_gather"):
        choose_tests(("osu_gather",), known)


def test_a_run_measures_each_test_with_the_options_of_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = request_of(("osu_bw", "osu_latency", "Uniband"), monkeypatch)
    assert request.transports == ("mpi",)
    assert [
        (one.tests, one.variants.queue_depths, one.variants.schedules[0].kind)
        for one in request.experiments
    ] == [
        (("window_stream",), (64,), "shared"),
        (("ping_pong",), (64,), "one"),
        (("window_stream",), (256,), "shared"),
    ]
    said = capsys.readouterr().err.splitlines()
    assert "osu_latency is weft run ping_pong --transport mpi" in said


def test_what_is_typed_counts_more_than_what_a_name_brings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("ib_send_bw", "--transport", "tcp", "--queue-depth", "7")
    request = request_of(words, monkeypatch)
    assert request.transports == ("tcp",)
    assert [one.variants.queue_depths for one in request.experiments] == [(7,)]
    assert "ib_send_bw is weft run stream\n" in capsys.readouterr().err
    single = request_of(("ib_read_lat",), monkeypatch)
    assert [one.variants.single for one in single.experiments] == [True]
    simulated = request_of(("osu_latency", "--platform", "escher"), monkeypatch)
    assert simulated.transports == ()
    assert simulated.experiments[0].tests == ("ping_pong",)


def test_the_page_for_users_of_other_suites_has_the_same_tests() -> None:
    page = (ROOT / "docs" / "from-osu-to-weft.md").read_text()
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    for name, same in SAME.items():
        if not same.transport:
            continue
        pattern = re.compile(rf"(?<![\w-]){name}(?![\w*])")
        commands = [row[1] for row in rows if pattern.search(row[0])]
        assert any(set(same.tests) <= set(command.split()) for command in commands), name
