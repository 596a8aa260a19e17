"""The plot of `growth.py`: one small panel for each thing that grows, its time beside a line of linear growth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("svg")
mpl.rcParams.update(
    {"svg.hashsalt": "jax_nbhelp", "font.size": 8, "axes.spines.top": False, "axes.spines.right": False}
)

from matplotlib import pyplot as plt  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from growth import Curve

COLUMNS = 4
INK, PALE = "#1f5fa8", "#9a9a9a"


def plot(results: dict[str, list[Curve]], target: Path) -> None:
    """Writes the plot.

    Args:
      results: the curves by the title of their sweep; the slowest of a sweep is drawn.
      target: an SVG file.
    """
    rows = math.ceil(len(results) / COLUMNS)
    figure, axes = plt.subplots(
        rows, COLUMNS, figsize=(2.8 * COLUMNS, 2 * rows), squeeze=False, layout="constrained"
    )
    for panel in axes.flat[len(results) :]:
        panel.set_visible(False)
    for panel, (title, curves) in zip(axes.flat, results.items(), strict=False):
        one = max(curves, key=lambda curve: curve.seconds[-1])
        times = [1e3 * seconds for seconds in one.seconds]
        linear = [times[-1] * size / one.sizes[-1] for size in one.sizes]
        panel.loglog(one.sizes, linear, color=PALE, linestyle=":", linewidth=1)
        panel.loglog(one.sizes, times, color=INK, marker="o", markersize=3, linewidth=1.5)
        panel.set_title(title, loc="left", fontsize=8, fontweight="bold")
        panel.set_ylim(min(times) / 4, max(times) * 8)
        panel.text(0.04, 0.9, f"exponent {one.exponent:.2f}", transform=panel.transAxes, ha="left", color=INK)
        panel.set_ylabel("ms")
        panel.minorticks_off()
    figure.savefig(target, metadata={"Date": None})
