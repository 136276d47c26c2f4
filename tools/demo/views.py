"""How the two sides tell the facts of the world, and the files they tell them in.

The Atlas (left, N-Triples) and the Gazette (right, TSV) know most of the same things and model them
differently: relations are turned around, merged or split, a level is skipped, some facts become events, and
each side leaves out facts, entities and whole kinds of relation that the other side tells.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from tools.demo.facts import Entity, Fact, World
from tools.demo.vocabulary import LEFT, RIGHT

ATLAS = "https://atlas.example/"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
XSD = "http://www.w3.org/2001/XMLSchema#"

MISSING_FACTS = 0.22
MISSING_ENTITIES = 0.085
EVENT_SHARE = 0.4
SEED_SHARE, VALID_SHARE = 0.30, 0.07  # the rest of the links are for the test

# What each side calls a fact. "^" turns the relation around, "" leaves it out.
SCHEMA = {
    "region in country": ("country", "liegt in"),
    "city in region": ("region", ""),
    "city in country": ("", "liegt in"),
    "capital": ("capital", "^hauptstadt von"),
    "regional seat": ("administrativeCentre", "verwaltet von"),
    "neighbour": ("borders", "grenzt an"),
    "twin town": ("twinTown", "partnerstadt"),
    "flows through": ("flowsThrough", "^liegt am fluss"),
    "flows into": ("mouth", "mündet in"),
    "university seat": ("campus", "sitz"),
    "teaches": ("", "^gelehrt an"),
    "part of field": ("broaderField", "teilgebiet von"),
    "born": ("bornIn", "geburtsort"),
    "died": ("diedIn", "sterbeort"),
    "lives": ("", "wohnt in"),
    "citizen": ("nationality", ""),
    "parent": ("parent", "^elternteil von"),
    "married": ("spouse", "verheiratet mit"),
    "studied": ("educatedAt", "studierte an"),
    "doctorate": ("educatedAt", "promovierte an"),
    "advisor": ("doctoralAdvisor", "^betreute"),
    "expertise": ("fieldOfWork", "fachgebiet"),
    "lectures": ("employer", "lehrt an"),
    "employed": ("employer", "arbeitet bei"),
    "influenced": ("influencedBy", ""),
    "founded": ("founder", "^gründete"),
    "company seat": ("headquarters", "sitz"),
    "industry": ("industry", "branche"),
    "owner": ("parentCompany", "^besitzt"),
    "directed": ("director", "^beteiligt an"),
    "acted": ("starring", "^beteiligt an"),
    "studio": ("studio", "^drehte"),
    "location": ("filmedIn", "drehort"),
    "film country": ("", "herkunft"),
    "film genre": ("genre", "gattung"),
    "music genre": ("genre", "stilrichtung"),
    "band from": ("formedIn", "herkunft"),
    "band member": ("member", "^spielt bei"),
    "band label": ("label", "unter vertrag bei"),
    "released": ("artist", "^veröffentlichte"),
    "album label": ("label", "^verlegte"),
    "produced": ("producer", "^beteiligt an"),
    "follows": ("previousAlbum", "^gefolgt von"),
    "club seat": ("basedIn", "sitz"),
    "plays in": ("league", "spielklasse"),
    "league of": ("country", ""),
    "plays for": ("playsFor", "^im kader"),
    "coach": ("coach", "^trainiert"),
    "won": ("award", "^verliehen an"),
    "named after": ("namedAfter", "benannt nach"),
    "award for": ("", "ehrt"),
}

# The Gazette tells a part of these facts as events of their own: event, role of subject, role of object.
EVENTS = {
    "married": ("Ehe", "ehepartner", "ehepartner"),
    "employed": ("Anstellung", "angestellter", "arbeitgeber"),
}

# Numbers that the Atlas gives as literals: relation, datatype, lowest, highest.
NUMBERS = {
    "city": ("population", "integer", 900, 800_000),
    "river": ("lengthInKm", "integer", 30, 1_400),
    "company": ("foundedIn", "gYear", 1820, 2015),
    "film": ("releaseYear", "gYear", 1925, 2018),
}

Triple = tuple[str, str, str]  # head, relation, tail


def write_files(world: World, folder: Path) -> None:
    """Write every file of the pair into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in demo_files(world).items():
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


