import pytest

import farlink


@pytest.mark.slow
def test_best_finds_as_much_on_real_data_as_it_did(shared_data, tmp_path):
    """One epoch of `best` on DBP-YG found .538 of the validation links; two points less is more than chance."""
    data = shared_data / "srprs" / "dbp_yg_15k_v1"
    run = farlink.align(data, signals="structure", max_epochs=1, out=tmp_path / "run")
    ranks = run.metrics["validation"]["all"]
    found = [ranks[direction]["hits@1"] for direction in ("left_to_right", "right_to_left")]
    assert sum(found) / 2 > 0.518
