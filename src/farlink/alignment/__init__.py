"""Two graphs in, a scored one-to-one mapping out.

`align` is the way from task to run folder; `methods` learn vectors, `candidates` is where all that speaks for a pair
adds up. May import everything but `completion`, `sampling`, experiments and the command line.
"""
