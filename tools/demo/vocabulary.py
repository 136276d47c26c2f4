"""What things are called on either side: the words, and how names are made of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.demo.dice import Dice

LEFT, RIGHT = 0, 1

Names = tuple[str, str]  # left and right


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


def language_of(country: int) -> Language:
    """The language of a country, by its number."""
    return LANGUAGES[country % len(LANGUAGES)]


def joined(stem: str, ending: str) -> str:
    """A compound; of three equal letters that would meet, two are left."""
    return re.sub(r"(.)\1\1", r"\1\1", stem + ending)


def region_names(dice: Dice, language: Language) -> Names:
    """Names for a region."""
    stem = dice.any_of(language.place_stems)
    left, right = dice.any_of(REGION_ENDINGS)
    return joined(stem, left), joined(stem, right)


def city_names(dice: Dice, language: Language) -> Names:
    """Names for a city; the Gazette gives most of them as they are."""
    name = joined(dice.any_of(language.place_stems), dice.any_of(language.town_endings))
    return name, name if dice.chance(0.8) else f"{name} (Stadt)"


def river_names(dice: Dice, language: Language) -> Names:
    """Names for a river."""
    name = joined(dice.any_of(language.place_stems), dice.any_of(language.river_endings))
    return f"River {name}", f"{name} (Fluss)"


def new_surname(dice: Dice, language: Language) -> str:
    """A surname that may occur already."""
    return joined(dice.any_of(language.surname_stems), dice.any_of(language.surname_endings))


def person_names(dice: Dice, language: Language, surname: str) -> Names:
    """Names for a person with this surname."""
    first = dice.any_of(language.first_names)
    return f"{first} {surname}", f"{surname}, {first}"


def surname_of(person: Names) -> str:
    """The surname in the names of a person."""
    return person[RIGHT].split(",")[0]


def company_names(dice: Dice, language: Language, founder: str, city: str, industry: Names) -> Names:
    """Names for a company: after its founder, its city, or the founder and a partner nobody remembers."""
    partner = new_surname(dice, language)
    name = dice.any_of([founder, city, f"{founder} and {partner}"])
    left, right = f"{name} {industry[LEFT]}", f"{name} {industry[RIGHT]} AG"
    return left, right.replace(" and ", " & ")


def two_nouns(dice: Dice) -> list[Names]:
    """Two different nouns."""
    return dice.shuffled(NOUNS)[:2]


def title(dice: Dice, patterns: Sequence[Names], nouns: Sequence[Names], city: str) -> Names:
    """A title of these nouns or the city, in both languages."""
    left, right = dice.any_of(patterns)
    return left.format(*(noun[LEFT] for noun in nouns), city), right.format(*(noun[RIGHT] for noun in nouns), city)


def band_names(dice: Dice) -> Names:
    """The name of a band, which nobody translates."""
    name = f"{dice.any_of(BAND_ADJECTIVES)} {dice.any_of(BAND_NOUNS)}"
    return f"The {name}", f"The {name}" if dice.chance(0.6) else name


def league_names(country: Names) -> Names:
    """Names for the league of a country."""
    left, right = country
    return f"{left} League", f"Liga ({right})"


def award_names(dice: Dice, patron: str) -> Names:
    """Names for an award in honour of someone with this surname."""
    return named_after(patron, dice.any_of(AWARD_NAMES))


def named_after(name: str, pattern: Names) -> Names:
    """Names that contain a name."""
    left, right = pattern
    return left.format(name), right.format(name)
