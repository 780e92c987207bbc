#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws Benchmarks/figures.csv as Benchmarks/figures.svg, and writes its table into Benchmarks/README.md.

    Benchmarks/plot.py [--check]

Each bar compares a figure with its target: to the left of the line the target is met, to the right it is missed.
With --check it writes nothing, and exits with 1 if the drawing or the table doesn't match the figures.
"""

import csv
import math
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
ROW, LEFT, WIDTH, SPAN = 22, 330, 420, 20.0


def share(row):
    """Returns the ratio of a figure to its target; above 1, the target is missed."""
    ratio, wanted = float(row["ratio"]), float(row["wanted"])
    return ratio / wanted if row["better"] == "less" else wanted / ratio


def position(value):
    """Returns the horizontal position of a share, on a logarithmic scale from 1/20 to 20."""
    clamped = min(max(value, 1 / SPAN), SPAN)
    return LEFT + WIDTH * (math.log(clamped) / math.log(SPAN) + 1) / 2


def drawing(rows):
    height = ROW * (len(rows) + 2)
    middle = position(1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 70} {height}" '
        'font-family="sans-serif" font-size="12">',
        "<style>text{fill:#222}.met{fill:#2f7d4f}.missed{fill:#b3421f}.line{stroke:#888}"
        "@media (prefers-color-scheme:dark){text{fill:#ddd}}</style>",
        f'<text x="{middle - 8}" y="14" text-anchor="end">met</text><text x="{middle + 8}" y="14">missed</text>',
    ]
    for number, row in enumerate(rows):
        y = ROW * (number + 1)
        end = position(share(row))
        kind = "missed" if share(row) > 1 else "met"
        lines.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(row["module"])}: {escape(row["case"])}</text>')
        lines.append(
            f'<rect class="{kind}" x="{min(middle, end):.1f}" y="{y + 4}" width="{abs(end - middle):.1f}" height="{ROW - 8}"/>'
        )
        lines.append(f'<text x="{LEFT + WIDTH + 8}" y="{y + 15}">{row["ratio"]}</text>')
    lines.append(f'<line class="line" x1="{middle}" y1="{ROW - 2}" x2="{middle}" y2="{height - ROW + 4}"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def table(rows):
    lines = ["| module | case | floor | ratio | spread | target | | allocations | command |", "|" + "---|" * 9]
    for row in rows:
        wanted = ("at most " if row["better"] == "less" else "at least ") + row["wanted"]
        spread = "" if row["low"] == row["high"] else f"{row['low']} to {row['high']}"
        met = "missed" if share(row) > 1 else ""
        cells = [row["module"], row["case"], row["floor"], row["ratio"], spread, wanted, met, row["allocations"]]
        lines.append("| " + " | ".join(cells) + f" | `{row['command']}` |")
    return "\n".join(lines) + "\n"


with open(HERE / "figures.csv", newline="") as file:
    figures = list(csv.DictReader(file))
readme = (HERE / "README.md").read_text()
before, rest = readme.split(BEGIN)
after = rest.split(END)[1]
files = {
    HERE / "figures.svg": drawing(figures),
    HERE / "README.md": before + BEGIN + table(figures) + END + after,
}
if "--check" in sys.argv:
    stale = [path.name for path, text in files.items() if not path.exists() or path.read_text() != text]
    if stale:
        sys.exit(f"{', '.join(stale)}: out of date with figures.csv. To fix, run Benchmarks/plot.py")
else:
    for path, text in files.items():
        path.write_text(text)
