"""The rows of a sweep: what one decoding took, as a table on disk and in memory.

Counts only: tokens, passes and slots are the same on every machine. Times are left out, because a
sweep keeps all cores busy; latency is measured by itself (``scale.latency``).
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookahead_viz.records import Run
from lookahead_viz.scale.plan import Cell
from lookahead_viz.scale.sizes import Sizes

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SweepRow:
    """One decoding. Greedy has W = N = 1, G = 0. ``error`` is a sentence, or empty."""

    model: str
    model_digest: str
    prompt: str  # its name
    prompt_tokens: int
    method: str
    W: int
    N: int
    G: int
    max_new_tokens: int
    tokens: int
    steps: int
    slots: int  # of all passes together
    scores: int  # query-key pairs: sum of slots x (cached + slots)
    logit_rows: int  # slots that were asked for logits
    text: str  # 12 hex digits of the SHA-256 of the emitted ids
    finish: str
    error: str = ""

    @property
    def sizes(self) -> Sizes | None:
        """None for greedy."""
        return None if self.method == "greedy" else Sizes(self.W, self.N, self.G)

    @property
    def compression(self) -> float:
        """Accepted tokens divided by passes; 0.0 without passes."""
        return self.tokens / self.steps if self.steps else 0.0


COLUMNS = tuple(field.name for field in fields(SweepRow))
_NUMBERS = tuple(field.name for field in fields(SweepRow) if field.type == "int")


def row_of(run: Run, cell: Cell, digest: str) -> SweepRow:
    """What a sweep keeps of a run."""
    failure = run.failure or ""
    return SweepRow(
        **_identity(cell, run.model.name, digest, len(run.prompt_ids)),
        tokens=len(run.token_ids),
        steps=len(run.steps),
        slots=run.slots_fed,
        scores=sum(
            # position of slot 0 = rows in the cache
            step.layout.slots * (step.layout.positions[0] + step.layout.slots)
            for step in run.steps
        ),
        logit_rows=sum(p is not None for step in run.steps for p in step.predictions),
        text=hashlib.sha256(repr(run.token_ids).encode()).hexdigest()[:12],
        finish="error" if failure else run.finish_reason,
        error=failure,
    )


def failed_row(cell: Cell, model: str, digest: str, sentence: str) -> SweepRow:
    """A decoding that never began, or whose process ended."""
    return SweepRow(
        **_identity(cell, model, digest, 0),
        tokens=0,
        steps=0,
        slots=0,
        scores=0,
        logit_rows=0,
        text="",
        finish="error",
        error=sentence,
    )


def _identity(cell: Cell, model: str, digest: str, prompt_tokens: int) -> dict[str, Any]:
    sizes = cell.sizes
    wng = (sizes.window_size, sizes.ngram_size, sizes.max_candidates) if sizes else (1, 1, 0)
    return {
        "model": model,
        "model_digest": digest,
        "prompt": cell.prompt_name,
        "prompt_tokens": prompt_tokens,
        "method": cell.config().method,
        **dict(zip(("W", "N", "G"), wng, strict=True)),
        "max_new_tokens": cell.max_new_tokens,
    }


def row_from(values: Mapping[str, Any]) -> SweepRow:
    """A row from a mapping of its columns; ValueError in one sentence when it is none."""
    try:
        made = {name: values[name] for name in COLUMNS}
        made |= {name: int(made[name]) for name in _NUMBERS}
        made |= {name: str(made[name]) for name in COLUMNS if name not in _NUMBERS}
        return SweepRow(**made)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"this is no row of a sweep ({type(error).__name__}: {error}); it must have the "
            f"columns {', '.join(COLUMNS)}."
        ) from error


def read_rows(path: Path) -> tuple[SweepRow, ...]:
    """The rows of a CSV file of ``write_rows``; ValueError in one sentence for another file."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return tuple(row_from(line) for line in csv.DictReader(stream))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path.name!r} is no CSV file of a sweep ({error}).") from error


def write_rows(rows: Iterable[SweepRow], path: Path) -> None:
    """Write ``.csv`` or ``.parquet``, by the name; ValueError for another ending."""
    if path.suffix == ".csv":
        path.write_bytes(csv_bytes(rows))
    elif path.suffix == ".parquet":
        path.write_bytes(parquet_bytes(rows))
    else:
        raise ValueError(f"{path.name!r} must end in .csv or .parquet.")


def csv_bytes(rows: Iterable[SweepRow]) -> bytes:
    """The table as CSV, UTF-8."""
    import io

    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue().encode("utf-8")


def parquet_bytes(rows: Iterable[SweepRow]) -> bytes:
    """The table as Parquet."""
    import io

    stream = io.BytesIO()
    frame_of(rows).to_parquet(stream, index=False)
    return stream.getvalue()


def frame_of(rows: Iterable[SweepRow]) -> pd.DataFrame:
    """The table in pandas."""
    import pandas as pd

    return pd.DataFrame([asdict(row) for row in rows], columns=list(COLUMNS))
