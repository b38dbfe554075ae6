"""A loaded model: the transformers network, its tokenizer, and what a run records about it."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from lookahead_viz.config import Sampling
from lookahead_viz.engine import support
from lookahead_viz.engine.place import device_of
from lookahead_viz.engine.runner import TransformersRunner, cpu_threads
from lookahead_viz.engine.tiny_copy import exact_experts
from lookahead_viz.engine.token_text import token_text
from lookahead_viz.records import ModelInfo, TokenText
from lookahead_viz.validate_text import MOST_NAME
from lookahead_viz.words import one_line


@dataclass(frozen=True)
class Model:
    """Ready to decode. Without a tokenizer prompts are token ids and texts show ⟨id⟩."""

    network: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase | None
    info: ModelInfo
    stop_ids: tuple[int, ...]
    """The model's own end ids, possibly none."""
    exactness: str = ""
    """Why it can be decoded exactly, as a sentence: tested, or tried on a random tiny copy."""

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def has_chat_template(self) -> bool:
        return bool(self.tokenizer is not None and getattr(self.tokenizer, "chat_template", None))

    def encode(self, text: str) -> tuple[int, ...]:
        """Token ids of a plain prompt; ValueError without a tokenizer, or for no text."""
        check_text(text)
        if self.tokenizer is None:
            raise ValueError(f"{self.name!r} has no tokenizer; give the prompt as token ids.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(
                "the prompt is no valid Unicode (it holds half a character)."
            ) from None
        # verbose=False: not to be told of a limit that the decoder checks itself
        return tuple(self.tokenizer(text, verbose=False)["input_ids"])

    def encode_chat(self, text: str) -> tuple[int, ...]:
        """Token ids of ``text`` as one user message, up to where the answer begins."""
        check_text(text)
        if self.tokenizer is None or not self.has_chat_template:
            raise ValueError(f"{self.name!r} has no chat template; use the prompt as plain text.")
        try:
            ids = self.tokenizer.apply_chat_template(
                [{"role": "user", "content": text}],
                add_generation_prompt=True,
                tokenize=True,
                return_dict=False,
                tokenizer_kwargs={"verbose": False},
            )
        except Exception as error:  # a template is a program of the model's authors
            raise ValueError(
                f"the chat template of {self.name} does not take this prompt ({one_line(error)})."
            ) from error
        return tuple(ids)

    def token_text(self, ids: Iterable[int]) -> dict[int, TokenText]:
        """Text of each token id; bytes where it is no valid UTF-8 by itself."""
        return token_text(self.tokenizer, ids, self.info.vocab_size)

    def runner(
        self, alternatives: int = 5, sampling: Sampling | None = None
    ) -> TransformersRunner:
        """A fresh runner with an empty cache; the network is shared."""
        return TransformersRunner(
            self.network,
            vocab_size=self.info.vocab_size,
            position_limit=self.info.position_limit,
            alternatives=alternatives,
            sampling=sampling,
        )


def check_text(text: object) -> None:
    """ValueError in one sentence unless ``text`` is a str."""
    if not isinstance(text, str):
        undecoded = isinstance(text, (bytes, bytearray, memoryview))
        todo = "decode it to str first" if undecoded else "it must be a str"
        raise ValueError(f"the prompt is {type(text).__name__}, which is no text; {todo}.")


def wrap_model(
    hf_model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase | None = None,
    name: str = "mine",
    revision: str = "",
) -> Model:
    """Any transformers causal LM in memory, made ready to decode (and put into eval mode).

    Raises ``UnsupportedModel`` (a ValueError) when it cannot be decoded exactly.
    """
    if not isinstance(hf_model, PreTrainedModel):
        raise ValueError(
            f"wrap_model needs a transformers model, not a {type(hf_model).__name__}; for names "
            "and folders use load_model."
        )
    if not isinstance(name, str) or not isinstance(revision, str):
        raise ValueError("name and revision must be texts.")
    for given in (name, revision):
        if len(given) > MOST_NAME:  # no run file could hold it
            raise ValueError(
                f"the model's name or revision has {len(given):,} characters; at most "
                f"{MOST_NAME:,} are allowed, so pass a shorter one."
            )
        try:
            given.encode()
        except UnicodeEncodeError:  # no run file could hold it
            raise ValueError(
                f"the model's name {given!a} is no valid Unicode; rename its folder or pass name."
            ) from None
    words, rows = 0 if tokenizer is None else len(tokenizer), _rows(hf_model)
    if words > rows:
        raise support.UnsupportedModel(
            f"{name!r} cannot be decoded here: its tokenizer has {words:,} tokens, but its "
            f"network knows only {rows:,}; put the tokenizer beside it that it was trained with, "
            f"or save it again after resize_token_embeddings({words})."
        )
    place = device_of(hf_model)
    if place.type == "meta":
        raise ValueError(f"{name!r} has no weights (its device is 'meta'); load it with them.")
    hf_model.eval()
    if hf_model.dtype is torch.float64:
        exact_experts(hf_model)
    exactness = support.check(hf_model)
    config = hf_model.config
    info = ModelInfo(
        name=name,
        revision=revision,
        architecture=type(hf_model).__name__,
        dtype=str(hf_model.dtype).removeprefix("torch."),
        device=str(place),
        hardware=_hardware(hf_model),
        attention=config._attn_implementation,
        vocab_size=hf_model.get_input_embeddings().num_embeddings,
        position_limit=getattr(config.get_text_config(), "max_position_embeddings", None),
        versions=_versions(),
    )
    return Model(hf_model, tokenizer, info, _end_ids(hf_model), exactness)


def _rows(network: PreTrainedModel) -> int:
    """How many token ids the network has an embedding for."""
    return int(network.get_input_embeddings().num_embeddings)


def _end_ids(network: PreTrainedModel) -> tuple[int, ...]:
    generation = getattr(network, "generation_config", None)
    ids = getattr(generation, "eos_token_id", None)
    if ids is None:
        ids = getattr(network.config, "eos_token_id", None)
    if ids is None:
        return ()
    return tuple(ids) if isinstance(ids, (list, tuple)) else (int(ids),)


def _hardware(network: PreTrainedModel) -> str:
    place = device_of(network)
    if place.type == "cuda":
        return str(torch.cuda.get_device_name(place))
    threads = cpu_threads(network)
    return f"{platform.machine()}, {threads} thread{'s' if threads > 1 else ''}"


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("torch", "transformers", "lookahead_viz"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a checkout
            continue
    return found
