"""The lessons: cards that explain, and questions whose answers are computed from a run.

A question is a pure function of a run and a step, so that it can be asked about any run. What may
be answered are the things of the player's pictures, by the short names of ``player/js/links.js``.
"""
