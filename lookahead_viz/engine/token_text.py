"""What each token id stands for in the text, so that a run shows its words without a tokenizer.

Decoding ids one at a time loses spaces (sentencepiece) and characters split over several tokens
(byte-level BPE). So each vocabulary entry is read here by the rule its tokenizer's own decoder
names, into bytes: the pieces joined and decoded as UTF-8 give the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lookahead_viz.records import TokenText

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")

PieceReader = Callable[[str], bytes]


def token_text(tokenizer: Any, ids: Iterable[int], vocab_size: int) -> dict[int, TokenText]:
    """The text of every id in ``ids``; bytes where they are no valid UTF-8 by themselves.

    ``tokenizer`` is a transformers tokenizer or None. ``vocab_size`` is the model's number of
    ids. Ids without a token (padding rows of the vocabulary, no tokenizer) read "⟨id⟩". A word
    tokenizer's or sentencepiece's first token keeps its leading space, which decoding a whole
    text would drop.
    """
    wanted = sorted(set(ids))
    if tokenizer is None:
        return {token: _unnamed(token) for token in wanted}
    added = {token: str(entry) for token, entry in tokenizer.added_tokens_decoder.items()}
    read = _reader(tokenizer)
    return {token: _text(tokenizer, token, vocab_size, added, read) for token in wanted}


def _text(
    tokenizer: Any,
    token: int,
    vocab_size: int,
    added: Mapping[int, str],
    read: PieceReader | None,
) -> TokenText:
    if not 0 <= token < vocab_size:
        return _unnamed(token)
    if token in added:  # written literally, whatever the decoder does to ordinary pieces
        return added[token]
    piece = _piece(tokenizer, token)
    if piece is None:
        return _unnamed(token)
    if read is None:
        return str(tokenizer.decode([token]))
    raw = read(piece)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def _unnamed(token: int) -> str:
    return f"⟨{token}⟩"


def _piece(tokenizer: Any, token: int) -> str | None:
    """The vocabulary entry as written there; None for an id the tokenizer does not have."""
    try:
        piece = tokenizer.convert_ids_to_tokens(token)
    except (IndexError, KeyError, OverflowError, ValueError):
        return None
    return piece if isinstance(piece, str) else None


def _reader(tokenizer: Any) -> PieceReader | None:
    """The rule by which this tokenizer's pieces become bytes; None = ask its ``decode``."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        return None
    if backend.decoder is None:  # then decoding puts a space between all tokens
        return lambda piece: f" {piece}".encode()
    parts = _flat(json.loads(backend.decoder.__getstate__()))
    kinds = {part["type"]: part for part in parts}
    if "ByteLevel" in kinds:
        return _byte_level
    if "WordPiece" in kinds:
        prefix = str(kinds["WordPiece"]["prefix"])
        return lambda piece: _word_piece(piece, prefix)
    if "BPEDecoder" in kinds:
        suffix = str(kinds["BPEDecoder"]["suffix"])
        return lambda piece: piece.replace(suffix, " ").encode()
    if not kinds.keys() & {"Metaspace", "Replace", "ByteFallback"}:
        return None
    replacements = [pair for pair in map(_replacement, parts) if pair is not None]
    return lambda piece: _sentencepiece(piece, replacements, "ByteFallback" in kinds)


def _flat(decoder: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if decoder["type"] != "Sequence":
        return [decoder]
    return [part for child in decoder["decoders"] for part in _flat(child)]


def _replacement(part: Mapping[str, Any]) -> tuple[str, str] | None:
    if part["type"] == "Metaspace":
        return str(part["replacement"]), " "
    if part["type"] == "Replace" and "String" in part["pattern"]:
        return str(part["pattern"]["String"]), str(part["content"])
    return None


def _word_piece(piece: str, prefix: str) -> bytes:
    inside_word = piece.startswith(prefix)
    return (piece.removeprefix(prefix) if inside_word else f" {piece}").encode()


def _sentencepiece(piece: str, replacements: list[tuple[str, str]], byte_fallback: bool) -> bytes:
    match = _BYTE_PIECE.fullmatch(piece) if byte_fallback else None
    if match:
        return bytes([int(match[1], 16)])
    for old, new in replacements:
        piece = piece.replace(old, new)
    return piece.encode()


def _byte_level(piece: str) -> bytes:
    if any(letter not in _BYTE_OF for letter in piece):  # an entry that was never byte-encoded
        return piece.encode()
    return bytes(_BYTE_OF[letter] for letter in piece)


def _byte_table() -> dict[str, int]:
    """GPT-2's letters for the 256 bytes: printable Latin-1 as itself, the rest from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    table.update({chr(0x100 + rank): byte for rank, byte in enumerate(others)})
    return table


_BYTE_OF = _byte_table()
