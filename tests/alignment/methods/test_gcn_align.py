import numpy as np
import pytest
import torch

from farlink.alignment.methods.gcn_align import LEAST, MARGIN, Convolutions, SeedObjective


@pytest.mark.slow
def test_it_aligns_the_demo_graphs(demo_hits):
    assert demo_hits("gcn-align", max_epochs=1, width=64) > 0.1  # a guess is right in one of 1,130 cases


@pytest.mark.slow
def test_neighbours_count_by_how_well_their_relation_singles_them_out(make_method):
    method = make_method("gcn-align")
    adjacency = method.model.adjacency.to_dense()
    assert (adjacency.diag() > 0).all()
    head, relation, tail = method.graphs.triples.T
    count = np.bincount(relation)
    plain = torch.zeros_like(adjacency)
    for h, r, t in zip(head.tolist(), relation.tolist(), tail.tolist(), strict=True):
        own = relation == r
        plain[h, t] += max(len(np.unique(tail[own])) / count[r], LEAST)
        plain[t, h] += max(len(np.unique(head[own])) / count[r], LEAST)
    plain += torch.eye(len(plain))
    size = plain.sum(1)
    torch.testing.assert_close(adjacency, plain / (size[:, None] * size[None, :]).sqrt(), atol=1e-5, rtol=1e-4)


def test_the_network_is_two_convolutions():
    torch.manual_seed(0)
    adjacency = torch.rand(4, 4).relu()
    model = Convolutions(adjacency.to_sparse_csr(), 3)
    torch.testing.assert_close(model(), adjacency @ (adjacency @ model.entity).relu())


def test_the_loss_is_zero_only_if_linked_entities_are_nearer_by_the_margin():
    model = Convolutions(torch.eye(4).to_sparse_csr(), 2)
    objective = SeedObjective(np.array([[0, 2]], dtype=np.int32), border=2)
    with torch.no_grad():
        model.entity.copy_(torch.tensor([[0.0, 0], [50, 50], [0, 0], [90, 90]]))
    torch.manual_seed(0)
    batch = torch.from_numpy(objective.examples).long()
    loss = float(objective.loss(model, batch).detach())
    # a wrong counterpart that happens to be the right one costs the margin; all others cost nothing
    assert 0 <= loss < MARGIN
    with torch.no_grad():
        model.entity.copy_(torch.zeros(4, 2))
    assert float(objective.loss(model, batch).detach()) == MARGIN
