from farlink.completion.report import result_lines, stage_lines


def test_the_card_tells_what_was_done_and_how_well(ring_run):
    card = (ring_run.folder / "README.md").read_text()
    assert card.startswith("# Completion of train.tsv")
    assert "Triples: 108 to learn from, 6 for validation, 6 for the test." in card
    for name in ("both", "tail", "head"):
        assert f"| {ring_run.metrics['test'][name]['mrr']:.3f} |" in card
    assert "the network that reads paths, alone" in card


def test_the_card_shows_every_plot_there_is(ring_run):
    card = (ring_run.folder / "README.md").read_text()
    plots = {path.name for path in (ring_run.folder / "plots").iterdir()}
    assert plots == {"loss.png", "validation.png", "classes.png", "reliability.png"}
    assert all(f"plots/{name}" in card for name in plots)


def test_without_triples_to_measure_with_the_card_says_so():
    assert result_lines({}) == ["No triples were kept to measure with."]


def test_the_card_tells_what_every_stage_was_and_what_was_chosen(ring_run):
    card = (ring_run.folder / "README.md").read_text()
    dropout = ring_run.stages["questions"]["dropout"]
    assert f"| network, questions | 2 | 1 | 0.01 to 0 | dropout {dropout:g} |" in card
    batch = ring_run.stages["factors"]["batch_size"]
    assert f"| tensor model, questions | 8 | {batch} | 0.01 to 0 | decay 0.01 |" in card
    assert f"dropout 0.4: {ring_run.trials['dropout 0.4']:.3f}" in card


def test_where_nothing_was_tried_nothing_is_said_of_trials():
    walks = {"epochs": 1, "batch_size": 4, "learning_rate": 0.1, "last_rate": 0.1}
    assert stage_lines({"walks": walks}, {})[2:] == ["| network, walks | 1 | 4 | 0.1 |  |"]
