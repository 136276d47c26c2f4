"""The benchmark data sets, and what others report on them."""

from __future__ import annotations

from dataclasses import dataclass

Figures = tuple[float, float, float]  # Hits@1, Hits@10, MRR


@dataclass(frozen=True)
class DataSet:
    """A data set and what others report on it."""

    folder: str
    name: str
    paper: Figures | None = None  # RSN as published
    others: str = ""  # the best structure-only figure known to us, Hits@1


SRPRS = (
    DataSet("srprs/en_fr_15k_v1", "EN-FR", (0.347, 0.631, 0.44), "LightEA .479"),
    DataSet("srprs/en_de_15k_v1", "EN-DE", (0.487, 0.720, 0.57), "LightEA .619"),
    DataSet("srprs/dbp_wd_15k_v1", "DBP-WD", (0.388, 0.657, 0.49), "LightEA .535"),
    DataSet("srprs/dbp_yg_15k_v1", "DBP-YG", (0.400, 0.675, 0.50), "LightEA .522"),
    DataSet("srprs/dbp_wd_15k_v2", "DBP-WD dense", (0.763, 0.924, 0.83), "LightEA .913"),
)
WIDER = (
    DataSet("dbp15k/zh_en", "DBP15K ZH-EN", others="Dual-AMN semi .81, LightEA .81"),
    DataSet("dbp15k/fr_en", "DBP15K FR-EN", others="LightEA .86"),
    DataSet("openea/d_w_15k_v1", "OpenEA D-W v1", others="BootEA .572"),
    DataSet("openea/d_w_15k_v2", "OpenEA D-W v2", others="BootEA .821"),
    DataSet("dbp_fb", "DBP-FB"),
)
