"""Makes the demo: one invented world, told by two graphs. `python -m tools.demo` writes their files.

It is no part of the package that is installed: that holds the files only.
"""
