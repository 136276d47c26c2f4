import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the measurement needs scikit-learn")

from tools import name_forms


@pytest.fixture
def data(tmp_path):
    for pair in name_forms.PAIRS:
        folder = tmp_path / pair
        folder.mkdir()
        right = ["Paris", "Rome", "Prague", 'The_"Who"']
        left = ["巴黎", "罗马", "布拉格", "谁人乐队"] if pair == "zh_en" else ["Pâris", "Rome", "Prague", 'The_"Who"']
        for side, names in (("1", left), ("2", right)):
            rows = [f"{10 * int(side) + place}\thttp://x.org/resource/{name}" for place, name in enumerate(names)]
            (folder / f"ent_ids_{side}").write_text("\n".join(reversed(rows)) + "\n")
        (folder / "ref_ent_ids").write_text("10\t20\n11\t21\n12\t22\n13\t23\n")
    return tmp_path


def test_pairs_are_found_whatever_the_order_of_the_ids(data):
    names = name_forms.read(data / "fr_en")
    assert names.left.gather(names.asked).to_list() == ["Pâris", "Rome", "Prague", 'The_"Who"']
    assert names.right.gather(names.counterparts).to_list() == ["Paris", "Rome", "Prague", 'The_"Who"']


def test_a_table_has_a_row_for_each_form(data, monkeypatch, capsys):
    pytest.importorskip("pypinyin", reason="needs the extra: pip install 'farlink[languages]'")
    monkeypatch.setattr("sys.argv", ["name_forms", str(data)])
    name_forms.main()
    rows = capsys.readouterr().out.splitlines()
    assert "| fr_en | normal form | 1.000 | 1.000 |" in rows
    assert "| zh_en | translation | 1.000 | 1.000 |" in rows


def test_equal_scores_share_their_ranks():
    scores = np.array([[1, 1, 0], [0, 0, 1]], dtype=np.float32)
    assert name_forms.measured(scores, np.array([0, 2])) == (0.5, 1.0)
