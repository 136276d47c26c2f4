"""One invented world, told twice: the generator of the pair of graphs that ships with the package.

`python -m farlink.demo.world [OUTDIR]` writes the pair and its links, the same bytes every time.

The Atlas (left, N-Triples) and the Gazette (right, TSV) know most of the same things and model them
differently: relations are turned around, merged or split, a level is skipped, some facts become events, and
each side leaves out facts, entities and whole kinds of relation that the other side tells.
"""

from __future__ import annotations

import gzip
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

SEED = 2019
DATA = Path(__file__).parent / "data"
LEFT, RIGHT = 0, 1
NOWHERE = -1
ATLAS = "https://atlas.example/"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
XSD = "http://www.w3.org/2001/XMLSchema#"

MISSING_FACTS = 0.22
MISSING_ENTITIES = 0.085
EVENT_SHARE = 0.4
SEED_SHARE, VALID_SHARE = 0.30, 0.07  # the rest of the links are for the test

SIZES = {
    "region": 40,
    "city": 220,
    "river": 36,
    "university": 45,
    "person": 960,
    "company": 160,
    "film": 220,
    "band": 70,
    "album": 200,
    "club": 60,
    "award": 36,
}
ROLES = {"scholar": 22, "athlete": 20, "performer": 24, "musician": 20, "entrepreneur": 14}  # in per cent

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


Names = tuple[str, str]  # left and right
Fact = tuple[str, int, int]  # kind, subject, object
Triple = tuple[str, str, str]  # head, relation, tail
Option = TypeVar("Option")


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


def pairs(text: str) -> list[Names]:
    """Words of the two sides, written `left:right left:right` with `_` for a space."""
    halves = [word.replace("_", " ").split(":") for word in words(text)]
    return [(left, right) for left, right in halves]


@dataclass(frozen=True)
class Language:
    """What people and places of a country sound like."""

    first_names: list[str]
    surname_stems: list[str]
    surname_endings: list[str]
    place_stems: list[str]
    town_endings: list[str]
    river_endings: list[str]


NORTHERN = Language(
    first_names=words(
        """
        Mara Sten Ylva Torvald Ingrith Halvor Sunniva Eskil Ragna Joren Signe Birk Alva Njal Tyra Orvar Hedda
        Gisle Runa Leif Astrid Vidar Solveig Einar Dagny Ulf Liv Sigurd Maren Arvid Freja Kjell Tove Ivar Siv
        Brage
        """
    ),
    surname_stems=words("Lind Hal Sund Berg Eken Nord Vester Holm Gran Aker Ros Strand Lauv Fjell"),
    surname_endings=words("qvist strom gaard dahl mark lund sen rud"),
    place_stems=words("Sor Kal Hver Tind Ulv Grim Ask Rav Skal Fors Hol Brei Mjol Eld Vann Stor"),
    town_endings=words("vik stad havn by nes sund torp"),
    river_endings=words("elva en ma"),
)
SOUTHERN = Language(
    first_names=words(
        """
        Livia Corso Amadea Renzo Fiora Baldo Silvana Tazio Odetta Marzio Perla Ugo Celia Dario Ilaria Nevio
        Rosalba Sandro Tullia Vasco Zita Elio Bruna Fausto Ginevra Ivo Lucilla Orso Pia Quirino Delfina Remo
        Serena Tito Alma Giano
        """
    ),
    surname_stems=words("Mar Castel Vent Bar Corv Font Oliv Rov Sart Tram Bell Gall Lor Pes"),
    surname_endings=words("etti ano ella oni ucci ato ini esco"),
    place_stems=words("Mont Alb Ser Var Cast Lum Tor Fior Bas Cal Per Gal Ross Ven Ard Sil"),
    town_endings=words("ella ovano eggia ara icosa enza ugo"),
    river_endings=words("ero ina audo"),
)
EASTERN = Language(
    first_names=words(
        """
        Danica Bogdan Zora Miroslav Jelka Radim Vesna Stanko Ludmila Goran Ivka Tomash Neda Vlado Senka Boris
        Katya Drago Milena Zdenko Olena Pavel Rada Luka Yana Kazimir Tamara Igor Bronya Marek Slava Anton
        Halina Yurko Desa Filip
        """
    ),
    surname_stems=words("Nov Petr Zel Kral Bor Horv Mal Drob Vol Sok Jar Lesk Tich Brz"),
    surname_endings=words("ak enko ovic ansky ich ov ura ek"),
    place_stems=words("Brod Zel Kras Tarn Vysh Lip Dub Grod Ost Stav Mir Prel Rad Sven Yar Bel"),
    town_endings=words("ograd ovo insk ice any ava omir"),
    river_endings=words("na itsa uga"),
)
WESTERN = Language(
    first_names=words(
        """
        Maeve Corin Elowen Tegan Bran Isolde Merrick Nesta Piran Rhona Struan Tamsin Una Wyn Aidan Brenna
        Cormac Deirdre Ewan Fenella Gwen Hamish Iona Jory Keira Lorcan Morwen Niall Orla Perran Rowan Senara
        Talan Ula Vaughan Zennor
        """
    ),
    surname_stems=words("Pen Tre Mac Carn Dun Bal Kin Loch Ros Glen Har Win Ash Thorn"),
    surname_endings=words("rose dale lan garvie more wick derry holt"),
    place_stems=words("Aber Car Dun Gar Inver Kil Lan Mor Pol Strath Tor Bal Wen Hart Ells Bram"),
    town_endings=words("combe mouth ford wick leigh rannoch bury"),
    river_endings=words("low ey ach"),
)
LANGUAGES = [NORTHERN, SOUTHERN, EASTERN, WESTERN]

