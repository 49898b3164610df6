"""A transport has its own colour, marker and dash on every page, whatever stands beside it."""

import pytest

from weft.charts import Chart, ChartAxis, Mark, Track
from weft.colours import COLOURS, SHADES, of_transports, places_of, shaded

AXIS = ChartAxis("x")


def chart_with(*labels: str, marks: tuple[Mark, ...] = ()) -> Chart:
    tracks = tuple(
        Track(label=label, x=(1.0,), y=(1.0,), group=at) for at, label in enumerate(labels)
    )
    return Chart(name="a", title="a", alt="a", x=AXIS, y=AXIS, tracks=tracks, marks=marks)


def looks(chart: Chart) -> dict[str, tuple[int, int]]:
    return {track.label: (track.group, track.shade) for track in chart.tracks}


def test_a_transport_has_one_colour_whatever_stands_before_it() -> None:
    names = ("ofi", "tcp", "mpi")
    one = looks(of_transports(chart_with("ofi", "tcp"), names))
    other = looks(of_transports(chart_with("mpi", "tcp (night.jsonl)", "ofi"), names))
    assert one["tcp"] == other["tcp (night.jsonl)"]
    assert one["ofi"] == other["ofi"]
    assert len({*one.values(), *other.values()}) == 3


def test_variants_are_shades_of_their_transport() -> None:
    found = looks(of_transports(chart_with("tcp", "tcp q16", "mpi", "tcp/stream"), ("mpi", "tcp")))
    assert found["tcp"][0] == found["tcp q16"][0] == found["tcp/stream"][0] != found["mpi"][0]
    assert [found[name][1] for name in ("tcp", "tcp q16", "tcp/stream")] == [0, 1, 2]


def test_what_is_no_transports_takes_what_is_left_and_marks_follow_their_track() -> None:
    mark = Mark(axis="y", at=1.0, text="knee", group=1)
    drawn = of_transports(chart_with("ideal", "tcp", marks=(mark,)), ("tcp",))
    assert looks(drawn)["ideal"][0] != looks(drawn)["tcp"][0] == places_of(("tcp",))["tcp"]
    assert drawn.marks[0].group == looks(drawn)["tcp"][0]
    swapped = looks(of_transports(chart_with("tcp", "ideal"), ("tcp",)))
    assert swapped["tcp"] == looks(drawn)["tcp"]
    plain = chart_with("8 B", "1 KiB")
    assert of_transports(plain, ("tcp",)) is plain


@pytest.mark.parametrize("names", [("gm",), ("elan", "gm", "tcp"), tuple("abcdefg")])
def test_unknown_transports_have_colours_of_their_own(names: tuple[str, ...]) -> None:
    found = places_of(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(names)


def test_unknown_transports_have_the_first_colours_that_nobody_has() -> None:
    assert places_of(("gm", "ucx", "mpi", "elan")) == {"mpi": 0, "ucx": 2, "elan": 1, "gm": 3}


def test_no_two_shades_are_one_colour() -> None:
    every = {shaded(group, shade) for group, _ in enumerate(COLOURS) for shade in range(SHADES)}
    assert len(every) == len(COLOURS) * SHADES
    assert shaded(0, 0) == COLOURS[0].lower()


def test_more_groups_than_colours_begin_again() -> None:
    number = len(COLOURS)
    for group in (0, 1, number - 1):
        assert shaded(group + number, 1) == shaded(group + 3 * number, 1) == shaded(group, 1)
