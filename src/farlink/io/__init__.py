"""Files in and out. What comes in is a graph, links between two graphs, or a benchmark folder of both.

May import graphs, settings and errors; no torch, plots or terminal.
"""
