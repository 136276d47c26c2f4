import pytest

from farlink.wording import counted, did_you_mean, similar


@pytest.mark.parametrize(
    ("count", "forms", "words"),
    [
        (0, ("seed link",), "0 seed links"),
        (1, ("seed link",), "1 seed link"),
        (2, ("seed link",), "2 seed links"),
        (1234, ("entity", "entities"), "1,234 entities"),
        (1, ("link is repeated", "links are repeated"), "1 link is repeated"),
        (2, ("link is repeated", "links are repeated"), "2 links are repeated"),
    ],
)
def test_one_is_not_many(count, forms, words):
    assert counted(count, *forms) == words


def test_the_most_similar_name_comes_first():
    names = ["width", "depth_b", "depth_bias", "cross"]
    assert similar("depth-bias", names, most=2) == ["depth_bias", "depth_b"]
    assert similar("depth-bias", names, most=1) == ["depth_bias"]
    assert similar("zzz", names, most=2) == []


def test_a_hint_names_each_once():
    assert did_you_mean(["a", "b", "a"]) == "; did you mean 'a' or 'b'?"
    assert did_you_mean([]) == ""
