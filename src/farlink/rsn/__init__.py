"""Recurrent skipping networks, in the order of the paper: joint graph, walks, network, loss."""
