"""Knowledge graphs: names on the outside, ids on the inside."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from farlink.graph.ids import Ids, Triples, lookup, moved, shuffled_names, shuffled_places, sorted_distinct
from farlink.wording import counted

LITERAL_SCHEMA = dict.fromkeys(("head", "relation", "value", "datatype", "language"), pl.String)
# What a datatype of this name says is what no datatype says; literals have null in its place.
PLAIN_TEXT = "http://www.w3.org/2001/XMLSchema#string"


def literals_table(frame: pl.DataFrame | None) -> pl.DataFrame:
    """Literals with all columns of a graph's, whichever of them a frame has; without a frame none."""
    if frame is None:
        return pl.DataFrame(schema=LITERAL_SCHEMA)
    columns = [name if name in frame.columns else pl.lit(None, pl.String).alias(name) for name in LITERAL_SCHEMA]
    return frame.select(columns)


@dataclass(frozen=True)
class KnowledgeGraph:
    """Distinct relational triples over a vocabulary of entities and relations, and literals of the entities.

    An entity may have literals alone, and no triple; literals of other names than the entities' mean nothing.
    An entity's id is its place in `entities`. Ids come from a shuffle of the sorted names, never from the order of
    a file, so that nothing can leak through them. A task draws ids of its own for each of its graphs.
    """

    entities: pl.Series  # names, shuffled
    relations: pl.Series  # names, shuffled
    triples: Triples  # distinct and sorted
    # head, relation, value; datatype and language are null where the value has none: the language in lower case,
    # the datatype bare and never that of plain text
    literals: pl.DataFrame = field(default_factory=lambda: literals_table(None))
    duplicates: int = 0  # triples that the source repeated
    source: str = ""  # where the graph came from, for messages
    notes: tuple[str, ...] = ()  # what was left out when it was read, for the user

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        *,
        entities: pl.Series | None = None,
        literals: pl.DataFrame | None = None,
        source: str = "",
    ) -> KnowledgeGraph:
        """Build a graph from a frame whose first three columns are head, relation and tail names.

        `entities` may name more entities than the triples do, and so may the heads of `literals`; those have no
        triple. `literals` has the columns head, relation and value at least.
        """
        head, relation, tail = frame.get_columns()[:3]
        literals = literals_table(literals)
        parts = [head.unique(), tail.unique(), literals["head"].unique()] + ([] if entities is None else [entities])
        entity_names = shuffled_names(pl.concat([part.rename("entity") for part in parts]), seed=0)
        relation_names = shuffled_names(relation.rename("relation"), seed=0)
        columns = [lookup(entity_names, head), lookup(relation_names, relation), lookup(entity_names, tail)]
        triples = sorted_distinct(np.stack(columns, axis=1))
        return cls(
            entities=entity_names,
            relations=relation_names,
            triples=triples,
            literals=literals,
            duplicates=frame.height - len(triples),
            source=source,
        )

    def without(self, triples: NDArray[np.bool_], entities: NDArray[np.bool_]) -> KnowledgeGraph:
        """The graph without some triples, their relations if these have no others, and entities that are in none."""
        left = self.triples[~triples]
        relations = ~np.isin(np.arange(len(self.relations)), np.setdiff1d(self.triples[triples, 1], left[:, 1]))
        places = [np.cumsum(kept, dtype=np.int32) - 1 for kept in (~entities, relations)]
        less = replace(self, triples=left)
        return replace(
            less,
            entities=self.entities.filter(~entities),
            relations=self.relations.filter(relations),
            triples=less.renumbered(*places),
        )

    def noted(self, *notes: str) -> KnowledgeGraph:
        """The graph with more to tell the user of how it was read."""
        return replace(self, notes=(*self.notes, *notes))

    def shuffled(self, seed: int) -> KnowledgeGraph:
        """The same graph with ids drawn from `seed`, whatever ids it has now."""
        entities, relations = shuffled_places(self.entities, seed), shuffled_places(self.relations, seed)
        return replace(
            self,
            entities=moved(self.entities, entities),
            relations=moved(self.relations, relations),
            triples=sorted_distinct(self.renumbered(entities, relations)),
        )

    def renumbered(self, entities: Ids, relations: Ids) -> Triples:
        """The triples in their order, with new ids for entities and relations."""
        head, relation, tail = self.triples.T
        return np.stack([entities[head], relations[relation], entities[tail]], axis=1)

    def same_as(self, other: KnowledgeGraph) -> bool:
        """Whether both hold the same triples over the same names, whatever their ids, and the same literals."""
        if self.triples.shape != other.triples.shape or len(self.entities) != len(other.entities):
            return False
        entities, relations = other.ids(self.entities), lookup(other.relations, self.relations)
        if (entities < 0).any() or (relations < 0).any():
            return False
        if not np.array_equal(sorted_distinct(self.renumbered(entities, relations)), other.triples):
            return False
        return _distinct(self.literals).equals(_distinct(other.literals))

    def with_literals(self, literals: pl.DataFrame) -> KnowledgeGraph:
        """The graph with these literals beside its own."""
        return replace(self, literals=pl.concat([self.literals, literals_table(literals)]))

    def ids(self, names: pl.Series) -> Ids:
        """Entity ids of `names`; -1 for a name that the graph does not have."""
        return lookup(self.entities, names)

    @property
    def sizes(self) -> str:
        """Entities, relations and triples, counted in words."""
        entities = counted(len(self.entities), "entity", "entities")
        return f"{entities}, {counted(len(self.relations), 'relation')}, {counted(len(self.triples), 'triple')}"

    @property
    def connected(self) -> pl.Series:
        """Names of the entities that have a triple."""
        return self.entities.gather(np.unique(self.triples[:, ::2]))

    def degrees(self) -> Ids:
        """Number of triples each entity is part of (a loop counts once)."""
        head, _, tail = self.triples.T
        proper = head != tail
        counts = np.bincount(head, minlength=len(self.entities))
        return (counts + np.bincount(tail[proper], minlength=len(self.entities))).astype(np.int32)

    def __repr__(self) -> str:
        return f"KnowledgeGraph({self.sizes})"


def _distinct(literals: pl.DataFrame) -> pl.DataFrame:
    return literals.unique().sort(literals.columns)
