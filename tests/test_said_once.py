"""What holds in many places is one sentence, and many hosts have few words."""

from weft.wording import hosts_in_words, said_once


def test_what_holds_in_many_places_is_said_once() -> None:
    lines = ["queue depth: mpi, stream: binds", "queue depth: tcp, stream: binds",
             "queue depth: ucx, stream: does not", "alone"]  # fmt: skip
    assert said_once(lines) == [
        "queue depth: mpi, stream; tcp, stream: binds", "queue depth: ucx, stream: does not",
        "alone",
    ]  # fmt: skip


def test_sentences_that_only_end_alike_are_not_one() -> None:
    said = [
        f"queue depth: {one}, stream, 8 B: Q = 64 gives 95% of the best of 256; 16 bind: from there"
        for one in ("mpi", "tcp")
    ]
    assert said_once(said) == said


def test_few_hosts_are_named_and_many_counted() -> None:
    assert hosts_in_words([]) == ""
    assert hosts_in_words(["alpha"]) == "alpha"
    assert hosts_in_words({"alpha": 1, "beta": 2, "gamma": 3}) == "alpha, beta and gamma"
    assert hosts_in_words([f"n{at}" for at in range(1, 65)]) == "64 hosts, n1 to n64"
