"""Experiments on benchmark data: runs, records of them, and pages made from the records.

May import both tasks and the sampler; nothing but the command line imports it.
"""
