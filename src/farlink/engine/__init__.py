"""Trains any model: the loop, the optimiser, and what makes them fast.

Knows no network, no walks and no task. May import settings, graphs' arrays and `io.files` (for checkpoints); no plots,
no terminal.
"""
