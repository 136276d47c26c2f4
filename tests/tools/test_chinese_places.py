import gzip

from tools.chinese_places import main

LEFT = """\
<x/place/1> <http://www.w3.org/2000/01/rdf-schema#label> "Rome" .
<x/place/1> <http://www.w3.org/2004/02/skos/core#altLabel> "罗马"@zh .
<x/place/1> <x/country> <x/country/it> .
<x/place/2> <http://www.w3.org/2000/01/rdf-schema#label> "Oslo" .
<x/place/2> <x/country> <x/country/no> .
"""
RIGHT = """\
<y/place/a> <http://www.w3.org/2000/01/rdf-schema#label> "Roma" .
<y/place/a> <y/population> "3" .
<y/place/a> <y/in> <y/country/IT> .
<y/country/IT> <http://www.w3.org/2000/01/rdf-schema#label> "Italia" .
<y/place/b> <http://www.w3.org/2000/01/rdf-schema#label> "Paris" .
"""


def test_cities_with_a_chinese_name_stand_beside_places_by_their_latin_one(tmp_path):
    for name, text in (("left", LEFT), ("right", RIGHT)):
        with gzip.open(tmp_path / f"{name}.nt.gz", "wt", encoding="utf-8") as file:
            file.write(text)
    (tmp_path / "gold.tsv").write_text("x/place/1\ty/place/a\nx/place/2\ty/place/b\n")
    main([str(tmp_path), str(tmp_path / "out")])
    written = {name: (tmp_path / "out" / name).read_text() for name in ("left.nt", "right.nt", "gold.tsv")}
    assert "罗马" in written["left.nt"]
    assert "Rome" not in written["left.nt"]
    assert "Oslo" not in written["left.nt"]
    assert "<x/country/it>" in written["left.nt"]
    assert all(word in written["right.nt"] for word in ("Roma", "Paris", "<y/country/IT>"))
    assert not any(word in written["right.nt"] for word in ("population", "Italia"))
    assert written["gold.tsv"] == "x/place/1\ty/place/a\n"
    main([str(tmp_path), str(tmp_path / "out"), "--latin", "1"])
    assert "Rome" in (tmp_path / "out" / "left.nt").read_text()
