"""How fast farlink is and how much memory it takes, each figure next to one to compare it with.

`make bench`, or `python -m benchmarks [NAME...]` in the root folder of the project (the package is not
installed, so it is found from there only), measures the subjects named, or all of them:

- `walks`: sampling paths
- `training`: training steps of each preset
- `reading`: reading a file of ten million triples
- `matching`: finding nearest neighbours among a hundred thousand vectors

Figures go into `results.md` and `results.json` beside this file; a subject that is not measured keeps the ones
it has. `--quick` tries everything with small sizes and writes nothing. The machine should have nothing else to do.

Walks and training run on DBP-WD v1, which is expected in `../shared/data/srprs/dbp_wd_15k_v1`; without it they
run on the graphs of the demo. The file to read is 1.2 GB in the temporary folder while it is needed; the
environment variable FARLINK_BENCH_TRIPLES makes it smaller.
"""
