"""Trains any model: the loop, the optimiser, and what makes it fast."""
