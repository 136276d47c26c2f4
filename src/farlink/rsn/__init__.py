"""The paper, in its order.

`joint` (section 2.1), `model` (equations 1 to 3), `walks` (equations 4 to 7, algorithm 1), `loss` (equation 8), and
`objective`, which makes of them what a step of training learns. May import the engine and what lies below it, but no
files, plots or terminal.
"""
