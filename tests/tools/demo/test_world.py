from __future__ import annotations

import gzip
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tools.demo.dice import Dice
from tools.demo.facts import World
from tools.demo.views import SCHEMA
from tools.demo.world import ROLES, SEED, SIZES, build_world, write_demo

from farlink.demo import DATA

ROOT = Path(__file__).parents[3]
GRAPHS = ["atlas.nt.gz", "gazette.tsv.gz"]
LINKS = ["seeds.tsv", "valid.tsv", "test.tsv"]


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@pytest.fixture(scope="module")
def world() -> World:
    return build_world(Dice(SEED))


def test_generator_reproduces_the_shipped_files(tmp_path: Path) -> None:
    write_demo(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in DATA.iterdir())
    for name in GRAPHS + LINKS:
        assert content(tmp_path / name) == content(DATA / name), name


def test_a_command_makes_the_files_anew(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.demo", str(tmp_path)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.strip() == str(tmp_path)
    assert content(tmp_path / "atlas.nt.gz") == content(DATA / "atlas.nt.gz")


def test_the_package_ships_the_files_and_not_their_generator() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == ["src/farlink"]
    shipped = {path.relative_to(DATA.parent).as_posix() for path in DATA.parent.rglob("*.*") if path.suffix != ".pyc"}
    assert shipped == {"__init__.py", *(f"data/{name}" for name in GRAPHS + LINKS)}


def test_two_runs_write_the_same_compressed_bytes(tmp_path: Path) -> None:
    write_demo(tmp_path / "one")
    write_demo(tmp_path / "two")
    for name in GRAPHS:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_files_are_small() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 400_000


def test_every_group_has_its_size(world: World) -> None:
    assert {kind: len(world.groups[kind]) for kind in SIZES} == SIZES
    assert sum(len(world.groups[role]) for role in ROLES) == SIZES["person"]


def test_every_kind_of_fact_occurs_and_is_told(world: World) -> None:
    assert {kind for kind, _, _ in world.facts} == SCHEMA.keys()


def test_people_are_born_once_and_in_their_country(world: World) -> None:
    born = {subject: object_ for kind, subject, object_ in world.facts if kind == "born"}
    assert sorted(born) == sorted(world.groups["person"])
    assert all(world.home(person) == world.home(city) for person, city in born.items())


def test_names_are_unique_on_each_side(world: World) -> None:
    for side in (0, 1):
        assert len({entity.names[side] for entity in world.entities}) == len(world.entities)
