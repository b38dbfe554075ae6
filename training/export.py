"""Write a trained run as an ordinary transformers folder.

python -m training.export --run RUN --out assets/models/tiny
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from transformers import GenerationConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from training import model as models
from training.settings import Settings


def load_run(run: Path, name: str = "checkpoint.pt") -> LlamaForCausalLM:
    """The model of a checkpoint, float32."""
    state = torch.load(run / name, weights_only=True)
    settings = Settings(**state["settings"])
    vocabulary = state["model"]["model.embed_tokens.weight"].shape[0]
    shape = models.config(vocabulary, settings.width, settings.layers)
    model = models.new_model(shape, seed=0)
    model.load_state_dict(state["model"])
    return model


def export(run: Path, out: Path, dtype: str, name: str = "checkpoint.pt") -> None:
    """model.safetensors in ``dtype``, config, generation config, tokenizer and loss curve."""
    model = load_run(run, name).to(getattr(torch, dtype))
    model.generation_config = GenerationConfig(
        bos_token_id=0, eos_token_id=0, pad_token_id=0, do_sample=False, max_new_tokens=128
    )
    model.save_pretrained(out)
    PreTrainedTokenizerFast.from_pretrained(run / "tokenizer").save_pretrained(out)
    _tidy(out / "tokenizer_config.json")
    (out / "model.safetensors").chmod(0o644)
    shutil.copyfile(run / "loss.csv", out / "loss.csv")


def _tidy(path: Path) -> None:
    """Name the tokenizer class every version of transformers knows; drop how it was loaded."""
    settings = json.loads(path.read_text())
    settings["tokenizer_class"] = "PreTrainedTokenizerFast"
    for key in ("is_local", "local_files_only", "backend"):
        settings.pop(key, None)
    path.write_text(json.dumps(settings, indent=2) + "\n")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Export a run as a transformers folder.")
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dtype", choices=("float16", "bfloat16"), default="float16")
    parser.add_argument("--checkpoint", default="checkpoint.pt")
    args = parser.parse_args()
    export(args.run, args.out, args.dtype, args.checkpoint)


if __name__ == "__main__":
    main()
