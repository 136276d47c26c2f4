"""Which relations, attributes and classes of two graphs correspond, told by what both say of matched entities.

A triple whose ends are both matched can have a counterpart in the other graph: the same two entities, or the same
entity and the same value, by some relation there; a class has its members instead. Let c of the triples of a relation
have a counterpart by one relation of the other side, and a of them one by any. The share that counts is c / (a + 1):
what the other graph says of such pairs at all, it says by this relation. What it does not say means nothing, as graphs
are not complete, and the one that is added keeps a few triples from deciding. The same is counted from the other side.

- equal: both shares are high;
- narrower: only that of the left is, so that its triples are among those of the right one;
- broader: only that of the right is;
- inverse, inverse narrower, inverse broader: the same with the right relation read from tail to head.

Pairs with little support, and those that agree no more often than they would by chance, are left out. A share means
little if the other graph says little: then most of its few counterparts may be of a relation that often goes along with
the right one, as people often live where they were born. So most of the triples must have a counterpart by this
relation, too. Where all else speaks for equal relations, and only this is missing, equal names decide. Of a class
no such thing is asked: its members are compared with those whose counterpart has any class, right or wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from farlink.alignment.evidence import counterparts
from farlink.alignment.values import Side, Values
from farlink.graph.edges import Edges
from farlink.graph.ids import Ids, Pairs
from farlink.graph.knowledge_graph import KnowledgeGraph
from farlink.graph.names import RDF_TYPE, are_names, readable
from farlink.text.normal import normal_names

SUPPORT = 3  # triples with a counterpart, at the least
HIGH = 0.85  # the share from which on triples of one relation are among those of another
MOST = 0.5  # the share of all matched triples that must have a counterpart by the relation, unless names are equal
DEVIATIONS = 2.0  # that a count must be above what chance gives
TELLING = np.log(100.0)  # what near values must say for the same entity, by its logarithm, to count as counterparts
TYPES = (RDF_TYPE, "rdf:type")  # relations that tell the classes of an entity
DIGITS = 6  # behind the point, in what is written
KINDS = ("equal", "inverse", "narrower", "broader", "inverse narrower", "inverse broader")

Columns = dict[str, type[pl.DataType]]
EVIDENCE: Columns = {
    "confidence": pl.Float64,  # the share that decides; of equal ones the smaller
    "left_share": pl.Float64,
    "right_share": pl.Float64,
    "left_agreeing": pl.Int64,  # triples, or members, with a counterpart by the right relation
    "left_answered": pl.Int64,  # with one by any relation
    "left_triples": pl.Int64,  # that there are between matched entities
    "right_agreeing": pl.Int64,
    "right_answered": pl.Int64,
    "right_triples": pl.Int64,
    "by_chance": pl.Float64,  # how many would have a counterpart if it were chance
    "left_name": pl.String,
    "right_name": pl.String,
}
ENDS: Columns = {"left": pl.String, "kind": pl.String, "right": pl.String}
RELATIONS: Columns = {**ENDS, "what": pl.String, **EVIDENCE}  # `what`: a relation to entities, or an attribute
CLASSES: Columns = {**ENDS, **{name.replace("triples", "members"): kind for name, kind in EVIDENCE.items()}}
PAIR = ["left", "right"]


class Ontology(NamedTuple):
    """The correspondences between the relations and the classes of two graphs, the surest first."""

    relations: pl.DataFrame
    classes: pl.DataFrame


def aligned_ontology(left: KnowledgeGraph, right: KnowledgeGraph, pairs: Pairs, seed: int) -> Ontology:
    """Which relations, attributes and classes correspond, given which entities are the same."""
    partner = np.full(len(left.entities), -1, dtype=np.int32)
    partner[pairs[:, 0]] = pairs[:, 1]
    relations = [
        _named(_of_relations(left, right, partner), left, right).with_columns(what=pl.lit("relation")),
        _named(_of_attributes(left, right, pairs, seed), left, right).with_columns(what=pl.lit("attribute")),
    ]
    classes = _named(_of_classes(left, right, partner), left, right, most=0.0)
    classes = classes.rename({"left_triples": "left_members", "right_triples": "right_members"})
    return Ontology(_sorted(pl.concat(relations), RELATIONS), _sorted(classes, CLASSES))


def _sorted(found: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    order = pl.col("kind").cast(pl.Enum(KINDS)).to_physical()
    sure = [pl.col("confidence"), pl.col("left_agreeing")]
    ordered = found.sort([order, *sure, *PAIR], descending=[False, True, True, False, False])
    return ordered.select(pl.col(name).cast(kind) for name, kind in columns.items()).with_columns(
        pl.col(pl.Float64).round(DIGITS)
    )


# what is counted on


def _of_relations(left: KnowledgeGraph, right: KnowledgeGraph, partner: Ids) -> pl.DataFrame:
    """Relations by name, with what is counted; those of the right also from tail to head."""
    counts = _counts(_Facts.of(Edges.of(left), Edges.of(right), partner))
    names = pl.concat([right.relations, right.relations])
    forward = counts.filter(pl.col("left") < len(left.relations))  # the reverse of both says the same again
    turned = forward.with_columns(inverse=pl.col("right") >= len(right.relations))
    named = turned.with_columns(left=left.relations.gather(forward["left"]), right=names.gather(forward["right"]))
    # a relation that holds both ways is its own inverse
    return named.sort("left_agreeing", "inverse", descending=[True, False]).unique(
        PAIR, keep="first", maintain_order=True
    )


def _of_attributes(left: KnowledgeGraph, right: KnowledgeGraph, pairs: Pairs, seed: int) -> pl.DataFrame:
    """Attributes by name, with what is counted; what names an entity is among them."""
    (ours, left_ids), (theirs, right_ids) = _matched_part(left, pairs[:, 0]), _matched_part(right, pairs[:, 1])
    values = Values(ours, theirs, seed, names=True)
    if not values.known:
        return _nothing()
    places = [np.searchsorted(ids, ends) for ids, ends in zip((left_ids, right_ids), pairs.T, strict=True)]
    counts = _counts(_value_facts(values, np.stack(places, axis=1).astype(np.int32)))
    names = [pl.Series(side.names, dtype=pl.String) for side in (values.left, values.right)]
    return counts.with_columns(
        left=names[0].gather(counts["left"]), right=names[1].gather(counts["right"]), inverse=pl.lit(False)
    )


def _of_classes(left: KnowledgeGraph, right: KnowledgeGraph, partner: Ids) -> pl.DataFrame:
    """Classes by name, with what is counted on their members."""
    members = [_members(graph) for graph in (left, right)]
    if any(table.is_empty() for table in members):
        return _nothing()
    names = [table["class"].unique().sort() for table in members]
    ours, theirs = (_class_edges(*parts) for parts in zip(members, names, (left, right), strict=True))
    ends = np.append(partner, len(right.entities)).astype(np.int32)
    counts = _counts(_Facts.of(ours, theirs, ends), members=True)
    return counts.with_columns(
        left=names[0].gather(counts["left"]), right=names[1].gather(counts["right"]), inverse=pl.lit(False)
    )


def _nothing() -> pl.DataFrame:
    counts = {name: kind for name, kind in EVIDENCE.items() if not name.endswith(("share", "name", "confidence"))}
    return pl.DataFrame(schema={"left": pl.String, "right": pl.String, "inverse": pl.Boolean, **counts})


def _matched_part(graph: KnowledgeGraph, matched: Ids) -> tuple[KnowledgeGraph, Ids]:
    """The matched entities with their values, and their ids: of the others nothing needs to be known."""
    ids = np.unique(matched)
    entities = graph.entities.gather(ids)
    said = graph.literals.filter(pl.col("head").is_in(entities.implode()), ~pl.col("relation").is_in(TYPES))
    return replace(graph, entities=entities, literals=said), ids


def _members(graph: KnowledgeGraph) -> pl.DataFrame:
    """Entities and their classes (entity, class), which triples or literals tell."""
    relations = np.flatnonzero(graph.relations.is_in(TYPES).to_numpy())
    head, _, tail = graph.triples[np.isin(graph.triples[:, 1], relations)].T
    told = pl.DataFrame({"entity": head, "class": graph.entities.gather(tail)})
    written = graph.literals.filter(pl.col("relation").is_in(TYPES) & pl.col("value").is_not_null())
    ids = pl.Series(graph.ids(written["head"]), dtype=pl.Int32)
    values = pl.DataFrame({"entity": ids, "class": written["value"]}).filter(pl.col("entity") >= 0)
    return pl.concat([told.cast({"entity": pl.Int32}), values]).unique()


def _class_edges(members: pl.DataFrame, names: pl.Series, graph: KnowledgeGraph) -> Edges:
    """Membership as triples by the class, which all lead to one and the same end."""
    numbers = pl.DataFrame({"class": names, "number": np.arange(len(names), dtype=np.int32)})
    rows = members.join(numbers, on="class")
    end = np.full(len(rows), len(graph.entities), dtype=np.int32)
    triples = np.stack([rows["entity"].to_numpy(), rows["number"].to_numpy(), end], axis=1)
    return Edges.of_triples(triples, len(graph.entities) + 1, len(names))


# counting


class _Facts(NamedTuple):
    """The triples of both graphs that can have a counterpart, and the counterparts."""

    left: pl.DataFrame  # head, left (the relation), tail; ends by right id
    right: pl.DataFrame  # head, right, tail
    forth: pl.DataFrame  # left triples by a right relation that agrees: head, left, tail, right; ends by left id
    back: pl.DataFrame  # right triples by a left relation that agrees

    @classmethod
    def of(cls, left: Edges, right: Edges, partner: Ids) -> _Facts:
        """The triples between matched entities; several left entities may have one partner."""
        found = counterparts(left, right, partner)
        ours = pl.DataFrame({"head": left.head, "left": left.relation, "tail": left.tail})
        matched = np.zeros(right.entities, dtype=bool)
        matched[partner[partner >= 0]] = True
        near = found.right
        theirs = pl.DataFrame({"head": near.head, "right": near.relation, "tail": near.tail})
        agreeing = np.repeat(found.known, found.counts)
        relations = {"left": left.relation[agreeing], "right": near.relation[found.places]}
        known = ours[found.known].with_columns(pl.col("head", "tail").map_batches(lambda ids: pl.Series(partner[ids])))
        return cls(
            known,
            theirs.filter(matched[near.head] & matched[near.tail]),
            ours[agreeing].with_columns(right=pl.Series(relations["right"])),
            theirs[found.places].with_columns(left=pl.Series(relations["left"])).unique(),
        )


def _value_facts(values: Values, pairs: Pairs) -> _Facts:
    """Values as triples that lead to their texts, which both graphs share; near ones that tell much agree as well."""
    sizes, texts = values.shape, len(values.texts)
    ours, theirs = (
        Edges.of_triples(_to_texts(table, size), size + texts, len(side.names))
        for table, size, side in zip(values.tables, sizes, (values.left, values.right), strict=True)
    )
    partner = np.full(sizes[0] + texts, -1, dtype=np.int32)
    partner[pairs[:, 0]] = pairs[:, 1]
    partner[sizes[0] :] = np.arange(texts) + sizes[1]
    facts = _Facts.of(ours, theirs, partner)
    forth, back = [facts.forth], [facts.back]
    left = _settled(facts.forth, facts.left, values.left, "left")
    right = _settled(facts.back, facts.right, values.right, "right")
    for comparison in values.comparisons(pairs, (left, right)):
        for near, rows, size in zip(values.near(comparison, pairs, TELLING), (forth, back), sizes, strict=True):
            numbers = {"left": pl.lit(comparison.left, pl.Int32), "right": pl.lit(comparison.right, pl.Int32)}
            ends = near.select(head="entity", tail=pl.col("text") + size, **numbers)
            rows.append(ends.select(pl.col(name).cast(kind) for name, kind in rows[0].schema.items()))
    return facts._replace(forth=pl.concat(forth).unique(), back=pl.concat(back).unique())


def _settled(agreeing: pl.DataFrame, known: pl.DataFrame, values: Side, side: str) -> set[int]:
    """Attributes of which no near values need to be looked for: most of theirs are equal, or they are names."""
    answered = agreeing.select("head", "tail", side).unique().group_by(side).len("answered")
    counts = known.group_by(side).len().join(answered, on=side)
    mostly = counts.filter(pl.col("answered") >= MOST * pl.col("len"))[side]
    names = are_names(pl.Series(values.names, dtype=pl.String)).arg_true()
    return {*mostly.to_list(), *names.to_list()}


def _to_texts(table: pl.DataFrame, entities: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    triples = table.select("entity", "attribute", pl.col("text") + entities)
    return np.ascontiguousarray(triples.to_numpy().astype(np.int32))


def _counts(facts: _Facts, *, members: bool = False) -> pl.DataFrame:
    """Of every two relations that may correspond: how many triples agree, are answered, and are there."""
    counts = _side(facts.forth, facts.left, "left").join(_side(facts.back, facts.right, "right"), on=PAIR)
    shares = [_share(side) for side in PAIR]
    likely = counts.filter(
        pl.min_horizontal("left_agreeing", "right_agreeing") >= SUPPORT, pl.max_horizontal(shares) >= HIGH
    )
    return likely.join(_chance(likely, facts, members=members), on=PAIR)


def _side(agreeing: pl.DataFrame, known: pl.DataFrame, side: str) -> pl.DataFrame:
    """What is counted on the triples of one side."""
    answered = agreeing.select("head", "tail", side).unique().group_by(side).len(f"{side}_answered")
    together = agreeing.group_by(PAIR).len(f"{side}_agreeing")
    there = known.group_by(side).len(f"{side}_triples")
    counts = together.join(answered, on=side).join(there, on=side)
    return counts.with_columns(pl.exclude(PAIR).cast(pl.Int64))


def _share(side: str) -> pl.Expr:
    """The share of what is said at all; the one more keeps small counts from being sure."""
    return pl.col(f"{side}_agreeing") / (pl.col(f"{side}_answered") + 1)


def _chance(pairs: pl.DataFrame, facts: _Facts, *, members: bool) -> pl.DataFrame:
    """How many triples of two relations would agree by chance (left, right, by_chance).

    Of relations, if their ends were dealt out anew among the entities that have them: a relation that nearly always
    leads to one and the same tail agrees with any other that does. Of classes, if their members were.
    """
    if members:
        typed = facts.left.join(facts.right, on="head", how="semi")["head"].n_unique()
        by_chance = pl.col("left_answered") * pl.col("right_answered") / max(typed, 1)
        return pairs.select(*PAIR, by_chance=by_chance)
    by_tail, by_head = (_expected(pairs, facts, *ends) for ends in (("tail", "head"), ("head", "tail")))
    return by_tail.join(by_head, on=PAIR).select(*PAIR, by_chance=pl.max_horizontal("tail", "head"))


def _expected(pairs: pl.DataFrame, facts: _Facts, end: str, other: str) -> pl.DataFrame:
    """How many would agree if the `end` of a triple did not depend on the other one, in a column of that name."""
    ours, theirs = (
        triples.group_by(side, end).len(f"{side}_users")
        for triples, side in zip((facts.left, facts.right), PAIR, strict=True)
    )
    both = pairs.select(PAIR).join(ours, on="left").join(theirs, on=["right", end])
    users = pl.col("left_users").cast(pl.Float64) * pl.col("right_users")
    shared = both.group_by(PAIR).agg(shared=users.sum())
    spread = pairs.select(PAIR)
    for triples, side in zip((facts.left, facts.right), PAIR, strict=True):
        spread = spread.join(triples.group_by(side).agg(pl.col(other).n_unique().alias(f"{side}_spread")), on=side)
    expected = pl.col("shared").fill_null(0.0) / pl.max_horizontal("left_spread", "right_spread")
    return spread.join(shared, on=PAIR, how="left").select(*PAIR, expected.alias(end))


# judging


def _named(counts: pl.DataFrame, left: KnowledgeGraph, right: KnowledgeGraph, most: float = MOST) -> pl.DataFrame:
    """The pairs that correspond, with their kind, their confidence and their readable names.

    A name that a line of TSV cannot hold has no place in the files of a run.
    """
    counts = counts.filter(~pl.any_horizontal(pl.col(PAIR).str.contains(r"[\t\r\n]")))
    names = {
        f"{side}_name": readable(counts[side], graph.literals).str.replace_all(r"\s+", " ")
        for side, graph in zip(PAIR, (left, right), strict=True)
    }
    shares = {f"{side}_share": _share(side) for side in PAIR}
    return _judged(counts.with_columns(**names, **shares), most)


def _judged(counts: pl.DataFrame, most: float) -> pl.DataFrame:
    """The pairs that correspond, with their kind and their confidence; names only tell equal from nearly equal."""
    agreeing, by_chance = pl.min_horizontal("left_agreeing", "right_agreeing"), pl.col("by_chance")
    dealt = pl.min_horizontal("left_triples", "right_triples")
    variance = by_chance * (1 - by_chance / dealt)  # of as many draws that each agree or do not
    better = agreeing > by_chance + DEVIATIONS * pl.max_horizontal(variance, pl.lit(1.0)).sqrt()
    alike = _plain(counts["left_name"]) == _plain(counts["right_name"])
    judged = counts.with_columns(alike=alike).filter(better).with_columns(kind=_kind(most))
    equal = pl.col("kind") == "equal"
    shares = "left_share", "right_share"
    confidence = pl.when(equal).then(pl.min_horizontal(shares)).otherwise(pl.max_horizontal(shares))
    turned = pl.when(equal).then(pl.lit("inverse")).otherwise("inverse " + pl.col("kind"))
    kind = pl.when("inverse").then(turned).otherwise("kind")
    return judged.with_columns(confidence=confidence, kind=kind).filter(pl.col("kind").is_not_null()).drop("inverse")


def _kind(most: float) -> pl.Expr:
    """Equal, narrower, broader or nothing, whichever way the right relation is read."""
    high = {side: pl.col(f"{side}_share") >= HIGH for side in PAIR}
    sure = {side: high[side] & (pl.col(f"{side}_agreeing") >= most * pl.col(f"{side}_triples")) for side in PAIR}
    equal = (sure["left"] & sure["right"]) | (high["left"] & high["right"] & pl.col("alike"))
    kind = pl.when(equal).then(pl.lit("equal")).when(sure["left"]).then(pl.lit("narrower"))
    return kind.when(sure["right"]).then(pl.lit("broader"))


def _plain(names: pl.Series) -> pl.Series:
    """Names in the form in which they are compared; `releaseDate` is two words."""
    return normal_names(names.str.replace_all(r"(\p{Ll})(\p{Lu})", "$1 $2"))
