"""What the reference decoder costs beside the forwards of the model: one run, one table.

   python -m benchmarks.decoder [--model tiny --model smollm2-135m] [--tokens 64] [--quick]

Every line is a ratio: ours over what it is compared with, in turn in one process, at 1 or all CPU
threads as the model's size asks for (see ``runner.cpu_threads``). (a) a lookahead step over one
bare ``model(...)`` call with the same slots, mask, positions and cache length; (b) greedy over
transformers' ``generate``; (c) prompt lookup and speculative decoding over transformers' own;
(d) the commit of a pass behind 8,000 rows over that behind 100; (e) with alternatives over
without; (f) megabytes of the records of 2,000 passes over what is allowed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM

import lookahead_viz as lv
from benchmarks.timing import Ratio, paired
from lookahead_viz.config import Config, PromptLookupConfig, SpeculativeConfig
from lookahead_viz.engine.attention import Masks
from lookahead_viz.engine.cache import PreallocatedLayer
from lookahead_viz.engine.recording import steps
from lookahead_viz.engine.runner import cpu_threads, limited
from lookahead_viz.records import Step
from lookahead_viz.visibility import mask as visible

SIZES = ((5, 4, 5), (15, 5, 15))
ALLOWED_MB = {(5, 4, 5): 60.0, (15, 5, 15): 220.0}
PROMPT = (
    "def read_lines(path):\n    with open(path) as stream:\n        return stream.readlines()\n\n"
    "def read_words(path):\n    with open(path) as stream:\n        return"
)


def lookahead(size: tuple[int, int, int], tokens: int, alternatives: int = 5) -> Config:
    w, n, g = size
    return lv.LookaheadConfig(
        window_size=w,
        ngram_size=n,
        max_candidates=g,
        max_new_tokens=tokens,
        stop_ids=(),
        alternatives=alternatives,
    )


def step_against_forward(model: lv.Model, size: tuple[int, int, int], tokens: int) -> Ratio:
    """(a): after every full step a bare forward of what that step fed; the sums are compared."""
    bare = Bare(model)
    ours: list[float] = []
    theirs: list[float] = []
    for number, step in enumerate(steps(model, PROMPT, lookahead(size, tokens))):
        if len(step.layout.roles) < size[0] * (size[1] - 1):  # warm-up: the window is not full
            continue
        time = bare.forward(step)
        if number > size[1] + 1:
            ours.append(step.step_ms)
            theirs.append(time)
    bound = 1.25 if model.network.num_parameters() < 20_000_000 else 1.05
    # sums, because steps differ in their slots; each pair has the same ones
    mean = (sum(ours) / len(ours), sum(theirs) / len(theirs))
    return Ratio("(a) step / bare forward", f"{model.name} {size}", *mean, bound)


class Bare:
    """Calls the network by itself, on a DynamicCache of its own, as a script would."""

    def __init__(self, model: lv.Model) -> None:
        self.network = model.network
        self.masks = Masks(self.network)
        self.threads = cpu_threads(self.network)
        self.cache = DynamicCache()

    def forward(self, step: Step) -> float:
        """Milliseconds of one call with the slots of ``step``; the cache is filled before."""
        with torch.inference_mode():
            return self._forward(step)

    def _forward(self, step: Step) -> float:
        prefix = step.layout.positions[0]
        used = [slot for slot, token in enumerate(step.predictions) if token is not None]
        missing = prefix - self.cache.get_seq_length()
        if missing > 0:  # what is in the rows does not change how long a pass takes
            filling = torch.zeros((1, missing), dtype=torch.long)
            self.network(input_ids=filling, cache=self.cache, use_cache=True, logits_to_keep=1)
        given: dict[str, Any] = {
            "input_ids": torch.tensor([step.layout.token_ids]),
            "position_ids": torch.tensor([step.layout.positions]),
            "attention_mask": self.masks.make(visible(step.layout), step.layout.positions, prefix)[
                0
            ],
            "cache": self.cache,
            "use_cache": True,
            "logits_to_keep": torch.tensor(used),
        }
        with limited(self.threads):
            started = perf_counter()
            self.network(**given)
            elapsed = (perf_counter() - started) * 1000
        self.cache.crop(-step.layout.slots)
        return elapsed


def against_generate(
    name: str, model: lv.Model, config: Config, times: int, draft: lv.Model | None, **theirs: Any
) -> Ratio:
    """(b), (c): a whole decoding against transformers' own of the same kind."""
    ids = model.encode(PROMPT)
    network = model.network
    prompt = torch.tensor([ids])
    network.generation_config.eos_token_id = None  # nobody stops early
    common = {"do_sample": False, "max_new_tokens": config.max_new_tokens, "pad_token_id": 0}

    def ours() -> None:
        for _ in steps(model, ids, config, draft):
            pass

    def their_own() -> None:
        with limited(cpu_threads(network)):
            mask = torch.ones_like(prompt)
            text = network.generate(prompt, attention_mask=mask, **common, **theirs)
        assert text.shape[1] == len(ids) + config.max_new_tokens

    return paired(
        name, f"{model.name} {config.max_new_tokens} tokens", 1.0, ours, their_own, times
    )


