"""When does it pay? Sweeps, scaling law, cost, roofline, calculator; pure numbers, no pictures.

Importing any module of this package loads no torch: those that decode or measure import it in
the function that does so.
"""
