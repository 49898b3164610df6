"""Tests whose figure depends on which nodes take part: those of two ranks, and those that draw."""

# Tests of two ranks that are alone on the fabric: which two is said by `pairs`.
OF_PAIRS = ("ping_pong", "ping_ping", "stream")
# Tests that draw who sends to whom anew for each launch, and how often they are drawn: the mean of
# so many is within 2 % where a draw scatters by 10 %.
DRAWING = ("random_pairs",)
DRAWS = 30