def commit(context: int, far: int, times: int) -> Ratio:
    """(d): appending 120 rows and keeping three of them, in 30 layers shaped as SmolLM2's."""

    def layers(rows: int) -> list[PreallocatedLayer]:
        made = [PreallocatedLayer() for _ in range(30)]
        for layer in made:
            layer.update(torch.zeros(1, 3, rows, 64), torch.zeros(1, 3, rows, 64))
            layer.update(torch.zeros(1, 3, 1, 64), torch.zeros(1, 3, 1, 64))  # room to spare
            layer.keep(rows, ())
        return made

    new = torch.zeros(1, 3, 120, 64)

    def one(made: list[PreallocatedLayer], rows: int) -> None:
        for layer in made:
            layer.update(new, new)
            layer.keep(rows, (0, 60, 61))
            layer.keep(rows, ())

    short, long = layers(context), layers(far)
    return paired(
        "(d) commit at 8,000 / at 100 rows",
        "30 layers, 120 slots, 3 kept",
        1.2,
        lambda: one(long, far),
        lambda: one(short, context),
        times,
    )


def with_alternatives(model: lv.Model, size: tuple[int, int, int], tokens: int, n: int) -> Ratio:
    """(e)"""

    def run(alternatives: int) -> None:
        for _ in steps(model, PROMPT, lookahead(size, tokens, alternatives)):
            pass

    setting = f"{model.name} {size}"
    return paired("(e) 5 alternatives / none", setting, 1.03, lambda: run(5), lambda: run(0), n)


def memory(size: tuple[int, int, int], count: int) -> Ratio:
    """(f): megabytes of ``count`` passes, scaled to 2,000, on a network that costs no time."""
    config = LlamaConfig(
        vocab_size=49_152,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=16_384,
        eos_token_id=None,
    )
    torch.manual_seed(0)
    model = lv.wrap_model(LlamaForCausalLM(config), name="random")
    recorded = []
    for step in steps(model, [1, 2, 3], lookahead(size, 16_000)):
        recorded.append(step)
        if len(recorded) == count:
            break
    megabytes = sum(sizes(recorded).values()) / 1e6 * 2000 / len(recorded)
    name = "(f) MB of 2,000 passes / allowed"
    return Ratio(name, f"{size}, vocabulary 49,152", megabytes, ALLOWED_MB[size], 1.0)


def sizes(root: object) -> Counter[str]:
    """Bytes of everything reachable from ``root``, each object once, by kind."""
    seen: set[int] = set()
    found: Counter[str] = Counter()
    waiting = [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        found[type(thing).__name__] += sys.getsizeof(thing)
        if isinstance(thing, (tuple, list)):
            waiting.extend(thing)
        elif isinstance(thing, dict):
            waiting.extend(thing.values())
        elif hasattr(thing, "__dict__"):
            waiting.append(thing.__dict__)
    return found


def lines(names: list[str], tokens: int, times: int, memory_steps: int) -> Iterator[Ratio]:
    """Every comparison, one after the other."""
    for name in names:
        model = lv.load_model(name)
        shared: dict[str, Any] = {"max_new_tokens": tokens, "stop_ids": ()}
        for size in SIZES:
            yield step_against_forward(model, size, tokens)
        greedy = lv.GreedyConfig(**shared, alternatives=0)
        yield against_generate("(b) greedy / generate", model, greedy, times, None)
        lookup = PromptLookupConfig(**shared, alternatives=0, gamma=10, match_size=2)
        theirs = {"prompt_lookup_num_tokens": 10, "max_matching_ngram_size": 2}
        yield against_generate("(c) prompt lookup", model, lookup, times, None, **theirs)
        drafted = SpeculativeConfig(**shared, alternatives=0, gamma=4, draft=model.name)
        constant = model.network.generation_config
        constant.num_assistant_tokens, constant.assistant_confidence_threshold = 4, 0
        constant.num_assistant_tokens_schedule = "constant"
        own = {"assistant_model": model.network}  # itself as the draft: every guess is right
        yield against_generate("(c) speculative", model, drafted, times, model, **own)
        yield with_alternatives(model, SIZES[1], tokens, times)
    yield commit(100, 8000, 20 * times)
    for size in SIZES:
        yield memory(size, memory_steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="may be repeated; tiny and smollm2-135m")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="to see that it works")
    arguments = parser.parse_args()
    quick = arguments.quick
    names = arguments.model or ["tiny", "smollm2-135m"]
    print(f"{'':<34} {'':<34} {'ours':>9} {'theirs':>9} {'ratio':>7} {'bound':>6}")
    for ratio in lines(
        names[:1] if quick else names,
        min(arguments.tokens, 24) if quick else arguments.tokens,
        1 if quick else arguments.times,
        40 if quick else 2000,
    ):
        print(ratio.line(), flush=True)


if __name__ == "__main__":
    main()
