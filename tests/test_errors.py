from pathlib import Path

from farlink import errors
from farlink.errors import FarlinkError, InputError


def test_an_input_error_names_file_and_line():
    assert str(InputError("a.tsv", "no tabs here", 1234)) == "a.tsv, line 1,234: no tabs here"


def test_the_line_may_be_absent():
    assert str(InputError("a.tsv", "empty")) == "a.tsv: empty"


def test_an_input_error_keeps_its_parts_for_whoever_shows_it_otherwise():
    error = InputError(Path("a.tsv"), "no tabs here", 1234)
    assert (error.source, error.problem, error.line) == ("a.tsv", "no tabs here", 1234)


def test_whoever_catches_what_a_user_can_mend_catches_all_of_it():
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, BaseException)}
    assert all(issubclass(kind, FarlinkError) for kind in kinds)
