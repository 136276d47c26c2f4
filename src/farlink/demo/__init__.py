"""A pair of small graphs that ships with the package: two views of one invented world."""
