"""Knowledge graphs as data: triples over ids, links, names, edges in compressed rows.

May import settings and errors only, and no torch.
"""