COUNTRIES = pairs(
    """
    Velmark:Velmark Tarsenia:Tarsenien Brodavia:Brodawien Carrowmoor:Karrau Hjelland:Helland
    Lucerra:Luzerra Zelenia:Selenien Dunmarch:Dünmark
    """
)
REGION_ENDINGS = pairs("eria:erien ania:anien ora:oren")
FIELDS = {
    "Natural_science:Naturwissenschaft": """
        Astronomy:Astronomie Botany:Botanik Chemistry:Chemie Geology:Geologie Physics:Physik Zoology:Zoologie
        Optics:Optik
    """,
    "Medicine:Medizin": "Anatomy:Anatomie Surgery:Chirurgie Pharmacy:Pharmazie Nursing:Pflege",
    "Engineering:Ingenieurwesen": """
        Hydraulics:Wasserbau Metallurgy:Hüttenkunde Robotics:Robotik Shipbuilding:Schiffbau
        Surveying:Vermessung
    """,
    "Humanities:Geisteswissenschaft": """
        History:Geschichte Linguistics:Sprachwissenschaft Philosophy:Philosophie Archaeology:Archäologie
        Musicology:Musikwissenschaft
    """,
    "Social_science:Sozialwissenschaft": """
        Economics:Volkswirtschaft Law:Rechtswissenschaft Sociology:Soziologie Education:Pädagogik
        Geography:Erdkunde
    """,
    "Mathematics:Mathematik": "Algebra:Algebra Geometry:Geometrie Logic:Logik Statistics:Statistik",
}
INDUSTRIES = pairs(
    """
    Films:Filmkunst Records:Tonträger Shipping:Schifffahrt Steel:Stahl Foods:Lebensmittel Timber:Holz
    Banking:Bank Insurance:Versicherung Railways:Eisenbahn Textiles:Textil Brewing:Brauerei Energy:Energie
    Printing:Druck Ceramics:Keramik Mining:Bergbau
    """
)
FILM_GENRES = pairs(
    """
    Comedy:Komödie Drama:Schauspiel Thriller:Krimi Western:Wildwestfilm Animation:Zeichentrick
    Romance:Liebesfilm Documentary:Dokumentarfilm Horror:Gruselfilm War_film:Kriegsfilm Fantasy:Märchen
    """
)
MUSIC_GENRES = pairs(
    """
    Folk:Volksmusik Jazz:Jazz Choral_music:Chormusik Dance_music:Tanzmusik Rock:Rockmusik
    Electronic_music:Elektronik Blues:Blues Brass_music:Blasmusik Punk:Punk Ballad:Ballade
    Chamber_pop:Kammerpop Ambient:Klangteppich
    """
)
NOUNS = pairs(
    """
    Salt:Salz Thunder:Donner Ash:Asche Amber:Bernstein Snow:Schnee Iron:Eisen Moonlight:Mondlicht
    Rain:Regen Silence:Stille Velvet:Samt Smoke:Rauch Honey:Honig Glass:Glas Dust:Staub Fire:Feuer Ice:Eis
    Gold:Gold Wind:Wind Fog:Nebel Copper:Kupfer Laughter:Gelächter Winter:Winter Autumn:Herbst
    Midnight:Mitternacht Hunger:Hunger Hope:Hoffnung Paper:Papier Coal:Kohle Silk:Seide Water:Wasser
    Thirst:Durst Courage:Mut Music:Musik Twilight:Zwielicht
    """
)
FILM_TITLES = [
    ("{0} and {1}", "{0} und {1}"),
    ("{0} over {2}", "{0} über {2}"),
    ("{0} without {1}", "{0} ohne {1}"),
    ("{0} after {1}", "{0} nach {1}"),
    ("Nothing but {0}", "Nichts als {0}"),
    ("{0} from {2}", "{0} aus {2}"),
]
ALBUM_TITLES = [
    ("Live in {2}", "Live in {2}"),
    ("Songs of {0}", "Lieder aus {0}"),
    ("More {0}", "Mehr {0}"),
    ("{0} for {2}", "{0} für {2}"),
    ("{0}, {1}", "{0}, {1}"),
    ("{0} or {1}", "{0} oder {1}"),
]
UNIVERSITY_NAMES = [
    ("University of {0}", "Universität {0}"),
    ("{0} Institute of Technology", "TH {0}"),
    ("{0} Academy of Arts", "Kunstakademie {0}"),
]
CLUB_NAMES = [
    ("{0} United", "FC {0}"),
    ("{0} Rovers", "SV {0}"),
    ("{0} Athletic", "Turnverein {0}"),
]
AWARD_NAMES = [
    ("{0} Prize", "{0}-Preis"),
    ("{0} Medal", "{0}-Medaille"),
    ("{0} Fellowship", "{0}-Stipendium"),
]
BAND_ADJECTIVES = words(
    """
    Paper Velvet Hollow Crimson Borrowed Electric Silent Wandering Tin Midnight Lonely Salted Plastic
    Northern Broken Gentle
    """
)
BAND_NOUNS = words(
    """
    Foxes Lanterns Sailors Orchards Kites Parrots Machines Widows Rivers Cousins Tigers Umbrellas Prophets
    Anchors Beetles Trams
    """
)


