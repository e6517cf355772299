"""The eye chart in the page header, drawn on the five by five grid of optotypes."""

from eyechart.report.html.builder import Markup

# Strokes are one unit wide, as in Snellen charts; the C is a Landolt ring with a gap of one unit.
_STROKES = {
    "E": "M.5 0V5M0 .5H5M0 2.5H5M0 4.5H5",
    "Y": "M.4-.1 2.5 2.6 4.6-.1M2.5 2.4V5",
    "C": "M4.44 2A2 2 0 1 0 4.44 3",
    "H": "M.5 0V5M4.5 0V5M0 2.5H5",
    "A": "M.5 5.1 2.5.6 4.5 5.1M1.2 3.5H3.8",
    "R": "M.5 0V5M0 .5H3.3A1.2 1.2 0 0 1 3.3 2.9H0M2.5 2.9 4.4 5.1",
    "T": "M0 .5H5M2.5 0V5",
}
_LINES = (("E", 10.0), ("YE", 6.4), ("CHART", 3.6))  # letters and their height
_WIDTH, _GAP = 40.0, 5.0


def eye_chart() -> Markup:
    """Three lines of decreasing size; decorative, so hidden from screen readers."""
    paths, top = [], 1.0
    for letters, height in _LINES:
        scale, space = height / 5, height * 0.75
        left = (_WIDTH - (len(letters) * height + (len(letters) - 1) * space)) / 2
        for place, letter in enumerate(letters):
            x = left + place * (height + space)
            paths.append(f'<path transform="translate({x:.2f} {top:.2f}) scale({scale:.2f})" d="{_STROKES[letter]}"/>')
        top += height + _GAP
    box = f"0 0 {_WIDTH:.0f} {top - _GAP + 1:.1f}"
    opening = f'<svg class="letters" viewBox="{box}" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1">'
    return Markup(opening + "".join(paths) + "</svg>")
