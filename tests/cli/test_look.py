import json

import pytest

from farlink.settings import AlignmentSettings, CompletionSettings, settings_of
from helpers.commands import complaint, invoke, shell


@pytest.mark.slow
def test_evaluate_shows_both_protocols(finished, files):
    out, _ = finished
    text = invoke("evaluate", out, "--links", files["test"]).output
    assert "20 links, realistic ranks" in text
    assert "right to left" in text
    figures = json.loads(invoke("evaluate", out, "--links", files["test"], "--json").output)
    assert figures["all"]["left_to_right"]["queries"] == 20


def test_info_describes_graphs(files):
    text = invoke("info", files["left"], files["right"]).output
    assert "components" in text
    figures = json.loads(invoke("info", files["left"], "--json").output)
    assert figures[str(files["left"])]["entities"] == 40


def test_info_tells_what_it_sees_as_names_and_attributes(tmp_path):
    path = tmp_path / "a.ttl"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    path.write_text(f'@prefix : <http://e/> . :Q1 :knows :Rome ; {label} "Ann"@en ; :age 7 ; :born "1970-01-01" .')
    text = invoke("info", path).output
    assert "entities with a readable name" in text
    assert "names in " in text
    assert "1970-01-01" in text
    figures = json.loads(invoke("info", path, "--json").output)[str(path)]
    assert figures["entities with a readable name"] == 2
    assert {row["attribute"]: row["kind"] for row in figures["attributes"]} == {
        "http://e/age": "number", "http://e/born": "date", "http://www.w3.org/2000/01/rdf-schema#label": "text",
    }  # fmt: skip


def test_info_shows_the_attributes_that_most_entities_have(tmp_path):
    rows = "".join(f'<x:a{i}> <x:p{j}> "{i}" .\n' for j in range(20) for i in range(j + 1))
    (tmp_path / "a.nt").write_text(rows)
    text = invoke("info", tmp_path / "a.nt").output
    assert "12 of 20" in text
    assert "x:p19" in text
    assert "x:p7 " not in text


def test_info_tells_what_was_left_out(tmp_path):
    files = {"triples_1": "0\t0\t1\n", "triples_2": "2\t0\t3\n", "sup_ent_ids": "0\t2\n", "ref_ent_ids": "1\t3\n"}
    files |= {"ent_ids_1": "0\ta\n1\tb\n", "ent_ids_2": "2\tc\n3\td\n", "attr_triples_1": "a\tp\tx\nz\tp\ty\n"}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    result = invoke("info", tmp_path)
    assert "1 value of attr_triples_1 is about an entity" in result.stderr.replace("\n", "")


@pytest.mark.slow
def test_info_reads_standard_input(files):
    with open(files["left"]) as stdin:
        result = shell("info", "-", "--format", "tsv", "--json", stdin=stdin)
    assert json.loads(result.stdout)["-"]["entities"] == 40


@pytest.mark.parametrize(("task", "kind"), [("align", AlignmentSettings), ("complete", CompletionSettings)])
def test_settings_lists_every_setting(task, kind):
    rows = [line.split("│") for line in invoke("settings", task).output.splitlines() if line.startswith("│")]
    meanings = {cells[1].strip(): cells[-2].strip() for cells in rows if cells[1].strip()}
    assert set(meanings) == set(kind.model_fields) - {"preset", "task"}
    for name, meaning in meanings.items():
        assert kind.model_fields[name].description.startswith(meaning)


@pytest.mark.parametrize(
    ("task", "name", "values"),
    [
        ("complete", "question_dropout", ["auto", "fast: 0.0"]),
        ("align", "bootstrapping", ["true", "paper: false", "authors: false"]),
        ("align", "width", ["256"]),
    ],
)
def test_settings_are_shown_as_the_command_line_takes_them_and_those_of_other_presets_where_they_differ(
    task, name, values
):
    rows = [line.split("│") for line in invoke("settings", task).output.splitlines() if line.startswith("│")]
    start = next(place for place, cells in enumerate(rows) if cells[1].strip() == name)
    following = (place for place, cells in enumerate(rows) if place > start and cells[1].strip())
    shown = [cells[2].strip() for cells in rows[start : next(following)]]
    assert [value for value in shown if value] == values


def test_of_a_method_the_settings_that_it_has_are_listed():
    text = invoke("settings", "gcn-align").output
    names = {line.split()[1] for line in text.splitlines() if line.startswith("│") and line.split()[1] != "│"}
    shown = settings_of("gcn-align") - {"task"}
    assert names == shown


def test_settings_of_something_unknown_are_a_clear_error():
    message = complaint("settings", "bake")
    assert "there is no task or method 'bake'; choose one of align, complete, rsn, mtranse" in message


@pytest.mark.slow
def test_evaluate_measures_a_completion_with_triples(ring_run, folder):
    figures = json.loads(invoke("evaluate", ring_run.folder, "--triples", folder / "test.txt", "--json").output)
    assert figures["both"]["mrr"] == pytest.approx(ring_run.metrics["test"]["both"]["mrr"])
    text = invoke("evaluate", ring_run.folder, "--triples", folder / "test.txt").output
    assert "6 triples, realistic ranks; left out: 0 with unknown names, 0 that the run learned from" in text
    assert "a completion with --triples" in complaint("evaluate", ring_run.folder, "--links", folder / "test.txt")
