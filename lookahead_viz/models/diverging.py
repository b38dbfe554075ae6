"""``lv.diverge``: one prompt, one model, several precisions, attentions and methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lookahead_viz.config import Config, GreedyConfig, JacobiConfig, LookaheadConfig
from lookahead_viz.divergence import ATTENTIONS, USUAL_DTYPES, Divergence, Progress, explore
from lookahead_viz.engine.model import Model
from lookahead_viz.engine.recording import record
from lookahead_viz.models.loading import load_model
from lookahead_viz.models.progress import OnProgress

TOKENS = 64


def diverge(
    source: str,
    prompt: str | Sequence[int],
    configs: Sequence[Config] | None = None,
    *,
    dtypes: Sequence[str] = USUAL_DTYPES,
    attentions: Sequence[str] = ATTENTIONS,
    device: str = "auto",
    on_progress: Callable[[Progress], bool] | None = None,
) -> Divergence:
    """Where the texts of ``prompt`` part, by model ``source`` (as in ``load_model``).

    ``configs``: the methods; None = greedy, Jacobi and lookahead as they are by default. The
    model is loaded once for each dtype and attention. See ``divergence.explore``, and
    ``divergence_words.answer`` for the result in sentences.
    """

    def load(dtype: str, attention: str, on_progress: OnProgress) -> Model:
        return load_model(source, device, dtype, attention, on_progress=on_progress)

    def recorded(model: Any, prompt: Any, config: Config, on_step: Any) -> Any:
        return record(model, prompt, config, on_step=on_step)

    chosen = configs if configs is not None else usual_configs(TOKENS)
    return explore(
        load,
        recorded,
        prompt,
        chosen,
        dtypes=dtypes,
        attentions=attentions,
        on_progress=on_progress,
    )


def usual_configs(tokens: int) -> tuple[Config, ...]:
    """Greedy, Jacobi and lookahead of so many tokens; no alternatives are recorded."""
    return tuple(
        kind(max_new_tokens=tokens, alternatives=0)
        for kind in (GreedyConfig, JacobiConfig, LookaheadConfig)
    )