def demo_files(world: World) -> dict[str, str]:
    """The text of every file of the pair, by name; the graphs are stored compressed."""
    atlas = atlas_triples(world, told_facts(world, LEFT))
    gazette = gazette_triples(world, told_facts(world, RIGHT))
    return {
        "atlas.nt.gz": atlas_file(world, atlas),
        "gazette.tsv.gz": tab_separated(gazette),
        **link_files(world, mentioned(atlas), mentioned(gazette)),
    }


def told_facts(world: World, side: int) -> list[Fact]:
    """The facts that one side tells: most of those whose kind, subject and object it knows."""
    unknown = world.dice.chances(MISSING_ENTITIES, len(world.entities))
    unknown[world.groups["country"]] = False
    untold = world.dice.chances(MISSING_FACTS, len(world.facts))
    return [
        (kind, subject, object_)
        for (kind, subject, object_), is_untold in zip(world.facts, untold, strict=True)
        if SCHEMA[kind][side] and not (is_untold or unknown[subject] or unknown[object_])
    ]


def directed_triple(subject: str, relation: str, object_: str) -> Triple:
    """The triple, turned around if the relation is marked so."""
    if relation.startswith("^"):
        return object_, relation[1:], subject
    return subject, relation, object_


def atlas_triples(world: World, facts: Sequence[Fact]) -> list[Triple]:
    """The facts as the Atlas models them."""
    names = [entity.left for entity in world.entities]
    return sorted({directed_triple(names[s], SCHEMA[kind][LEFT], names[o]) for kind, s, o in facts})


def gazette_triples(world: World, facts: Sequence[Fact]) -> list[Triple]:
    """The facts as the Gazette models them, some of them as events."""
    names = [entity.right for entity in world.entities]
    triples: list[Triple] = []
    for number, (kind, s, o) in enumerate(facts):
        if kind in EVENTS and world.dice.chance(EVENT_SHARE):
            event, subject_role, object_role = EVENTS[kind]
            event = f"{event} Nr. {number}"
            triples += [(event, subject_role, names[s]), (event, object_role, names[o])]
        else:
            triples.append(directed_triple(names[s], SCHEMA[kind][RIGHT], names[o]))
    return sorted(set(triples))


def mentioned(triples: Sequence[Triple]) -> set[str]:
    """The names that occur as head or tail."""
    return {name for head, _, tail in triples for name in (head, tail)}


def iri(name: str) -> str:
    """The IRI of an entity of the Atlas."""
    return f"{ATLAS}id/{name.replace(' ', '_')}"


def atlas_literals(world: World, entity: Entity) -> list[str]:
    """The lines that say what an entity is called, and a number about some kinds of it."""
    lines = [f'<{iri(entity.left)}> <{RDFS_LABEL}> "{entity.left}"@en .']
    if entity.kind in NUMBERS:
        name, datatype, low, high = NUMBERS[entity.kind]
        value = f'"{world.dice.number(low, high)}"^^<{XSD}{datatype}>'
        lines.append(f"<{iri(entity.left)}> <{ATLAS}def/{name}> {value} .")
    return lines


def atlas_file(world: World, triples: Sequence[Triple]) -> str:
    """The Atlas in N-Triples."""
    present = mentioned(triples)
    lines = [f"<{iri(head)}> <{ATLAS}def/{relation}> <{iri(tail)}> ." for head, relation, tail in triples]
    for entity in world.entities:
        if entity.left in present:
            lines += atlas_literals(world, entity)
    return "".join(f"{line}\n" for line in sorted(lines))


def tab_separated(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines of a TSV file."""
    return "".join("\t".join(row) + "\n" for row in rows)


def link_files(world: World, left: set[str], right: set[str]) -> dict[str, str]:
    """The links between what both sides mention, shuffled and split."""
    links = [(iri(e.left), e.right) for e in world.entities if e.left in left and e.right in right]
    shuffled = world.dice.shuffled(links)
    ends = [round(share * len(links)) for share in (0.0, SEED_SHARE, SEED_SHARE + VALID_SHARE, 1.0)]
    names = ("seeds.tsv", "valid.tsv", "test.tsv")
    return {name: tab_separated(shuffled[a:b]) for name, a, b in zip(names, ends, ends[1:], strict=False)}
