"""Draws ratios as bars, as an SVG that follows the reader's light or dark theme."""

from html import escape

WIDTH, LABELS, BAR, GAP = 760, 110, 9, 10
COLOURS = {"pathcc": "#2a9d8f", "clang -fprofile-generate": "#e76f51"}


def bars(rows: list[tuple[str, dict[str, float]]], title: str) -> str:
    """One group of bars for each row: a name, and ratios by compiler.

    The axis starts at 0.9; 1 is no cost.
    """
    names = [name for name in COLOURS if any(name in values for _, values in rows)]
    low, high = (
        0.9,
        max(1.1, *(value for _, values in rows for name, value in values.items() if name in names)),
    )
    scale = (WIDTH - LABELS - 60) / (high - low)
    step = BAR * len(names) + GAP
    height = 60 + step * len(rows)

    def x(value: float) -> float:
        return LABELS + (max(value, low) - low) * scale

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="{escape(title)}">'
        ),
        (
            "<style>text{font:12px sans-serif;fill:#222}.axis{stroke:#888;stroke-width:1}"
            "@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>"
        ),
        f'<text x="8" y="18">{escape(title)}</text>',
    ]
    for number, name in enumerate(names):
        key = WIDTH - 200 * (len(names) - number)
        parts.append(f'<rect x="{key}" y="28" width="10" height="10" fill="{COLOURS[name]}"/>')
        parts.append(f'<text x="{key + 15}" y="37">{escape(name)}</text>')
    tick = low
    while tick <= high + 1e-9:
        line = ' stroke-width="2"' if abs(tick - 1) < 1e-9 else ' opacity="0.3"'
        parts.append(
            f'<line class="axis"{line} x1="{x(tick):.1f}" x2="{x(tick):.1f}" '
            f'y1="44" y2="{height - 14}"/>'
        )
        parts.append(f'<text x="{x(tick) - 8:.1f}" y="{height - 2}">{tick:.1f}</text>')
        tick += 0.1
    for number, (row, values) in enumerate(rows):
        top = 48 + step * number
        parts.append(f'<text x="8" y="{top + BAR + 3}">{escape(row)}</text>')
        for place, name in enumerate(names):
            if name in values:
                value = values[name]
                left, right = sorted((x(1), x(value)))
                y = top + place * BAR
                width = max(right - left, 1.0)
                parts.append(
                    f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{BAR - 1}" '
                    f'fill="{COLOURS[name]}">'
                    f"<title>{escape(row)}, {escape(name)}: {value:.3f}</title></rect>"
                )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
