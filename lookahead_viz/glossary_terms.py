"""The entries of the glossary, in the order in which a reader meets them; see ``glossary``."""

from __future__ import annotations

from dataclasses import dataclass

FU = "Fu et al. 2024, arXiv 2402.02057"
SANTILLI = "Santilli et al. 2023, arXiv 2305.10427"


@dataclass(frozen=True)
class Term:
    """One entry. A metric also says what is counted (``over``) and what it is divided by."""

    name: str
    words: str
    also: tuple[str, ...] = ()  # other words for the same thing
    over: str = ""
    under: str = ""
    source: str = ""  # where the word comes from, where it is not this project's own

    @property
    def sentence(self) -> str:
        """The explanation in one line, with numerator and denominator where there are any."""
        ratio = f" Counted: {self.over} ÷ {self.under}." if self.over else ""
        return f"{self.words}{ratio}"


TERMS = (
    Term(
        "token",
        "The unit a language model reads and writes: a word, a part of a word, a sign. "
        "On screen a space is ·, a new line ⏎, a byte ⟨E2⟩.",
    ),
    Term(
        "pass",
        "The model looks once at all the tokens it is fed and says for each which token it would "
        "write next.",
        also=("forward pass",),
    ),
    Term(
        "step",
        "The place of a pass in a run, counted from 0: at step 12 the player shows pass 12.",
    ),
    Term(
        "greedy decoding",
        "Always taking the model's most likely next token. Every method here must write exactly "
        "what greedy decoding writes, one token a pass.",
        also=("greedy", "baseline"),
    ),
    Term(
        "prefill",
        "Reading the prompt, before the first pass or, where it is short, along with it. It is "
        "not counted as a pass.",
    ),
    Term(
        "block",
        "The tokens that pure Jacobi decoding solves together; n is how many they are.",
        also=("n",),
        source=SANTILLI,
    ),
    Term(
        "iterate",
        "The tokens of a block at one moment: the guesses that the next pass corrects. "
        "One such pass is an iteration.",
        also=("iteration", "Jacobi iteration"),
        source=SANTILLI,
    ),
    Term(
        "fixed point",
        "Tokens that a pass leaves as they are. For a block there is exactly one, and it is "
        "greedy's own text.",
        source=SANTILLI,
    ),
    Term(
        "current token",
        "The last accepted token. It is not yet in the cache, so every pass begins with it: it "
        "is slot 0 and cell (0, 0) of the window.",
    ),
    Term(
        "committed text",
        "The prompt and the accepted tokens: what is certain, and what every pass continues.",
        also=("committed",),
    ),
    Term(
        "cache",
        "What the model keeps of the tokens it has already read (keys and values of attention), "
        "so that it need not read them again.",
        also=("KV cache",),
    ),
    Term(
        "window",
        "The grid of guesses that lookahead decoding keeps: N − 1 rows of W tokens, one row for "
        "each of the last passes.",
        also=("W", "row", "column", "cell"),
        source=FU,
    ),
    Term(
        "warm-up",
        "The first N − 2 passes, in which the window grows row by row. Nothing is verified yet.",
    ),
    Term(
        "n-gram",
        "N tokens in a row. Here: one column of the window read downwards, and the model's "
        "prediction after it.",
        also=("N",),
        source=FU,
    ),
    Term(
        "key",
        "The first token of an n-gram. The pool looks n-grams up by it.",
    ),
    Term(
        "pool",
        "The n-grams that are remembered, in a table by their key.",
        also=("n-gram pool",),
        source=FU,
    ),
    Term(
        "change",
        "What happens to an n-gram on its way into the pool: added when it is new, refreshed when "
        "it was there already.",
        also=("added", "refreshed"),
    ),
    Term(
        "eviction",
        "A key holds only so many n-grams: a new one pushes out the one that was inserted longest "
        "ago.",
        also=("evicted",),
    ),
    Term(
        "candidate",
        "An n-gram of the pool that begins with the current token and is verified in this pass. "
        "At most G are taken, the newest ones; they are listed oldest first.",
        also=("G", "candidate order"),
        source=FU,
    ),
    Term("guess", "One token of a candidate, not verified yet."),
    Term(
        "lookahead branch",
        "The slots of a pass that belong to the window: they make new guesses.",
        source=FU,
    ),
    Term(
        "verification branch",
        "The slots of a pass that belong to candidates: they verify old guesses.",
        source=FU,
    ),
    Term(
        "slot",
        "One place in the input of a pass. A pass with many slots computes many tokens at once; "
        "S is how many there are.",
        also=("S",),
    ),
    Term("layout", "The table of all slots of a pass: token, position, and what each is for."),
    Term(
        "position",
        "The place of a token in the whole text, counted from 0.",
    ),
    Term("offset", "How far a token stands after the current token: its position minus p."),
    Term(
        "prediction",
        "The model's own next token after a slot, given everything that this slot may read.",
    ),
    Term(
        "verification",
        "Comparing guesses with the model's own tokens, from left to right, up to the first "
        "difference.",
        also=("verify",),
        source=FU,
    ),
    Term("matched", "How many leading guesses of a candidate equal the model's own tokens."),
    Term(
        "accepted",
        "Tokens that this pass wrote into the text: the matched guesses and the bonus.",
    ),
    Term(
        "bonus",
        "The model's own next token after the matched ones (★). It is right by definition, so "
        "every pass gives at least this one.",
    ),
    Term(
        "frozen",
        "A leading token of a block that is guaranteed final: it was computed from tokens that "
        "are final themselves.",
    ),
    Term(
        "lucky",
        "A token that already equals the final one, though nothing guarantees it yet.",
    ),
    Term("visible", "A slot is visible to another when that one may read it (attend to it)."),
    Term(
        "mask",
        "The table that says which slot may read which: lines read, columns are read.",
        also=("attention mask",),
    ),
    Term(
        "rule",
        "One of the few sentences that make up the mask, R0 to R5. Every cell that is on has one.",
    ),
    Term(
        "reason",
        "Why a cell of the mask is on (a rule, R0 to R5) or off (X1 to X8).",
    ),
    Term(
        "kept slots",
        "The slots whose results stay in the cache after a pass: the accepted ones.",
    ),
    Term("run", "One whole recorded decoding of one prompt by one method."),
    Term("comparison", "One prompt and the runs of several methods on it."),
    Term("view", "The plain data of a picture, computed from a run."),
    Term("figure", "A drawn view."),
    Term(
        "speed-up",
        "How many times faster by the clock. It needs two measured times on the same machine.",
        over="seconds of greedy decoding",
        under="seconds of the method",
    ),
    Term(
        "roofline",
        "A pass takes as long as moving its bytes or as its arithmetic, whichever is longer; "
        "while moving is longer, further slots cost almost nothing.",
    ),
    Term(
        "scaling law",
        "When N is large enough, exponentially larger W cuts the number of passes linearly.",
        source=FU,
    ),
    Term(
        "Pareto front",
        "The settings that no other one beats: nothing gives more tokens per pass for as little "
        "cost.",
    ),
)
