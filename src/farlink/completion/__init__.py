"""One graph in, its likely missing facts out."""
