"""Names and text in a form that can be compared: normal forms, readings in other scripts and languages, vectors.

May import graphs, settings and errors. Only the encoder knows torch, and only once a folder is loaded; what the extras
add is imported where it is first used.
"""
