"""Checks of settings. Every ``ValueError`` is one sentence: what is wrong, what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

BlockFill = Literal["prompt", "random", "repeat"]

BLOCK_FILLS: tuple[BlockFill, ...] = ("prompt", "random", "repeat")


LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.01, 100.0
MOST_ALTERNATIVES = 100
"""Of the most likely tokens per used slot: nobody reads more, and they fill the run file."""


@dataclass(frozen=True)
class Sampling:
    """How the next token is drawn: transformers' temperature, top-k and top-p, in that order."""

    temperature: float
    top_k: int | None = None
    top_p: float | None = None


class Sampled(Protocol):
    """What a config that can sample has."""

    @property
    def temperature(self) -> float: ...
    @property
    def top_k(self) -> int | None: ...
    @property
    def top_p(self) -> float | None: ...


class CanSample:
    """A config whose method draws its tokens where ``temperature`` is above 0."""

    @property
    def sampling(self: Sampled) -> Sampling | None:
        """How the tokens are drawn; None = the model's most likely ones."""
        if not self.temperature:
            return None
        return Sampling(float(self.temperature), self.top_k, self.top_p)


class Common(Protocol):
    """What every config has."""

    @property
    def max_new_tokens(self) -> int: ...
    @property
    def stop_ids(self) -> tuple[int, ...] | None: ...
    @property
    def alternatives(self) -> int: ...


def check_common(config: Common) -> None:
    check_int("max_new_tokens", config.max_new_tokens, 1)
    check_int("seed", getattr(config, "seed", 0), 0)
    check_int("alternatives", config.alternatives, 0, MOST_ALTERNATIVES)
    if config.stop_ids is not None:
        object.__setattr__(config, "stop_ids", ids_of("stop_ids", config.stop_ids))


def check_int(name: str, value: object, least: int, most: int | None = None) -> None:
    allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
    fault = isinstance(value, bool) or not isinstance(value, int) or value < least
    if fault or (most is not None and value > most):  # type: ignore[operator]
        raise ValueError(f"{name} is {value!r}; it must be a whole number {allowed}.")


def check_bool(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; it must be True or False.")


def check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} is {value!r}; it must be one of {choices}.")


def ids_of(name: str, value: object) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} is {value!r}; it must be a list of token ids.")
    ids = tuple(value)
    for token in ids:
        if isinstance(token, bool) or not isinstance(token, int) or token < 0:
            raise ValueError(f"{name} contains {token!r}; token ids are whole numbers from 0 up.")
    return ids


def check_share(name: str, value: object) -> None:
    """A number above 0 and at most 1."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 < value <= 1:  # type: ignore[operator]
        raise ValueError(f"{name} is {value!r}; it must be a number above 0 and at most 1.")


def check_sampling(config: Sampled) -> None:
    temperature, top_k, top_p = config.temperature, config.top_k, config.top_p
    number = isinstance(temperature, (int, float)) and not isinstance(temperature, bool)
    if not number or not (
        temperature == 0 or LEAST_TEMPERATURE <= temperature <= MOST_TEMPERATURE
    ):
        raise ValueError(
            f"temperature is {temperature!r}; it must be 0 (greedy) or a number from "
            f"{LEAST_TEMPERATURE:g} to {MOST_TEMPERATURE:g}."
        )
    if top_k is not None:
        check_int("top_k", top_k, 1)
    if top_p is not None:
        check_share("top_p", top_p)
    if temperature == 0 and (top_k is not None or top_p is not None):
        raise ValueError(
            f"top_k={top_k!r} and top_p={top_p!r} narrow what is sampled; they need a temperature "
            "above 0."
        )
