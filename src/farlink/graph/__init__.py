"""Knowledge graphs as data: triples over ids, names, links."""
