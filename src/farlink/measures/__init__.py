"""Ranks and probabilities: how good an answer is.

Knows neither task. May import graphs' arrays, settings and errors.
"""
