"""Two graphs in, a scored one-to-one mapping out."""
