"""What people ask about the published picture of the mask, each with a short answer.

From the issues of the authors' repository: hao-ai-lab/LookaheadDecoding #14, #28, #32, #44, #52.
The picture is the one of their article, W = 5 and N = 4.
"""

from __future__ import annotations

from dataclasses import dataclass

PUBLISHED_COLOURS = (
    "In the published picture blue is the current token, orange row 0, green row 1, red row 2 and "
    "yellow the predictions after them; a number is an offset from the current token."
)
"""What the questions call by colour."""
SHORT_COLOURS = (
    "In the published picture: blue = current token, orange = row 0, green = row 1, red = row 2, "
    "yellow = predictions."
)
"""The same in one line."""


@dataclass(frozen=True)
class Part:
    """One thing that is asked, in the words of those who ask, and the answer to it."""

    question: str
    answer: str


GENERATED = Part(
    "How are n-grams generated?",
    "One from every column of the window in every pass: its N − 1 tokens, read downwards, and the "
    "model's prediction after the last of them, as orange 1, green 2, red 3, yellow 4.",
)
KEPT = Part(
    "Which n-grams are kept, and which are discarded?",
    "All W of a pass enter the pool, under their first token, the key. A key holds only so many: "
    "one more pushes out the one that was inserted longest ago. Those of the current token are "
    "verified, at most G; one that fails stays in the pool.",
)
OWN_COLUMN = Part(
    "Why does the red token at position 6 attend to green 5 and not to red 5?",
    "Because green 5 is the token before red 6 in the n-gram of its own column. Red 5 stands at "
    "the same position as green 5, but in the neighbour's n-gram; a token has one token before "
    "it, not two.",
)
ROW_ZERO = Part(
    "Why may the yellow token see orange 1 to 4?",
    "Yellow 7 is the prediction after red 6, so it sees what red 6 reads: orange 4 is the first "
    "token of their n-gram, and orange 1 to 3 are the text to the left of it.",
)
LAST_GUESS = Part(
    "Is the last guess accepted when all match?",
    "Yes. When all N − 1 guesses match, all are accepted, and with them the model's own next "
    "token: N tokens. (The authors' code does not see a full match and stops at N − 1.)",
)
ITERATIONS = Part(
    "Why does a token depend on tokens of other iterations, and not on those of its own? What if "
    "it did?",
    "Because a column is one n-gram that grew by one token a pass: the tokens before it were made "
    "in earlier passes, the other iterations. Those of its own were guessed at the same time, "
    "none knowing the others. If it read them, fewer guesses would match; the text would stay the "
    "same, since every guess is verified.",
)
FINAL = Part(
    "Green 1 is conditioned on the final token, so is it final too?",
    "No. Green 1 reads the final token now, but it was predicted in an earlier pass, from a "
    "guess. Final is what the model predicts after the current token in this pass; green 1 is "
    "right only if it is the same token.",
)

FIVE = ((GENERATED, KEPT), (OWN_COLUMN,), (ROW_ZERO, LAST_GUESS), (ITERATIONS,), (FINAL,))
"""The five questions; two of them ask two things."""
