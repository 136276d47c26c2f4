"""The benchmark data sets of the experiments: where each is, below the folder of all, and what pages call it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DataSet:
    """A data set."""

    folder: str
    name: str


EN_FR = DataSet("srprs/en_fr_15k_v1", "EN-FR")
EN_DE = DataSet("srprs/en_de_15k_v1", "EN-DE")
DBP_WD = DataSet("srprs/dbp_wd_15k_v1", "DBP-WD")
DBP_YG = DataSet("srprs/dbp_yg_15k_v1", "DBP-YG")
DBP_WD_DENSE = DataSet("srprs/dbp_wd_15k_v2", "DBP-WD dense")
NORMAL = (EN_FR, EN_DE, DBP_WD, DBP_YG)
SRPRS = (*NORMAL, DBP_WD_DENSE)  # those of the paper that are at hand

DBP15K_ZH = DataSet("dbp15k/zh_en", "DBP15K ZH-EN")
DBP15K_FR = DataSet("dbp15k/fr_en", "DBP15K FR-EN")
OPENEA_V1 = DataSet("openea/d_w_15k_v1", "OpenEA D-W v1")
OPENEA_V2 = DataSet("openea/d_w_15k_v2", "OpenEA D-W v2")
DBP_FB = DataSet("dbp_fb", "DBP-FB")
WIDER = (DBP15K_ZH, DBP15K_FR, OPENEA_V1, OPENEA_V2, DBP_FB)

FB15K = DataSet("kgc/fb15k", "FB15K")
WN18 = DataSet("kgc/wn18", "WN18")
FB15K_237 = DataSet("kgc/fb15k-237", "FB15K-237")
COMPLETION = (FB15K, WN18, FB15K_237)  # those of the paper
CODEX_S = DataSet("kgc/codex-s", "CoDEx-S")

MOVIES = DataSet("named/movies_tmdb_tvdb", "movies")
PERSONS = DataSet("named/persons", "persons")
RESTAURANTS = DataSet("named/restaurants", "restaurants")
PLACES = DataSet("named/places", "places")
WORDNET = DataSet("named/wordnet", "WordNet")
ANATOMY = DataSet("named/anatomy", "anatomy")
NAMED = (MOVIES, PERSONS, RESTAURANTS, PLACES, WORDNET, ANATOMY)  # raw graphs with names and values

LARGE = DataSet("contea/fr_en", "ConTEA FR-EN")

_NAMES = {data.folder: data.name for data in (*SRPRS, *WIDER, *COMPLETION, CODEX_S, *NAMED, LARGE)}


def name_of(folder: str) -> str:
    """What pages call the data set in a folder; the folder itself if it is none of these."""
    return _NAMES.get(folder, folder)
