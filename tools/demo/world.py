"""One invented world, told twice: the generator of the pair of graphs that ships with the package.

Here the world is built: what there is and what is true of it. What things are called is in `vocabulary`, how
the two sides tell it in `views`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from tools.demo import vocabulary as vocab
from tools.demo.dice import Dice
from tools.demo.facts import World
from tools.demo.views import write_files
from tools.demo.vocabulary import LEFT, Names, language_of

SEED = 2019

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


def write_demo(folder: Path) -> None:
    """Build the world and write the files in which the two sides tell it."""
    write_files(build_world(Dice(SEED)), folder)


def build_world(dice: Dice) -> World:
    """The whole world; what is built first is there for the rest to refer to."""
    world = World(dice)
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


def add_countries(world: World) -> None:
    """Countries, the first entities of all, and regions that lie in them."""
    countries = [world.add("country", names) for names in vocab.COUNTRIES]
    for number in range(SIZES["region"]):
        country = countries[number] if number < len(countries) else world.pick("country")
        names = world.unused(partial(vocab.region_names, world.dice, language_of(country)))
        region = world.add("region", names, country)
        world.state("region in country", region, country)
    for region in world.groups["region"]:
        world.state("neighbour", region, *world.choose("region", 2, world.home(region)))


def add_cities(world: World) -> None:
    """Cities: at least one in each region, and one capital in each country."""
    regions, countries = world.groups["region"], world.groups["country"]
    for number in range(SIZES["city"]):
        region = regions[number] if number < len(regions) else world.pick("region")
        city = add_city(world, region)
        if number < len(regions):
            world.state("regional seat", region, city)
        if number < len(countries):
            world.state("capital", world.home(city), city)
    for city in world.groups["city"]:
        if world.dice.chance(0.25):
            world.state("twin town", city, world.pick("city"))


def add_city(world: World, region: int) -> int:
    """One city and its place in the geography."""
    country = world.home(region)
    names = world.unused(partial(vocab.city_names, world.dice, language_of(country)))
    city = world.add("city", names, country)
    world.state("city in region", city, region)
    world.state("city in country", city, country)
    return city


def add_rivers(world: World) -> None:
    """Rivers that flow through the cities of a country and into older, larger rivers."""
    for _ in range(SIZES["river"]):
        country = world.pick("country")
        names = world.unused(partial(vocab.river_names, world.dice, language_of(country)))
        river = world.add("river", names, country)
        world.state("flows through", river, *world.choose("city", world.dice.number(1, 6), country))
        if world.dice.chance(0.7):
            world.state("flows into", river, world.pick("river", country))


def add_fields(world: World) -> None:
    """Fields of study in two levels, and the other things that are listed by hand."""
    for broad, narrow in vocab.FIELDS.items():
        parent = world.add("field", vocab.pairs(broad)[0])
        for names in vocab.pairs(narrow):
            world.state("part of field", world.add("field", names), parent)
    for kind, listed in {
        "industry": vocab.INDUSTRIES,
        "film genre": vocab.FILM_GENRES,
        "music genre": vocab.MUSIC_GENRES,
    }.items():
        for names in listed:
            world.add(kind, names)


def add_after_cities(world: World, kind: str, patterns: Sequence[Names]) -> Iterator[tuple[int, int]]:
    """New entities named after cities, each with its city: one per city and pattern."""
    for pattern in patterns:
        for city in world.choose("city", SIZES[kind] // len(patterns)):
            names = vocab.named_after(world.names(city)[LEFT], pattern)
            yield world.add(kind, names, world.home(city)), city


def add_universities(world: World) -> None:
    """Universities, their cities and the fields they teach."""
    for university, city in add_after_cities(world, "university", vocab.UNIVERSITY_NAMES):
        world.state("university seat", university, city)
        world.state("teaches", university, *world.choose("field", world.dice.number(1, 4)))


def add_people(world: World) -> None:
    """People with a place of birth and a role that decides most of their lives."""
    roles = [role for role, share in ROLES.items() for _ in range(share)]
    for _ in range(SIZES["person"]):
        city = world.pick("city")
        country = world.home(city)
        language = language_of(country)
        parent = pick_parent(world, country)
        surname = vocab.new_surname(world.dice, language) if parent is None else surname_of(world, parent)
        names = world.unused(partial(vocab.person_names, world.dice, language, surname))
        person = world.add("person", names, country, group=world.dice.any_of(roles))
        world.state("born", person, city)
        world.state("citizen", person, country)
        if parent is not None:
            world.state("parent", person, parent)


def pick_parent(world: World, country: int) -> int | None:
    """Sometimes, a person of the country who is there already."""
    elders = [person for person in world.groups["person"] if world.home(person) == country]
    return world.dice.any_of(elders) if elders and world.dice.chance(0.2) else None


def surname_of(world: World, person: int) -> str:
    """The surname of a person of the world."""
    return vocab.surname_of(world.names(person))


def add_families(world: World) -> None:
    """Marriages within a country, and the places where people live and die."""
    for country in world.groups["country"]:
        people = [person for person in world.groups["person"] if world.home(person) == country]
        for one, other in zip(people[::2], people[1::2], strict=False):
            if surname_of(world, one) != surname_of(world, other) and world.dice.chance(0.45):
                world.state("married", one, other)
    for person in world.groups["person"]:
        if world.dice.chance(0.45):
            world.state("lives", person, world.pick("city", world.home(person)))
        if world.dice.chance(0.25):
            world.state("died", person, world.pick("city", world.home(person)))


def add_companies(world: World) -> None:
    """Companies with a founder, a seat, an industry and perhaps an owner."""
    for _ in range(SIZES["company"]):
        founder, industry = world.pick("entrepreneur"), world.pick("industry")
        country = world.home(founder)
        seat = world.pick("city", country)
        names = world.unused(partial(company_names, world, founder, seat, industry))
        company = world.add("company", names, country, group=f"{world.names(industry)[LEFT]} company")
        world.state("founded", company, founder)
        world.state("company seat", company, seat)
        world.state("industry", company, industry)
        if world.dice.chance(0.4):
            world.state("owner", company, world.pick("company"))


def company_names(world: World, founder: int, seat: int, industry: int) -> Names:
    """Names for a company of the world."""
    language, city = language_of(world.home(founder)), world.names(seat)[LEFT]
    return vocab.company_names(world.dice, language, surname_of(world, founder), city, world.names(industry))


def add_careers(world: World) -> None:
    """Studies, employers and influences of people."""
    for scholar in world.groups["scholar"]:
        add_scholar_career(world, scholar)
    for person in world.groups["person"]:
        if world.dice.chance(0.35):
            world.state("studied", person, world.pick("university", world.home(person)))
        if world.dice.chance(0.1):
            world.state("influenced", person, world.pick("person"))
    for person in world.groups["entrepreneur"]:
        world.state("employed", person, *world.choose("company", world.dice.number(1, 3), world.home(person)))


def add_scholar_career(world: World, scholar: int) -> None:
    """Doctorate, field and chair of a scholar."""
    home = world.home(scholar)
    world.state("expertise", scholar, *world.choose("field", world.dice.number(1, 2)))
    world.state("lectures", scholar, world.pick("university", home))
    if world.dice.chance(0.8):
        world.state("doctorate", scholar, world.pick("university", home))
    if world.dice.chance(0.6):
        world.state("advisor", scholar, world.pick("scholar", home))


def add_films(world: World) -> None:
    """Films, with those who made them and where."""
    for _ in range(SIZES["film"]):
        studio = world.pick("Films company")
        country = world.home(studio)
        film = world.add("film", world.unused(partial(title, world, vocab.FILM_TITLES)), country)
        director, *cast = world.choose("performer", world.dice.number(3, 6), country)
        world.state("directed", film, director)
        world.state("acted", film, *cast)
        world.state("studio", film, studio)
        world.state("film country", film, country)
        world.state("film genre", film, world.pick("film genre"))
        if world.dice.chance(0.7):
            world.state("location", film, world.pick("city", country))


def title(world: World, patterns: Sequence[Names]) -> Names:
    """A title that may name a city of the world."""
    nouns, city = vocab.two_nouns(world.dice), world.pick("city")
    return vocab.title(world.dice, patterns, nouns, world.names(city)[LEFT])


def add_bands(world: World) -> None:
    """Bands and their members."""
    for _ in range(SIZES["band"]):
        city = world.pick("city")
        band = world.add("band", world.unused(partial(vocab.band_names, world.dice)), world.home(city))
        world.state("band from", band, city)
        world.state("band member", band, *world.choose("musician", world.dice.number(2, 6), world.home(city)))
        world.state("music genre", band, world.pick("music genre"))
        if world.dice.chance(0.6):
            world.state("band label", band, world.pick("Records company"))


def add_albums(world: World) -> None:
    """Albums, each after the last one of its band."""
    latest: dict[int, int] = {}
    for _ in range(SIZES["album"]):
        band = world.pick("band")
        album = world.add("album", world.unused(partial(title, world, vocab.ALBUM_TITLES)), world.home(band))
        world.state("released", album, band)
        world.state("music genre", album, world.pick("music genre"))
        world.state("album label", album, world.pick("Records company"))
        if world.dice.chance(0.6):
            world.state("produced", album, world.pick("musician", world.home(band)))
        if band in latest:
            world.state("follows", album, latest[band])
        latest[band] = album


def add_clubs(world: World) -> None:
    """Sports clubs in the league of their country, and those who play for them."""
    for country in world.groups["country"]:
        league = world.add("league", vocab.league_names(world.names(country)), country)
        world.state("league of", league, country)
    for club, city in add_after_cities(world, "club", vocab.CLUB_NAMES):
        world.state("club seat", club, city)
        world.state("plays in", club, world.groups["league"][world.home(city)])
        world.state("coach", club, world.pick("athlete", world.home(city)))
    for athlete in world.groups["athlete"]:
        world.state("plays for", athlete, *world.choose("club", world.dice.number(1, 4), world.home(athlete)))


def add_awards(world: World) -> None:
    """Awards named after people, and those who won them."""
    for patron in world.choose("person", SIZES["award"]):
        names = world.unused(partial(vocab.award_names, world.dice, surname_of(world, patron)))
        award = world.add("award", names, world.home(patron))
        world.state("named after", award, patron)
        world.state("award for", award, world.pick("field"))
    for person in world.groups["person"]:
        if world.dice.chance(0.2):
            world.state("won", person, world.pick("award", world.home(person)))
