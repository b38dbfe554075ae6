"""Figures as files. Plotly draws them with kaleido and a Chromium, both optional."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import plotly.graph_objects as go

KINDS = (".svg", ".png", ".pdf")


def save_figure(figure: go.Figure, path: str | Path, *, width: int = 1000) -> None:
    """Write ``figure`` to ``path``, whose ending says how: .svg, .png or .pdf.

    ValueError for another ending; RuntimeError, in one sentence, without kaleido or Chromium.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in KINDS:
        raise ValueError(f"a figure is saved as {', '.join(KINDS)}; {target.name!r} is none.")
    if find_spec("kaleido") is None:
        raise RuntimeError(
            "saving a figure needs kaleido: pip install kaleido. The player saves its views as "
            "SVG and PNG without it."
        )
    try:
        image = figure.to_image(format=kind[1:], width=width)
    except Exception as error:  # kaleido raises its own errors, and needs a Chromium
        first = str(error).strip().partition("\n")[0]
        raise RuntimeError(f"kaleido could not draw the figure: {first}") from error
    target.write_bytes(image)
