import pytest

from farlink.wording import counted


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
