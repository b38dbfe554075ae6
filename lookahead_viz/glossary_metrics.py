"""The metrics of the glossary: what each counts, and what it is divided by."""

from __future__ import annotations

from lookahead_viz.glossary_terms import FU, Term

LEVIATHAN = "Leviathan et al. 2023, arXiv 2211.17192"

METRICS = (
    Term(
        "compression",
        "Tokens per pass. An upper bound on the speed-up, not the speed-up: a pass with more "
        "slots costs more.",
        also=("tokens per pass",),
        over="accepted tokens",
        under="passes; prefill is no pass, warm-up passes count",
        source=FU,
    ),
    Term(
        "slots per pass",
        "How much one pass computes, on average.",
        over="slots fed in all passes",
        under="passes",
    ),
    Term(
        "wasted slots",
        "How much of what was computed became no text. Of a pass that accepts k tokens, k slots "
        "were of use; the window's others make n-grams, for later passes.",
        over="slots whose prediction did not become text",
        under="slots fed",
    ),
    Term(
        "passes with a candidate",
        "How often there was something to verify.",
        over="passes that verified at least one candidate",
        under="passes",
    ),
    Term(
        "mean accepted",
        "Tokens of a pass that had something to verify. The bonus is counted.",
        also=("mean accepted with the bonus",),
        over="tokens accepted in passes with a candidate",
        under="passes with a candidate",
    ),
    Term(
        "mean accepted without the bonus",
        "The same without the model's own token: what the candidates themselves gave.",
        over="guesses that became text",
        under="passes with a candidate",
        source=LEVIATHAN,
    ),
    Term(
        "accepted candidates",
        "How many of the candidates were of use. Of one pass at most one is.",
        also=("acceptance rate per candidate",),
        over="candidates of which at least one guess became text",
        under="candidates verified",
    ),
    Term(
        "accepted guesses",
        "How much of the verification paid off. The bonus is not counted.",
        also=("acceptance rate",),
        over="guesses that became text",
        under="guess slots fed",
        source=LEVIATHAN,
    ),
    Term(
        "acceptance by position",
        "How far the candidates carry: place 1 is the first token of a pass, place N its last. "
        "The last accepted token is the model's own, so fewer guesses than tokens get so far.",
        over="passes that accepted a guess (or a token) at this place",
        under="passes with a candidate",
    ),
    Term(
        "pool hits",
        "How often the pool held an n-gram that begins with the current token.",
        also=("pool hit rate",),
        over="passes that found an n-gram for their current token",
        under="passes that looked for one (the window is full, G is not 0)",
    ),
    Term(
        "n-gram age",
        "How long an n-gram waited in the pool until it became text. Being inserted again does "
        "not make it younger.",
        also=("n-gram age at acceptance",),
        over="passes between entering the pool and becoming text",
        under="n-grams of the pool of which at least one guess became text",
    ),
    Term(
        "draft passes",
        "What a draft model computed beside the model: its passes are shorter, but not free.",
        over="passes of the draft model",
        under="passes of the model",
    ),
    Term(
        "flips",
        "Right tokens that did not stay: a Jacobi pass computes them anew from a context that "
        "is still wrong.",
        also=("unstable states",),
        over="tokens that were final before a pass and others after it",
        under="passes",
        source=FU,
    ),
    Term(
        "displaced n-grams",
        "Right neighbours at a wrong place: two or more tokens that stand together in the final "
        "text of their block, elsewhere.",
        over="n-grams of 2 or more tokens at a wrong place, after each pass",
        under="passes",
        source=FU,
    ),
    Term(
        "overwritten n-grams",
        "N-grams that were right, at their place or displaced, and are gone after the next pass: "
        "what lookahead decoding keeps in its pool.",
        over="n-grams of 2 or more tokens that a pass did not leave whole",
        under="passes",
        source=FU,
    ),
    Term(
        "low yield",
        "How often a pass gives the least it can give.",
        over="passes that proved one token",
        under="passes",
        source=FU,
    ),
)
