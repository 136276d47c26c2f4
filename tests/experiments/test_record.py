from experiments.record import record


def test_a_record_holds_what_the_run_folder_says(tiny_run):
    made = record(tiny_run.folder)
    assert made["settings"] == tiny_run.settings.model_dump()
    assert made["metrics"] == tiny_run.metrics
    assert len(made["trace"]) == 3
    assert made["left"] == "left.tsv"
