"""One graph in, its likely missing facts out.

`complete` is the way from task to run folder; the network, `complex_n3` and `rules` are put together by `ensemble`. May
import everything but `alignment`, `sampling`, experiments and the command line.
"""
