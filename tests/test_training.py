"""The training pipeline: cleaning, tokenizer, order of the data, loops, and a whole smoke run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from training import corpus, data, loops, model, train
from training.tokenizer import train_tokenizer


def test_cleaning_drops_legal_notes_and_keeps_four_rows_of_a_table() -> None:
    table = "\n".join(f"    {n}, 0x{n:02x}," for n in range(9))
    text = f"# Copyright someone\n# All rights reserved.\n\nx = 1\n\ntable = [\n{table}\n]\n"
    cleaned = corpus.clean(text)
    assert "Copyright" not in cleaned
    assert cleaned.startswith("x = 1\n")
    assert cleaned.count("0x") == 4


def test_a_near_duplicate_is_dropped() -> None:
    lines = [f"line number {n} says something" for n in range(40)]
    first = corpus.Document("a", "code", "\n".join(lines))
    second = corpus.Document("b", "code", "\n".join(["one more line", *lines[:38]]))
    other = corpus.Document("c", "code", "\n".join(f"quite another line {n}" for n in range(40)))
    assert list(corpus.without_duplicates([first, second, other])) == [first, other]


def test_every_byte_survives_the_tokenizer(tmp_path: Path) -> None:
    train_tokenizer(["def f(x):\n    return x\n"] * 9, 300).save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    text = "".join(map(chr, range(1, 600))) + " \n\t  日本 <\r\n"
    assert tokenizer.is_fast
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text
    assert tokenizer.eos_token == tokenizer.bos_token == "<|endoftext|>"
    assert tokenizer("x")["input_ids"] == tokenizer.convert_tokens_to_ids(["x"])


def test_a_batch_depends_on_its_number_alone() -> None:
    ids = np.arange(5000, dtype=np.int32)
    straight = data.Batches(ids, 4, 16, seed=3)
    batches = [straight(step) for step in range(200)]  # more than two passes
    resumed = data.Batches(ids, 4, 16, seed=3)
    assert torch.equal(resumed(150), batches[150])
    assert torch.equal(resumed(7), batches[7])
    one_pass = torch.cat(batches[: straight.per_pass])[:, 0]
    assert len(one_pass.unique()) == len(one_pass)


def test_split_line_ends_change_tokens_but_no_text() -> None:
    text = "def f(x):\n    return x\n\ndef g(x):\n    return 2\n" * 20
    tokenizer = train_tokenizer([text, "a    = b    = c    = d\n" * 40], 300)
    ids = np.array(tokenizer(text)["input_ids"], dtype=np.int32)
    split = data.split_line_ends(ids, tokenizer, 1.0, seed=1)
    some = data.split_line_ends(ids, tokenizer, 0.5, seed=1)
    assert tokenizer.decode(split) == tokenizer.decode(some) == text
    assert len(split) - len(ids) == 40  # one more token per indented line
    assert 5 < len(some) - len(ids) < 35


def test_loops_start_with_the_third_copy() -> None:
    phrase = [5, 6, 7, 8, 9, 10, 11, 12, 13]
    row = torch.tensor([[1, 2, 3, *phrase, *phrase, *phrase, 4]])
    assert loops.looping(row)[0].tolist() == [False] * 21 + [True] * 9 + [False]
    assert loops.repeated_ngrams(row, 4)[0].tolist() == [False] * 15 + [True] * 15 + [False]


@pytest.mark.parametrize("period", [1, 5, 16])
def test_the_loop_detector(period: int) -> None:
    text = list(range(100, 180)) + (list(range(period)) * 48)[:48]
    assert loops.ends_in_loop(text)
    assert not loops.ends_in_loop([*text[:-20], 99, *text[-19:]])
    assert not loops.ends_in_loop(list(range(128)))
    assert not loops.ends_in_loop([1] * 40)  # too short to tell


def test_losses_equal_their_definitions() -> None:
    tiny = model.new_model(model.config(300, 128, 1), seed=0).double()
    rows = torch.randint(1, 300, (3, 20))
    logits = tiny(rows[:, :-1]).logits
    likelihood = model.likelihood_loss(tiny, rows)
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())
    assert torch.allclose(likelihood, expected)
    gradients = torch.autograd.grad(likelihood, list(tiny.parameters()))
    wanted = torch.autograd.grad(expected, list(tiny.parameters()))
    assert all(torch.allclose(a, b) for a, b in zip(gradients, wanted, strict=True))
    bad = torch.rand(rows.shape) < 0.3
    bad[:, 0] = False
    said = tiny(rows[:, :-1]).logits.softmax(-1).gather(2, rows[:, 1:, None])[..., 0]
    unlikely = -torch.log1p(-said[bad[:, 1:]]).mean()
    assert torch.allclose(loops.unlikelihood_loss(tiny, rows, bad), unlikely)


def test_greedy_with_cache_equals_greedy_without() -> None:
    tiny = model.new_model(model.config(300, 128, 2), seed=0).double()
    prompts = torch.randint(1, 300, (2, 5))
    rows = prompts
    for _ in range(6):
        rows = torch.cat([rows, tiny(rows).logits[:, -1:].argmax(-1)], dim=1)
    assert torch.equal(loops.greedy(tiny, prompts, 6), rows[:, 5:])


def test_smoke_run(tmp_path: Path) -> None:
    """A whole run in under a minute: the loss falls, a resumed run is the same run, the export
    loads and speaks."""
    began = time.process_time()
    run = train.main(["--out", str(tmp_path), "--smoke"])
    assert time.process_time() - began < 60
    losses = [row["held_out"] for row in run.log]
    assert losses[-1] < losses[0] < 6.0
    exported = AutoModelForCausalLM.from_pretrained(tmp_path / "model", dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    ids = tokenizer("def f(x):\n", return_tensors="pt")["input_ids"]
    out = exported.generate(ids, max_new_tokens=8, do_sample=False)
    assert torch.equal(out[:, : ids.shape[1]], ids)
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert config["dtype"] == "float16"
    assert (tmp_path / "model" / "loss.csv").read_text().startswith("step,tokens,minutes")


def test_a_resumed_run_is_the_same_run(tmp_path: Path) -> None:
    arguments = ["--out", str(tmp_path / "a"), "--smoke"]
    short = ["--set", "steps=6", "--set", "loop_steps=2", "--set", "test_every=3"]
    whole = train.main(arguments + short)
    train.main(["--out", str(tmp_path / "b"), "--smoke", "--stop-at", "3", *short])
    resumed = train.main(["--out", str(tmp_path / "b"), "--resume"])
    for name, weight in whole.model.state_dict().items():
        assert torch.equal(weight, resumed.model.state_dict()[name]), name
