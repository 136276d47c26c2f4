"""The run folder: what every run of either task holds, how it is written and read.

Knows neither task; `farlink.loading` knows both. Loads no torch.
"""
