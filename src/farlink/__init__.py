"""Align and complete knowledge graphs by learning from long relational paths."""
