"""Write the model card from the measurements; no number in it is typed by hand.

    python -m training.card --run RUN --model assets/models/tiny --notes NOTES

The notes file holds what a person writes: ``interruption``, ``loops``, ``limits`` and ``recipe``
(the training commands), as JSON.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import platform
from pathlib import Path
from typing import Any

import torch

from training.corpus import STORY_FILE
from training.prompts import PROMPTS

TEMPLATE = Path(__file__).with_name("card_template.md")
LOSS_LINES = 24  # rows of the loss table, evenly taken from the log


def table(header: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def loss_table(path: Path) -> str:
    """Evenly spaced lines of the loss curve, first and last included."""
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    last = len(rows) - 1
    chosen = sorted({round(i * last / (LOSS_LINES - 1)) for i in range(LOSS_LINES)})
    return table(header, [rows[index] for index in chosen])


def quality_table(result: dict[str, Any]) -> str:
    """Bits per byte per kind, and how many texts loop."""
    rows = [
        [f"bits per byte, {kind} ({size} bytes)", f"{bits:.3f}"]
        for kind, (bits, _, size) in result["bits_per_byte"].items()
    ]
    code = [entry for entry in result["texts"] if entry["kind"] == "code"]
    prose = [entry for entry in result["texts"] if entry["kind"] == "prose"]
    rows.append([f"of {len(PROMPTS)} fixed prompts, greedy text that loops", result["looping"]])
    rows += [
        [f"... of {len(part)} {name} prompts", sum(entry["loops"] for entry in part)]
        for name, part in (("code", code), ("prose", prose))
    ]
    return table(["held-out text and greedy text", "measured"], rows)


def compression_table(result: dict[str, Any]) -> str:
    """Mean compression per setting, with and without the looping texts."""
    rows = [
        [name, f"{means['all']:.2f}", f"{means.get('without loops', float('nan')):.2f}"]
        for name, means in result["compression"].items()
    ]
    return table(["lookahead", "all prompts", "without the looping ones"], rows)


def continuations(result: dict[str, Any]) -> str:
    """Every text in full, with what was measured on it."""
    parts = []
    for number, entry in enumerate(result["texts"], 1):
        compression = ", ".join(f"{k}: {v:.2f}" for k, v in entry["compression"].items())
        state = "loops" if entry["loops"] else "ends" if entry["ended"] else "goes on"
        title = f"**{number}.** {entry['tokens']} tokens, {state}; compression {compression}"
        text = f"{entry['prompt']}⟶{entry['text']}"
        parts.append(f"{title}\n\n~~~~text\n{text}\n~~~~")
    return "\n\n".join(parts)


def facts(run: Path, model: Path) -> dict[str, Any]:
    """Everything the template asks for that is known from files."""
    config = json.loads((model / "config.json").read_text())
    corpus = json.loads((run / "corpus.json").read_text())
    result = json.loads((model / "evaluation.json").read_text())
    state = torch.load(run / "checkpoint.pt", weights_only=True)
    settings, weights = state["settings"], state["model"]
    tied = weights.keys() - {"lm_head.weight"}
    batch = settings["rows"] * settings["length"]
    kinds = [[kind, *numbers] for kind, numbers in corpus["kinds"].items()]
    values = {
        "layers": config["num_hidden_layers"],
        "heads": config["num_attention_heads"],
        "kv_heads": config["num_key_value_heads"],
        "feed_forward": config["intermediate_size"],
        "positions": config["max_position_embeddings"],
        "dtype": config["dtype"],
        "parameters": f"{sum(weights[name].numel() for name in tied):,}",
        "megabytes": f"{(model / 'model.safetensors').stat().st_size / 1e6:.1f}",
        "corpus_table": table(["kind", "documents", "bytes to train on", "bytes held out"], kinds),
        "corpus_hash": corpus["sha256"],
        "story_hash": hashlib.sha256(STORY_FILE.read_bytes()).hexdigest(),
        "story_count": corpus["kinds"]["stories"][0],
        "held_out_count": len(corpus["held_out"]),
        "training_tokens": f"{corpus['tokens'][0]:,}",
        "held_out_tokens": f"{corpus['tokens'][1]:,}",
        "python": platform.python_version(),
        "batch_tokens": f"{batch:,}",
        "all_tokens": f"{batch * state['step']:,}",
        "passes": f"{batch * state['step'] / corpus['tokens'][0]:.1f}",
        "minutes": f"{state['seconds'] / 60:.0f}",
        "loss_table": loss_table(model / "loss.csv"),
        "quality_table": quality_table(result),
        "compression_table": compression_table(result),
        "continuations": continuations(result),
    }
    return {**settings, **values}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write the model card.")
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--notes", type=Path, required=True)
    args = parser.parse_args()
    values = facts(args.run, args.model) | json.loads(args.notes.read_text())
    (args.model / "README.md").write_text(TEMPLATE.read_text().format(**values))


if __name__ == "__main__":
    main()
