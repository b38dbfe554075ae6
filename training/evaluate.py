"""Measure an exported folder: bits per byte, greedy text, loops, lookahead compression.

    python -m training.evaluate --model assets/models/tiny --out evaluation.json

Everything runs in float32 whatever the stored dtype, as the app does on a CPU.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

from training import corpus as corpora
from training import model as models
from training.corpus import Document
from training.data import encode
from training.loops import ends_in_loop, greedy
from training.prompts import CODE, PROMPTS

NEW_TOKENS = 128
LENGTH = 512  # tokens per row of the likelihood test, the longest trained on
UNPRINTED = ("texts", "held_out")  # not printed with the summary
LOOKAHEADS = {"W=5 N=4 G=5": (5, 4, 5), "W=15 N=5 G=15": (15, 5, 15)}


def bits_per_byte(
    model: LlamaForCausalLM, tokenizer: Any, documents: tuple[Document, ...], context: int = 0
) -> tuple[float, float, int]:
    """Bits per byte, nats per token and bytes scored.

    The documents are cut into rows; each token is predicted from its own row alone.  With
    ``context`` the rows overlap and only what follows the first ``context`` tokens is scored.
    The few tokens after the last full row are left out, and so are their bytes.
    """
    ids = torch.from_numpy(encode(tokenizer, documents, 0)).long()
    new = LENGTH - context
    count = (len(ids) - 1 - context) // new
    rows = ids[torch.arange(count)[:, None] * new + torch.arange(LENGTH + 1)]  # [count, 513]
    with torch.no_grad():
        nats = sum(float(_nats(model, batch, context).sum()) for batch in rows.split(8))
    text = tokenizer.decode(ids[context + 1 : context + 1 + count * new], skip_special_tokens=True)
    size = len(text.encode())
    return nats / math.log(2) / size, nats / (count * new), size


def _nats(model: LlamaForCausalLM, rows: Tensor, context: int) -> Tensor:
    """Negative log-likelihoods [B, T - context] of the tokens after ``context``."""
    hidden = models.hidden_states(model, rows[:, :-1])[:, context:]  # [B, T - context, width]
    logits = F.linear(hidden, model.lm_head.weight)
    targets = rows[:, 1 + context :]
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def continuation(model: LlamaForCausalLM, tokenizer: Any, prompt: str) -> list[int]:
    """128 greedy tokens, or fewer where the model ends the text."""
    ids = torch.tensor([tokenizer(prompt)["input_ids"]])
    new: list[int] = greedy(model, ids, NEW_TOKENS)[0].tolist()
    end = tokenizer.eos_token_id
    return new[: new.index(end) + 1] if end in new else new


def compressions(folder: Path, prompt: str) -> dict[str, float]:
    """Tokens per pass of the project's own lookahead decoder, per setting; {} if not there."""
    try:
        import lookahead_viz as lv
    except ImportError:
        return {}
    model = _loaded(folder)
    return {
        name: lv.record(
            model,
            prompt,
            lv.LookaheadConfig(
                window_size=w, ngram_size=n, max_candidates=g, max_new_tokens=NEW_TOKENS
            ),
        ).compression
        for name, (w, n, g) in LOOKAHEADS.items()
    }


_MODELS: dict[Path, Any] = {}


def _loaded(folder: Path) -> Any:
    import lookahead_viz as lv

    if folder not in _MODELS:
        _MODELS[folder] = lv.load_model(folder, device="cpu", dtype="float32")
    return _MODELS[folder]


def texts(folder: Path, lookahead: bool = True) -> list[dict[str, Any]]:
    """One entry per prompt: its continuation, whether it loops, its compressions."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    entries = []
    for prompt in PROMPTS:
        ids = continuation(model, tokenizer, prompt)
        entries.append(
            {
                "prompt": prompt,
                "kind": "code" if prompt in CODE else "prose",
                "text": tokenizer.decode(ids, skip_special_tokens=True),
                "tokens": len(ids),
                "ended": ids[-1] == tokenizer.eos_token_id,
                "loops": ends_in_loop(ids),
                "distinct": len(set(ids)) / len(ids),
                "compression": compressions(folder, prompt) if lookahead else {},
            }
        )
    return entries


def means(entries: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Mean compression per setting over all prompts and over those that do not loop."""
    groups = {"all": entries, "without loops": [e for e in entries if not e["loops"]]}
    settings = entries[0]["compression"]
    return {
        name: {
            group: statistics.mean(e["compression"][name] for e in members)
            for group, members in groups.items()
            if members
        }
        for name in settings
    }


def evaluate(folder: Path, lookahead: bool = True) -> dict[str, Any]:
    """All measurements of one exported folder."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    held_out = corpora.build().held_out
    bits = {}
    for kind in ("code", "docs", "stories"):
        part = tuple(document for document in held_out if document.kind == kind)
        if part:
            bits[f"{kind}, rows of {LENGTH} tokens"] = bits_per_byte(model, tokenizer, part)
    bits[f"all, rows of {LENGTH} tokens"] = bits_per_byte(model, tokenizer, held_out)
    half = LENGTH // 2
    bits[f"all, rows of {LENGTH}, second half scored"] = bits_per_byte(
        model, tokenizer, held_out, half
    )
    entries = texts(folder, lookahead)
    return {
        "bits_per_byte": bits,
        "held_out": [document.name for document in held_out],
        "looping": sum(entry["loops"] for entry in entries),
        "compression": means(entries),
        "texts": entries,
    }


def main() -> None:
    """Command line: print the numbers, write everything as JSON."""
    parser = argparse.ArgumentParser(description="Measure an exported tiny model.")
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    result = evaluate(args.model)
    args.out.write_text(json.dumps(result, indent=1))
    for entry in result["texts"]:
        print(f"{'LOOP' if entry['loops'] else 'text'} {entry['compression']}")
        print(entry["prompt"] + "⟶" + entry["text"], end="\n\n")
    print(
        json.dumps({key: value for key, value in result.items() if key not in UNPRINTED}, indent=1)
    )


if __name__ == "__main__":
    main()
