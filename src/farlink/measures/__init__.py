"""Ranks and probabilities: how good an answer is."""
