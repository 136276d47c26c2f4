"""Benchmarks drawn from two linked graphs."""
