"""Experiments on benchmark data: runs, records of them, and pages made from the records."""
