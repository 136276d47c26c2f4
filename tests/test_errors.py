from farlink.errors import FarlinkError, InputError


def test_an_input_error_names_file_and_line():
    assert str(InputError("a.tsv", "no tabs here", 1234)) == "a.tsv, line 1,234: no tabs here"


def test_the_line_may_be_absent():
    assert str(InputError("a.tsv", "empty")) == "a.tsv: empty"


def test_it_is_a_mistake_the_user_can_mend():
    assert isinstance(InputError("a", "b"), FarlinkError)
