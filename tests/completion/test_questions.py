import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from farlink.completion.questions import Questions

ENTITIES, RELATIONS = 7, 3
triple = st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, RELATIONS - 1), st.integers(0, ENTITIES - 1))
some_triples = st.sets(triple, min_size=1, max_size=25).map(lambda rows: np.array(sorted(rows), dtype=np.int32))


@given(some_triples)
def test_questions_hold_each_triple_once(triples):
    questions = Questions.about(np.random.default_rng(0).permutation(triples))
    rows = {
        (int(questions.head[i]), int(questions.relation[i]), int(answer))
        for i in range(len(questions))
        for answer in questions.answer[questions.first[i] : questions.first[i + 1]]
    }
    assert rows == {tuple(row) for row in triples.tolist()}
    assert len(set(zip(questions.head.tolist(), questions.relation.tolist(), strict=True))) == len(questions)


@given(some_triples, some_triples)
def test_known_answers_are_those_of_the_triples(triples, asked):
    questions = Questions.about(triples)
    first, answers = questions.known_answers(asked[:, 0], asked[:, 1])
    for i, (head, relation, _) in enumerate(asked.tolist()):
        expected = [t for h, r, t in triples.tolist() if (h, r) == (head, relation)]
        assert answers[first[i] : first[i + 1]].tolist() == expected


def test_nothing_is_known_where_there_are_no_triples():
    first, answers = Questions.about(np.empty((0, 3), np.int32)).known_answers(
        np.zeros(2, np.int32), np.ones(2, np.int32)
    )
    assert first.tolist() == [0, 0, 0]
    assert len(answers) == 0
