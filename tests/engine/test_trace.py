import json

from farlink.engine.trace import EpochRecord, trace_lines


def test_every_epoch_is_a_line_of_json():
    first = EpochRecord(epoch=1, examples=100, loss=2.5, validation=0.25, best=True, seconds=1.5)
    second = EpochRecord(epoch=2, examples=200, loss=2.0, validation=None, best=False, seconds=3.0)
    lines = trace_lines([first, second]).splitlines()
    assert [EpochRecord(**json.loads(line)) for line in lines] == [first, second]


def test_without_an_epoch_there_is_no_line():
    assert trace_lines([]) == ""
