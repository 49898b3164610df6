"""Charts of every kind, and what is drawn of them as lines of words: no picture is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from support.approved import short
from weft.charts import Chart, ChartAxis, Mark, Matrix, Track
from weft.fabric.topologies import FabricAsked
from weft.report.drawing import _laid_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.fabric.network import Fabric
    from weft.report.paper import Paper

_SIZES = ChartAxis("message size", ticks=((64.0, "64 B"), (1024.0, "1 KiB"), (65536.0, "64 KiB")))
_X = (1024.0, 64.0, 65536.0)


def _curve(label: str, factor: float, **more: Any) -> Track:
    y = tuple(factor * one for one in (2.0, 1.1, 9.0))
    low, high = tuple(0.9 * one for one in y), tuple(1.3 * one for one in y)
    return Track(label=label, x=_X, y=y, **{"low": low, "high": high, **more})


def _chart(name: str, x: ChartAxis, y: ChartAxis, tracks: tuple[Track, ...], **more: Any) -> Chart:
    return Chart(name=name, title=name, alt="", x=x, y=y, tracks=tracks, **more)


def _matrix(name: str, count: int, **more: Any) -> Chart:
    values = np.arange(count * count, dtype=float).reshape(count, count)
    matrix = Matrix(
        values=values, label="longer in %", names=tuple(f"n{at}" for at in range(count)), **more
    )
    axis = ChartAxis("to", is_log=False)
    return _chart(name, axis, axis, (), matrix=matrix)


def charts() -> tuple[Chart, ...]:
    """One of each kind, no two values in it alike."""
    unknown = {"low": (1.0, -np.inf, 5.0), "high": (3.0, np.inf, 10.0)}
    plain = ChartAxis("work in µs", is_log=False)
    return (
        _chart("curves", _SIZES, ChartAxis("latency in µs"), (
            _curve("tcp", 1.0), _curve("tcp:turn", 1.4, shade=1), _curve("mpi", 0.6, group=1),
            _curve("trend", 0.5, style="line", group=2, low=(), high=()),
            _curve("", 0.8, style="points", group=3), _curve("ucx", 3.0, group=4, **unknown),
        ), marks=(
            Mark(axis="y", at=4.5, text="12.5 GB/s of the link"),
            Mark(axis="y", at=4.4, text="nearly there too", group=1),
            Mark(axis="y", at=4e9, text="far above", group=2),
            Mark(axis="y", at=1e-9, text="far below", group=2),
            Mark(axis="x", at=1500.0, text="eager below", group=1),
            Mark(axis="x", at=9000.0, text="", group=1),
            Mark(axis="y", at=3.0, text="words that are longer than any line has room for, " * 3),
        )),
        _chart("differences", plain, ChartAxis("faster in %", is_log=False, ends=(-30.0, 40.0)), (
            _curve("a curve whose label is so long that it takes two lines of a legend", -3.0,
                   is_signed=True, low=(), high=()),
            _curve("another one, not as long", 2.0, is_signed=True),
        ), marks=(Mark(axis="y", at=0.0, text="alike"),)),
        _chart("bars", plain, ChartAxis("parts in µs", is_log=False), (
            _curve("wait", 1.0, style="bar", base=(0.0, 0.0, 0.0), low=(), high=()),
            _curve("work", 2.0, style="bar", base=(2.0, 1.1, 9.0), low=(), high=(), group=1),
        )),
        _matrix("few names", 5, ends=(1.0, 20.0), begins=(3,)),
        _matrix("many names", 40, ends=(-9.0, 9.0), begins=(7, 21), is_signed=True),
        _matrix("more names", 40, ends=(-9.0, 9.0)),
    )  # fmt: skip


def drawn_in_words(chart: Chart, paper: Paper) -> Iterator[str]:
    """Sizes, axes, curves, bars, colours and words of it, as they lie once all is laid out."""
    with _laid_out(chart, paper) as (canvas, axes):
        yield f"inches {short(canvas.get_size_inches().tolist())}"
        for axis in (axes.xaxis, axes.yaxis):
            ticks = [one for one in axis.get_ticklabels() if one.get_visible() and one.get_text()]
            shown = [(one.get_text(), one.get_rotation()) for one in ticks]
            ends, scale = axis.get_view_interval().tolist(), axis.get_scale()
            yield f"axis {axis.get_label_text()!r} {scale} {short(ends)} {shown}"
        for line in axes.get_lines():
            look = (line.get_color(), line.get_marker(), line.get_linestyle(), line.get_alpha())
            width = (line.get_markersize(), line.get_linewidth(), line.get_zorder())
            yield f"line {short(line.get_xydata().tolist())} {look} {width}"
        for own in axes.collections:
            yield f"bars {[short(one.tolist()) for one in own.get_segments()]}"
        for bar in axes.patches:
            place = [*bar.get_xy(), bar.get_width(), bar.get_height()]
            yield f"bar {short(list(map(float, place)))} {short(bar.get_facecolor())}"
        for image in axes.images:
            colours, ends = image.get_cmap(), image.get_clim()
            bar, whole = image.colorbar, float(np.nansum(image.get_array()))
            yield f"matrix {colours.name} {colours.N} {short(ends)} {whole:g}"
            yield f"colours of {bar.ax.get_ylabel()!r} {bar.extend}"
        if legend := axes.get_legend():
            yield f"legend in {legend._ncols}: {[one.get_text() for one in legend.get_texts()]}"
        for words in axes.texts:
            lie = (words.get_ha(), words.get_va(), words.get_rotation(), words.get_color())
            yield f"words {words.get_text()!r} {short(words.xy)} {short(words.xyann)} {lie}"


def fabrics_drawn() -> tuple[FabricAsked, ...]:
    """One of each shape, of which no two sides or levels are alike."""
    return (
        FabricAsked(nodes=16, switch="6", blocking="2:1"),
        FabricAsked(nodes=60, switch="8"),
        FabricAsked(nodes=60, switch="9", topology="torus", shape="2x3x4"),
        FabricAsked(nodes=72, switch="7", topology="dragonfly"),
        FabricAsked(nodes=5, switch="8"),
    )


def loads_unlike(fabric: Fabric) -> dict[str, float]:
    """Bytes of each cable, by the names that a routing gives them: all loads of a legend."""
    carried = {
        f"cable-{trunk.one}-{trunk.other}-0": 1.0 + at % 7 + at / 50
        for at, trunk in enumerate(fabric.trunks)
    }
    return {"node": 2.0, **carried}
