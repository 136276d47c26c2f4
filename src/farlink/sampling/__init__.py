"""Benchmarks drawn from graphs: the sampler SRPRS, and the folder and report that are made with it.

Knows neither alignment nor completion.
"""
