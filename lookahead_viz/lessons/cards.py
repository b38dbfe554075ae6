"""The cards of the lesson, in order: three chapters, each card one screen."""

from __future__ import annotations

from lookahead_viz import people_ask
from lookahead_viz.lessons import certain, luck, masks, reading, sure, verifying, window
from lookahead_viz.lessons.question import Ask, Card

CHAPTERS = (
    "Why one token at a time?",
    "Jacobi: solving y = F(y)",
    "Lookahead: from wasted iterates to n-grams",
)

JACOBI, LOOKAHEAD = ("jacobi",), ("lookahead",)
SHEET = ("jacobi",)

CARDS = (
    Card(
        "one-by-one",
        0,
        "One token, then the next",
        "A language model reads a text and says which [[token]] comes next. To write a sentence "
        "it is asked again for every token, because each new one depends on all before it. Each "
        "time is a [[pass]]: written this way, every token costs one.",
        (Ask("current token", reading.current_token, ("greedy", "lookahead"), ()),),
        page="race",
        equation=r"y_i = \operatorname*{argmax}_v \; p(v \mid x, y_1, \dots, y_{i-1})",
        after="x is the prompt, y₁, y₂, … the tokens that are written.",
        code=("engine.greedy:greedy_steps",),
    ),
    Card(
        "many-at-once",
        0,
        "One pass can do more",
        "Fed with many tokens, a pass gives a prediction after each of them. So if somebody "
        "guesses the next tokens, one pass checks all guesses at once, and every right one saves "
        "a pass. Often the model mostly waits for its weights to come from memory: then more "
        "tokens a pass take little more time. Where it does not wait, as on most CPUs, they do.",
        (Ask("tokens written", reading.tokens_written, LOOKAHEAD, ()),),
        page="acceptance",
        code=("engine.lookahead:lookahead_steps",),
    ),
    Card(
        "system",
        1,
        "Unknown tokens, one equation each",
        "Call the next n tokens unknowns. The first depends on the prompt x alone, the second on "
        "the first, and so on. This triangular system has exactly one solution: the text that "
        "would be written one by one. To solve it, put in any n tokens, let one pass compute all "
        "right sides, and put in the result again: one Jacobi [[iteration]].",
        (Ask("certain first", certain.newly_certain, JACOBI, SHEET),),
        page="jacobi",
        equation=r"\begin{aligned} y_1 &= F(x) \\ y_2 &= F(x, y_1) \\ &\;\;\vdots \\ "
        r"y_n &= F(x, y_1, \dots, y_{n-1}) \end{aligned}",
        after="F is one pass of the model: its most likely next token.",
        code=("engine.jacobi:block_steps",),
    ),
    Card(
        "certain",
        1,
        "What is certain",
        "Compare a row with the one above. As far as both are equal from the left, the tokens "
        "were computed from themselves: they solve their equations and never change again. The "
        "token after them was computed from those alone, so it is certain as well. Certain tokens "
        "are called [[frozen]]; the line in the picture shows how far.",
        (Ask("certain count", certain.certain_count, JACOBI, SHEET),),
        page="jacobi",
        equation=r"\text{frozen} = \min(n,\; m + 1)",
        after="m is how many tokens from the left did not change in this pass.",
        code=("engine.jacobi:fixed_point", "prefix:common_prefix"),
    ),
    Card(
        "at-most-n",
        1,
        "Never more passes than tokens",
        "Every pass makes at least one more token certain, so n tokens need at most n passes, as "
        "many as one by one. Fewer are needed only where a token is right before it is certain. "
        "The dashed line in the picture is one token a pass.",
        (Ask("settled", luck.settled, JACOBI, SHEET),),
        page="jacobi",
        equation=r"\begin{aligned}"
        r"&y_1 = F(x): \text{ certain after 1 pass} \\"
        r"&y_1 \dots y_t \text{ certain after } t \text{ passes} \\"
        r"&\Rightarrow y_{t+1} \text{ certain after } t+1 \\"
        r"&\Rightarrow \text{all } n \text{ after at most } n"
        r"\end{aligned}",
        code=("engine.jacobi:block_steps",),
    ),
    Card(
        "luck",
        1,
        "Right is not yet certain",
        "A token can be right long before it is certain: the model found it although the tokens "
        "before it were wrong. We call it [[lucky]]. Such a token may change again, so it cannot "
        "be shown to a reader yet. But it is where the gain comes from: when the tokens before it "
        "become certain, it costs no pass of its own.",
        (Ask("lucky", luck.lucky, JACOBI, SHEET),),
        page="jacobi",
        code=("views.jacobi:jacobi_view",),
    ),
    Card(
        "troubles",
        1,
        "Why this gains so little",
        "On open text pure Jacobi decoding writes about 1.1 to 1.3 tokens a pass. Right tokens "
        "are lost again, or stand one place too far left or right, or are overwritten by the next "
        "pass before the text reaches them. Each row is thrown away as soon as the next one is "
        "there.",
        (Ask("lost", luck.lost, JACOBI, SHEET),),
        page="jacobi",
        code=("views.jacobi:jacobi_view",),
    ),
    Card(
        "window",
        2,
        "Keep the rows: the window",
        "Lookahead decoding does not throw the rows away. It keeps the last N − 1 of them, W "
        "tokens wide: the [[window]]. Each row was predicted from the one above it, one pass "
        "later, so it stands one place further right. A token, its prediction, and the "
        "prediction after that form a column, which runs to the right and down: follow the thick "
        "line. On top of column 0 the current token has taken the place of a guess.",
        (
            Ask(
                "own column",
                window.own_column,
                LOOKAHEAD,
                ("window",),
                people_ask.OWN_COLUMN,
            ),
        ),
        page="window",
        code=("engine.window:Window.rolled",),
    ),
    Card(
        "mask",
        2,
        "Who may read whom",
        "All tokens of a pass are computed at the same time, so a table has to say which may read "
        "which: the [[mask]]. Row 0 reads from left to right, as text does. A token below it "
        "reads the text, row 0 up to its own column, and what stands above it in that column: the "
        "line of text that it continues. It reads nothing else, not even its own row. The "
        "legend's numbers are [[rules|rule]].",
        (
            Ask(
                "row zero",
                masks.row_zero,
                LOOKAHEAD,
                ("mask",),
                people_ask.ROW_ZERO,
            ),
            Ask(
                "mask cell",
                masks.mask_cell,
                LOOKAHEAD,
                ("mask",),
                people_ask.ITERATIONS,
            ),
        ),
        page="mask",
        code=("visibility:rules",),
    ),
    Card(
        "n-grams",
        2,
        "Columns become n-grams",
        "Follow a thick line down a column to the prediction that ends it: N tokens, each "
        "predicted from the one before. That is an [[n-gram]]. (Column 0 differs: the current "
        "token replaced the guess on top.) Every pass puts the n-grams of all W columns into the "
        "[[pool]], a table by their first token, the [[key]]. They may be wrong; they wait there "
        "until the text reaches their key.",
        (
            Ask(
                "n-gram end",
                window.ngram_end,
                LOOKAHEAD,
                ("window",),
                people_ask.GENERATED,
                upright=True,
            ),
            Ask(
                "n-grams entering",
                window.ngrams_entering,
                LOOKAHEAD,
                ("window", "pool"),
                people_ask.KEPT,
                upright=True,
            ),
        ),
        page="pool",
        code=("engine.window:Window.ngrams", "engine.pool:NgramPool.insert"),
    ),
    Card(
        "verify",
        2,
        "Check before you write",
        "Up to G n-grams that begin with the current token are fed along in the same pass. From "
        "left to right a [[guess]] is right if it equals the model's own token at its place. The "
        "longest right beginning is [[accepted]], and after it the model's own next token, the "
        "[[bonus]] (★). Nothing is written that the model did not confirm, so the text is "
        "greedy's own.",
        (
            Ask(
                "accepted",
                verifying.accepted,
                LOOKAHEAD,
                ("trie",),
                people_ask.LAST_GUESS,
            ),
            Ask("first wrong", verifying.first_wrong, LOOKAHEAD, ("trie",)),
            Ask(
                "sure slot",
                sure.sure_slot,
                LOOKAHEAD,
                ("window",),
                people_ask.FINAL,
            ),
        ),
        page="candidates",
        code=("engine.verify:matched_length", "engine.verify:verify"),
    ),
    Card(
        "cost",
        2,
        "What it costs",
        "A pass now feeds window and candidates: up to S [[slots]]. Tokens per pass, the "
        "[[compression]], is the most that can be gained in time; how much of it remains depends "
        "on the machine. The paper measures up to 1.8 times the speed of plain decoding on one "
        "GPU (MT-bench). Its 4 times is code, on several GPUs. On a CPU lookahead often loses.",
        (Ask("slots", reading.slots_fed, LOOKAHEAD, ("window", "trie")),),
        page="race",
        equation=r"S \le W(N-1) + G(N-1)",
        after="W columns and up to G candidates, N − 1 tokens each.",
        code=("layout:pack",),
    ),
)


def card(name: str) -> Card | None:
    """The card called ``name``; None when there is none."""
    return next((one for one in CARDS if one.name == name), None)


def asks() -> tuple[Ask, ...]:
    """All questions, in the order of the cards."""
    return tuple(ask for card in CARDS for ask in card.asks)