@dataclass(frozen=True)
class Entity:
    """A thing of the world, with the name each side gives it."""

    kind: str
    left: str
    right: str
    home: int  # its country, or NOWHERE

    @property
    def surname(self) -> str:
        """The surname of a person."""
        return self.right.split(",")[0]


class World:
    """Entities and the facts about them, before anyone has told them."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.entities: list[Entity] = []
        self.groups: dict[str, list[int]] = defaultdict(list)
        self.facts: list[Fact] = []
        self._taken: set[str] = set()

    def add(self, kind: str, names: Names, home: int = NOWHERE, group: str = "") -> int:
        """A new entity, a member of the group of its kind and perhaps of another."""
        entity = len(self.entities)
        self.entities.append(Entity(kind, *names, home))
        self._taken.update(names)
        for name in [kind, group] if group else [kind]:
            self.groups[name].append(entity)
        return entity

    def unused(self, make_names: Callable[[], Names]) -> Names:
        """The first pair of names that no entity has on either side."""
        names = make_names()
        while not self._taken.isdisjoint(names):
            names = make_names()
        return names

    def state(self, kind: str, subject: int, *objects: int) -> None:
        """Add one fact for each object; nothing relates to itself."""
        self.facts += [(kind, subject, entity) for entity in objects if entity != subject]

    def home(self, entity: int) -> int:
        """The country of an entity."""
        return self.entities[entity].home

    def chance(self, probability: float) -> bool:
        """Whether something with this probability happens."""
        return bool(self.rng.random() < probability)

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def any_of(self, options: Sequence[Option]) -> Option:
        """One of the options, each as likely as the others."""
        return options[self.number(0, len(options) - 1)]

    def choose(self, group: str, count: int, near: int = NOWHERE) -> list[int]:
        """Distinct members of a group; the older ones and those of the country `near` are chosen more often.

        The weights are integers, so that the choice cannot depend on how a machine rounds.
        """
        members = self.groups[group]
        weights = 10_000 // (np.arange(len(members)) + 4)
        weights *= np.array([15 if self.home(member) == near else 1 for member in members])
        ends = np.cumsum(weights)
        chosen: list[int] = []
        while len(chosen) < count:
            member = members[int(np.searchsorted(ends, self.rng.integers(ends[-1]), side="right"))]
            if member not in chosen:
                chosen.append(member)
        return chosen

    def pick(self, group: str, near: int = NOWHERE) -> int:
        """One member of a group, chosen as `choose` does."""
        return self.choose(group, 1, near)[0]

    def add_after_cities(self, group: str, patterns: Sequence[Names]) -> Iterator[tuple[int, int]]:
        """New entities named after cities, each with its city: one per city and pattern."""
        for left, right in patterns:
            for city in self.choose("city", SIZES[group] // len(patterns)):
                name = self.entities[city].left
                yield self.add(group, (left.format(name), right.format(name)), self.home(city)), city


def build_world(rng: np.random.Generator) -> World:
    """The whole world; what is built first is there for the rest to refer to."""
    world = World(rng)
    for build in (
        add_countries,
        add_cities,
        add_rivers,
        add_fields,
        add_universities,
        add_people,
        add_families,
        add_companies,
        add_careers,
        add_films,
        add_bands,
        add_albums,
        add_clubs,
        add_awards,
    ):
        build(world)
    return world


def language(country: int) -> Language:
    """The language of a country; the countries are the first entities of all."""
    return LANGUAGES[country % len(LANGUAGES)]


def add_countries(world: World) -> None:
    """Countries, and regions that lie in them."""
    countries = [world.add("country", names) for names in COUNTRIES]
    for number in range(SIZES["region"]):
        country = countries[number] if number < len(countries) else world.pick("country")
        region = world.add("region", world.unused(partial(region_names, world, country)), country)
        world.state("region in country", region, country)
    for region in world.groups["region"]:
        world.state("neighbour", region, *world.choose("region", 2, world.home(region)))


def region_names(world: World, country: int) -> Names:
    """Names for a region."""
    stem = world.any_of(language(country).place_stems)
    left, right = world.any_of(REGION_ENDINGS)
    return stem + left, stem + right


def add_cities(world: World) -> None:
    """Cities: at least one in each region, and one capital in each country."""
    regions = world.groups["region"]
    for number in range(SIZES["city"]):
        region = regions[number] if number < len(regions) else world.pick("region")
        city = add_city(world, region)
        if number < len(regions):
            world.state("regional seat", region, city)
        if number < len(COUNTRIES):
            world.state("capital", world.home(city), city)
    for city in world.groups["city"]:
        if world.chance(0.25):
            world.state("twin town", city, world.pick("city"))


def add_city(world: World, region: int) -> int:
    """One city and its place in the geography."""
    country = world.home(region)
    city = world.add("city", world.unused(partial(city_names, world, country)), country)
    world.state("city in region", city, region)
    world.state("city in country", city, country)
    return city


def city_names(world: World, country: int) -> Names:
    """Names for a city; the Gazette gives some of them as they are."""
    name = world.any_of(language(country).place_stems) + world.any_of(language(country).town_endings)
    return name, name if world.chance(0.8) else f"{name} (Stadt)"


def add_rivers(world: World) -> None:
    """Rivers that flow through the cities of a country and into older, larger rivers."""
    for _ in range(SIZES["river"]):
        country = world.pick("country")
        river = world.add("river", world.unused(partial(river_names, world, country)), country)
        world.state("flows through", river, *world.choose("city", world.number(1, 6), country))
        if world.chance(0.7):
            world.state("flows into", river, world.pick("river", country))


def river_names(world: World, country: int) -> Names:
    """Names for a river."""
    name = world.any_of(language(country).place_stems) + world.any_of(language(country).river_endings)
    return f"River {name}", f"{name} (Fluss)"


def add_fields(world: World) -> None:
    """Fields of study in two levels, and the other things that are listed by hand."""
    for broad, narrow in FIELDS.items():
        parent = world.add("field", pairs(broad)[0])
        for names in pairs(narrow):
            world.state("part of field", world.add("field", names), parent)
    for kind, listed in {
        "industry": INDUSTRIES,
        "film genre": FILM_GENRES,
        "music genre": MUSIC_GENRES,
    }.items():
        for names in listed:
            world.add(kind, names)


def add_universities(world: World) -> None:
    """Universities, their cities and the fields they teach."""
    for university, city in world.add_after_cities("university", UNIVERSITY_NAMES):
        world.state("university seat", university, city)
        world.state("teaches", university, *world.choose("field", world.number(1, 4)))


def add_people(world: World) -> None:
    """People with a place of birth and a role that decides most of their lives."""
    roles = [role for role, share in ROLES.items() for _ in range(share)]
    for _ in range(SIZES["person"]):
        city = world.pick("city")
        country = world.home(city)
        parent = pick_parent(world, country)
        surname = world.entities[parent].surname if parent is not None else new_surname(world, country)
        names = world.unused(partial(person_names, world, country, surname))
        person = world.add("person", names, country, group=world.any_of(roles))
        world.state("born", person, city)
        world.state("citizen", person, country)
        if parent is not None:
            world.state("parent", person, parent)


def pick_parent(world: World, country: int) -> int | None:
    """Sometimes, a person of the country who is there already."""
    elders = [person for person in world.groups["person"] if world.home(person) == country]
    return world.any_of(elders) if elders and world.chance(0.2) else None


def new_surname(world: World, country: int) -> str:
    """A surname that suits the country."""
    return world.any_of(language(country).surname_stems) + world.any_of(language(country).surname_endings)


def person_names(world: World, country: int, surname: str) -> Names:
    """Names for a person with this surname."""
    first = world.any_of(language(country).first_names)
    return f"{first} {surname}", f"{surname}, {first}"


def add_families(world: World) -> None:
    """Marriages within a country, and the places where people live and die."""
    for country in world.groups["country"]:
        people = [person for person in world.groups["person"] if world.home(person) == country]
        for one, other in zip(people[::2], people[1::2], strict=False):
            if world.entities[one].surname != world.entities[other].surname and world.chance(0.45):
                world.state("married", one, other)
    for person in world.groups["person"]:
        if world.chance(0.45):
            world.state("lives", person, world.pick("city", world.home(person)))
        if world.chance(0.25):
            world.state("died", person, world.pick("city", world.home(person)))


def add_companies(world: World) -> None:
    """Companies with a founder, a seat, an industry and perhaps an owner."""
    for _ in range(SIZES["company"]):
        founder, industry = world.pick("entrepreneur"), world.pick("industry")
        country = world.home(founder)
        seat = world.pick("city", country)
        names = world.unused(partial(company_names, world, founder, seat, industry))
        company = world.add("company", names, country, group=f"{world.entities[industry].left} company")
        world.state("founded", company, founder)
        world.state("company seat", company, seat)
        world.state("industry", company, industry)
        if world.chance(0.4):
            world.state("owner", company, world.pick("company"))


def company_names(world: World, founder: int, seat: int, industry: int) -> Names:
    """Names for a company: after its founder, its seat, or the founder and a partner nobody remembers."""
    surname, city = world.entities[founder].surname, world.entities[seat].left
    partner = new_surname(world, world.home(founder))
    name = world.any_of([surname, city, f"{surname} and {partner}"])
    left, right = f"{name} {world.entities[industry].left}", f"{name} {world.entities[industry].right} AG"
    return left, right.replace(" and ", " & ")


def add_careers(world: World) -> None:
    """Studies, employers and influences of people."""
    for scholar in world.groups["scholar"]:
        add_scholar_career(world, scholar)
    for person in world.groups["person"]:
        if world.chance(0.35):
            world.state("studied", person, world.pick("university", world.home(person)))
        if world.chance(0.1):
            world.state("influenced", person, world.pick("person"))
    for person in world.groups["entrepreneur"]:
        world.state("employed", person, *world.choose("company", world.number(1, 3), world.home(person)))


def add_scholar_career(world: World, scholar: int) -> None:
    """Doctorate, field and chair of a scholar."""
    home = world.home(scholar)
    world.state("expertise", scholar, *world.choose("field", world.number(1, 2)))
    world.state("lectures", scholar, world.pick("university", home))
    if world.chance(0.8):
        world.state("doctorate", scholar, world.pick("university", home))
    if world.chance(0.6):
        world.state("advisor", scholar, world.pick("scholar", home))


def add_films(world: World) -> None:
    """Films, with those who made them and where."""
    for _ in range(SIZES["film"]):
        studio = world.pick("Films company")
        country = world.home(studio)
        film = world.add("film", world.unused(partial(title, world, FILM_TITLES)), country)
        director, *cast = world.choose("performer", world.number(3, 6), country)
        world.state("directed", film, director)
        world.state("acted", film, *cast)
        world.state("studio", film, studio)
        world.state("film country", film, country)
        world.state("film genre", film, world.pick("film genre"))
        if world.chance(0.7):
            world.state("location", film, world.pick("city", country))


def title(world: World, patterns: Sequence[Names]) -> Names:
    """A title in both languages."""
    one, other = (NOUNS[place] for place in world.rng.permutation(len(NOUNS))[:2])
    city = world.entities[world.pick("city")].left
    left, right = world.any_of(patterns)
    return left.format(one[LEFT], other[LEFT], city), right.format(one[RIGHT], other[RIGHT], city)


def add_bands(world: World) -> None:
    """Bands and their members."""
    for _ in range(SIZES["band"]):
        city = world.pick("city")
        band = world.add("band", world.unused(partial(band_names, world)), world.home(city))
        world.state("band from", band, city)
        world.state("band member", band, *world.choose("musician", world.number(2, 6), world.home(city)))
        world.state("music genre", band, world.pick("music genre"))
        if world.chance(0.6):
            world.state("band label", band, world.pick("Records company"))


def band_names(world: World) -> Names:
    """The name of a band, which nobody translates."""
    name = f"{world.any_of(BAND_ADJECTIVES)} {world.any_of(BAND_NOUNS)}"
    return f"The {name}", f"The {name}" if world.chance(0.6) else name


def add_albums(world: World) -> None:
    """Albums, each after the last one of its band."""
    latest: dict[int, int] = {}
    for _ in range(SIZES["album"]):
        band = world.pick("band")
        album = world.add("album", world.unused(partial(title, world, ALBUM_TITLES)), world.home(band))
        world.state("released", album, band)
        world.state("music genre", album, world.pick("music genre"))
        world.state("album label", album, world.pick("Records company"))
        if world.chance(0.6):
            world.state("produced", album, world.pick("musician", world.home(band)))
        if band in latest:
            world.state("follows", album, latest[band])
        latest[band] = album


def add_clubs(world: World) -> None:
    """Sports clubs in the league of their country, and those who play for them."""
    for country, (left, right) in zip(world.groups["country"], COUNTRIES, strict=True):
        league = world.add("league", (f"{left} League", f"Liga ({right})"), country)
        world.state("league of", league, country)
    for club, city in world.add_after_cities("club", CLUB_NAMES):
        world.state("club seat", club, city)
        world.state("plays in", club, world.groups["league"][world.home(city)])
        world.state("coach", club, world.pick("athlete", world.home(city)))
    for athlete in world.groups["athlete"]:
        world.state("plays for", athlete, *world.choose("club", world.number(1, 4), world.home(athlete)))


def add_awards(world: World) -> None:
    """Awards named after people, and those who won them."""
    for patron in world.choose("person", SIZES["award"]):
        names = world.unused(partial(award_names, world, patron))
        award = world.add("award", names, world.home(patron))
        world.state("named after", award, patron)
        world.state("award for", award, world.pick("field"))
    for person in world.groups["person"]:
        if world.chance(0.2):
            world.state("won", person, world.pick("award", world.home(person)))


def award_names(world: World, patron: int) -> Names:
    """Names for an award."""
    left, right = world.any_of(AWARD_NAMES)
    surname = world.entities[patron].surname
    return left.format(surname), right.format(surname)


def told_facts(world: World, side: int) -> list[Fact]:
    """The facts that one side tells: most of those whose kind, subject and object it knows."""
    known = world.rng.random(len(world.entities)) >= MISSING_ENTITIES
    known[world.groups["country"]] = True
    told = world.rng.random(len(world.facts)) >= MISSING_FACTS
    return [
        (kind, subject, object_)
        for (kind, subject, object_), is_told in zip(world.facts, told, strict=True)
        if is_told and SCHEMA[kind][side] and known[subject] and known[object_]
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
        if kind in EVENTS and world.chance(EVENT_SHARE):
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
        value = f'"{world.number(low, high)}"^^<{XSD}{datatype}>'
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
    shuffled = [links[place] for place in world.rng.permutation(len(links))]
    ends = [round(share * len(links)) for share in (0.0, SEED_SHARE, SEED_SHARE + VALID_SHARE, 1.0)]
    names = ("seeds.tsv", "valid.tsv", "test.tsv")
    return {name: tab_separated(shuffled[a:b]) for name, a, b in zip(names, ends, ends[1:], strict=False)}


def demo_files() -> dict[str, str]:
    """The text of every file of the pair, by name; the graphs are stored compressed."""
    world = build_world(np.random.default_rng(SEED))
    atlas = atlas_triples(world, told_facts(world, LEFT))
    gazette = gazette_triples(world, told_facts(world, RIGHT))
    return {
        "atlas.nt.gz": atlas_file(world, atlas),
        "gazette.tsv.gz": tab_separated(gazette),
        **link_files(world, mentioned(atlas), mentioned(gazette)),
    }


def write_demo(folder: Path) -> None:
    """Write every file of the pair into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in demo_files().items():
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


if __name__ == "__main__":
    write_demo(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
