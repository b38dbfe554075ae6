"""One training run: model, optimizer, data order and log, saved whole and resumable."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from training import loops
from training import model as models
from training.data import Batches, Ids, Prompts, split_line_ends
from training.settings import Settings, rate_at

LOG_COLUMNS = ("step", "tokens", "minutes", "rate", "loss", "held_out", "unlikelihood", "looping")


def new_optimizer(model: LlamaForCausalLM, settings: Settings) -> torch.optim.AdamW:
    """AdamW; weight decay on matrices only, not on the scales of the norms."""
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    scales = [weight for weight in model.parameters() if weight.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": settings.decay}, {"params": scales}]
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), weight_decay=0.0, fused=True)


class Run:
    """A run in a folder: ``advance`` makes one update, ``train`` all that are left."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        tokenizer: PreTrainedTokenizerFast,
        ids: tuple[Ids, Ids],
    ) -> None:
        self.folder, self.settings = folder, settings
        rows, length, seed = settings.rows, settings.length, settings.seed
        late_rows = max(1, rows * length // settings.late_length)
        split = split_line_ends(ids[0], tokenizer, settings.split_share, seed)
        self.whole_batches = Batches(ids[0], rows, length, seed)
        self.batches = Batches(split, rows, length, seed)
        self.late_batches = Batches(split, late_rows, settings.late_length, seed + 1)
        self.prompts = Prompts(ids[0], tokenizer, settings.loop_rows, seed)
        held_out = Batches(ids[1], rows, length, seed=0)
        self.held_out = [held_out(i) for i in range(min(6, held_out.per_pass))]
        shape = models.config(len(tokenizer), settings.width, settings.layers)
        self.model = models.new_model(shape, seed)
        self.optimizer = new_optimizer(self.model, settings)
        self.step, self.seconds = 0, 0.0  # seconds of processor time, so a pause costs nothing
        self.log: list[dict[str, float]] = []

    def save(self, name: str = "checkpoint.pt") -> None:
        """Write beside the old checkpoint, then rename over it: a kill leaves one whole file."""
        state = {
            "settings": dataclasses.asdict(self.settings),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "log": self.log,
        }
        part = self.folder / (name + ".part")
        torch.save(state, part)
        os.replace(part, self.folder / name)
        with open(self.folder / "loss.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, LOG_COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.log)

    def load(self, state: dict[str, Any]) -> None:
        """Continue from a loaded checkpoint."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds, self.log = state["step"], state["seconds"], state["log"]

    def batch(self) -> Tensor:
        """Token ids for this step: short rows in stage one, long ones in stage two."""
        late = self.step - self.settings.steps
        if late >= 0:
            return self.late_batches(late)
        whole = self.step < self.settings.split_from
        return self.whole_batches(self.step) if whole else self.batches(self.step)

    def advance(self) -> dict[str, float]:
        """One update; returns what the log wants to know."""
        start = time.process_time()
        rate = rate_at(self.step, self.settings)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = self.batch()
        loss = models.likelihood_loss(self.model, batch)
        loss.backward()
        facts = {"loss": loss.item(), "rate": rate}
        if self.step >= self.settings.steps:
            facts |= self.unlearn(batch)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)
        self.step += 1
        self.seconds += time.process_time() - start
        return facts

    def unlearn(self, batch: Tensor) -> dict[str, float]:
        """Add the gradients of the unlikelihood of the model's own loops and of made ones."""
        settings = self.settings
        facts = {"unlikelihood": 0.0}
        if settings.loop_rows:
            prompts = self.prompts(self.step)
            rows, bad, facts["looping"] = loops.own_loops(
                self.model, prompts, settings.loop_tokens, settings.ngram
            )
            chosen = slice(settings.loop_rows // 2)  # half the time, nearly all of the signal
            facts["unlikelihood"] = self.unlearn_rows(rows[chosen], bad[chosen])
        if settings.made_rows:
            rows, bad = loops.made_loops(batch, settings.made_rows, seed=self.step)
            facts["made"] = self.unlearn_rows(rows, bad)
        return facts

    def unlearn_rows(self, rows: Tensor, bad: Tensor) -> float:
        """Backward pass of the weighted unlikelihood; its value before the update."""
        if not bad.any():
            return 0.0
        loss = self.settings.loop_weight * loops.unlikelihood_loss(self.model, rows, bad)
        loss.backward()
        return float(loss.detach())

    def test(self) -> float:
        """Mean loss on a few held-out rows, nats per token."""
        with torch.no_grad():
            losses = [float(models.likelihood_loss(self.model, rows)) for rows in self.held_out]
        return sum(losses) / len(losses)

    def plan(self, minutes: float) -> None:
        """Time both kinds of step, start afresh, and split the minutes four to one."""
        state = {name: value.clone() for name, value in self.model.state_dict().items()}
        seconds = []
        for stage_start in (0, self.settings.steps):
            self.step = stage_start
            self.advance()
            start = time.monotonic()
            for _ in range(2):
                self.advance()
            seconds.append((time.monotonic() - start) / 2)
        self.model.load_state_dict(state)
        self.optimizer = new_optimizer(self.model, self.settings)
        self.step, self.seconds = 0, 0.0
        steps, loop_steps = 48 * minutes / seconds[0], 12 * minutes / seconds[1]
        self.settings = dataclasses.replace(
            self.settings, steps=max(1, int(steps)), loop_steps=max(1, int(loop_steps))
        )

    def train(self, stop_at: int | None = None) -> None:
        """All remaining steps (or those up to ``stop_at``), with log lines and checkpoints."""
        settings, window = self.settings, list[dict[str, float]]()
        while self.step < min(settings.all_steps, stop_at or settings.all_steps):
            window.append(self.advance())
            every = settings.test_every if self.step <= settings.steps else 25
            if self.step % every == 0 or self.step in (settings.steps, settings.all_steps):
                self.note(window)
                window = []
                self.save()
            if self.step == settings.steps:
                self.save("likelihood.pt")

    def note(self, window: list[dict[str, float]]) -> None:
        """Append the means since the last line to the log and print them."""
        means = {}
        for key in sorted({key for facts in window for key in facts}.intersection(LOG_COLUMNS)):
            values = [facts[key] for facts in window if key in facts]
            means[key] = round(sum(values) / len(values), 5)
        tokens = self.step * self.settings.rows * self.settings.length
        row = {"step": self.step, "tokens": tokens, "minutes": round(self.seconds / 60, 2)}
        self.log.append(row | means | {"held_out": round(self.test(), 4)})
        print(json.dumps(self.log[-1]), flush=True)
