"""Makes the demo: one invented world, told by two graphs. `python -m tools.demo` writes their files."""
