"""Rows of `littlestone verify` with a fault planted in the code that they speak of: they turn red.

Rows that are in no pair are not known to fail under any fault.
"""

from __future__ import annotations

import pytest

from littlestone.discovery import modules
from littlestone.verify.statement import Statement
from planting import Fault, forget, plant

pytestmark = pytest.mark.slow

ROWS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": member
    for module in modules("littlestone.verify")
    for name, member in vars(module).items()
    if isinstance(member, Statement)
}

STEEP = Fault(
    "littlestone.privacy.rational:exp_below",
    "x = min(x,",
    "x = min(x * (8 if bits == 32 else 1),",
    "draws have e^(8 x) where e^x is paid for",
)
UPDATE = "littlestone.online.extended_soa:ExtendedSOA.update"
FORGETS = Fault(
    UPDATE, "others if right else others | {(x, y)}", "others", "an impossible example is forgotten"
)
IGNORES = Fault(UPDATE, "return ExtendedSOA(V)", "return self", "the SOA learns nothing")
FEW = Fault(
    "littlestone.decomposition.irreducibility:reducing_path",
    "H.reducing_points(k)",
    "H.reducing_points(k - 1)",
    "k - 1 points are tried",
)
WINNER = "littlestone.learners.stable.tournament:_winner"
TOURNAMENTS = [
    Fault(WINNER, "f(x) != y else", "f(x) == y else", "the right rule wins"),
    Fault(WINNER, ".update(x, y)", "", "the sample lacks the tournament's example"),
    Fault(WINNER, "rng.randrange(start.version_space.labels)", "1", "y is 1"),
]
RED = 64
PAIRS: list[tuple[str, Fault]] = [
    *(
        (f"mechanisms.{row}", STEEP)
        for row in [
            "sparse_sampling",
            "above_threshold",
            "stable_histogram",
            "choosing",
            "choosing_costs",
            "exponential_costs",
            "sparse_vector",
            "composed",
            "one_sided_threshold",
            "continual_keys",
            "continual_own",
            "continual_shared",
            "confirmations",
            "online_confirmed",
            "tallies",
            "online_tallied",
            "the_rest",
            "single_key_labels",
            "counted_lines",
            "cover",
            "online_keys",
            "online_rules",
            "online_teachers",
        ]
    ),
    *(
        (f"mixed_tables.{row}", STEEP)
        for row in [
            "conditions",
            "open_conditions",
            "trees",
            "rounds",
            "regrown",
            "vocabulary",
            "units",
            "estimates",
        ]
    ),
    *(
        (f"tournaments.{row}", fault)
        for row in ("tournaments", "globally_stable_code")
        for fault in TOURNAMENTS
    ),
    (
        "tournaments.batches_in_turn",
        Fault(
            "littlestone.learners.globally_stable:GloballyStableLearner.rule",
            "i % len(sizes.caps)",
            "0",
            "k is always 0",
        ),
    ),
    (
        "lecture5.forced_mistakes",
        Fault(
            "littlestone.dimension.version_spaces:VersionSpaces.dimension",
            "return low",
            "return min(low, 2)",
            "LDim is capped at 2",
        ),
    ),
    ("lecture5.exponential_privacy", STEEP),
    ("bgs21_learning.parts_are_private", STEEP),
    ("planning.one_point", STEEP),
    ("blm20.tournament_examples_are_mistakes", FORGETS),
    ("blm20.frequent_rules_generalize", FORGETS),
    ("blm20.frequent_rules", FORGETS),
    ("blm20.stability_generalizes", IGNORES),
    ("blm20.expected_draws", IGNORES),
    ("lyu25.valid_trees_exist", FEW),
    ("lyu25.greedy_nested_trees", FEW),
    ("several_labels.leaves", FEW),
    (
        "lecture5.soa_mistakes",
        Fault(
            "littlestone.online.soa:StandardOptimalAlgorithm.predict",
            "soa_label(x)",
            "soa_label(x) ^ 1",
            "the SOA predicts the other label",
        ),
    ),
    (
        "lecture5.halving_mistakes",
        Fault(
            "littlestone.online.halving:Halving.predict",
            "return plurality_label(self.version_space, x)",
            "return 1 - plurality_label(self.version_space, x)",
            "halving follows the minority",
        ),
    ),
    (
        "blm20.learner",
        Fault(
            "littlestone.learners.stable.tournament:_contender",
            "state.after(block)",
            "state",
            "a rule has not seen its own block",
        ),
    ),
    (
        "blm20.frequent_rules_repaired",
        Fault(
            "littlestone.learners.stable.sizes:stability",
            "labels * (1 - eta * rho)",
            "(1 - eta * rho)",
            "a tournament's label is always right",
        ),
    ),
    (
        "blm20.frequent_rules_of_the_papers_soa",
        Fault(
            "littlestone.verify.definitions:Game.update",
            "self.soa(left, self.points)",
            "state.rule",
            "the SOA learns nothing",
        ),
    ),
    (
        "lyu25.a_new_hypothesis",
        Fault(
            "littlestone.decomposition.exact:Decompositions.dimension",
            "space.deepest(t) >= 0",
            "True",
            "DDim is always 0",
        ),
    ),
    (
        "lyu25_online.exposed_and_essential",
        Fault(
            "littlestone.decomposition.exact:Decompositions.dimension",
            "space.deepest(t) >= 0",
            "True",
            "DDim is always 0",
        ),
    ),
    (
        "lyu25_online.the_potential_falls",
        Fault(
            "littlestone.learners.online.stage_trees:stage_leaves",
            "next((chunk for chunk in chunks",
            "next((chunk for chunk in chunks[:1]",
            "only the first chunk counts",
        ),
    ),
    (
        "lyu25_online.few_calls",
        Fault(
            "littlestone.learners.online.stage_trees:stage_leaves",
            "next((chunk for chunk in chunks",
            "next((chunk for chunk in chunks[:1]",
            "only the first chunk counts",
        ),
    ),
    (
        "lyu25_online.levels_of_chunks",
        Fault(
            "littlestone.learners.online.stage_sizes:divergence",
            "return zero +",
            "return 2 * zero + 2 *",
            "the divergence is twice too large",
        ),
    ),
    (
        "bgs21.multiclass_is_psi_n",
        Fault(
            "littlestone.dimension.multiclass:psi_littlestone_dimension",
            "return SplitSolver(splits).dimension(H.alive)",
            "return min(1, SplitSolver(splits).dimension(H.alive))",
            "Psi dimensions are capped at 1",
        ),
    ),
    (
        "bgs21.order_of_the_families",
        Fault(
            "littlestone.dimension.multiclass:psi_littlestone_dimension",
            "return SplitSolver(splits).dimension(H.alive)",
            "return min(1, SplitSolver(splits).dimension(H.alive))",
            "Psi dimensions are capped at 1",
        ),
    ),
    (
        "bgs21.rotations",
        Fault(
            "littlestone.dimension.multiclass:psi_littlestone_dimension",
            "return SplitSolver(splits).dimension(H.alive)",
            "return min(1, SplitSolver(splits).dimension(H.alive))",
            "Psi dimensions are capped at 1",
        ),
    ),
    (
        "bgs21.some_bit_class_is_large",
        Fault(
            "littlestone.dimension.multiclass:psi_littlestone_dimension",
            "return SplitSolver(splits).dimension(H.alive)",
            "return min(1, SplitSolver(splits).dimension(H.alive))",
            "Psi dimensions are capped at 1",
        ),
    ),
    (
        "bgs21.sauer_for_covers",
        Fault(
            "littlestone.dimension.multiclass:psi_littlestone_dimension",
            "return SplitSolver(splits).dimension(H.alive)",
            "return min(1, SplitSolver(splits).dimension(H.alive))",
            "Psi dimensions are capped at 1",
        ),
    ),
    (
        "lecture5.forced_mistakes",
        Fault(
            "littlestone.online.adversaries:TreeAdversary.label",
            "if y != prediction",
            "if y == prediction",
            "the adversary tells the truth",
        ),
    ),
    (
        "lecture5.infinite_dimension",
        Fault(
            "littlestone.online.adversaries:TreeAdversary.label",
            "if y != prediction",
            "if y == prediction",
            "the adversary tells the truth",
        ),
    ),
    (
        "boosting.identity",
        Fault(
            "littlestone.learners.walk:Walk.weights",
            "self.rounds // 2 - r for",
            "self.rounds // 2 - r + 1 for",
            "weights of one vote more",
        ),
    ),
    (
        "radii.one_record_moves_a_run_by_one",
        Fault(
            "littlestone.learners.radii_lists:lists",
            "waiting[0][0] <= radius",
            "waiting[0][0] <= 2 * radius",
            "balls of twice the radius",
        ),
    ),
]


@pytest.mark.parametrize(("row", "fault"), PAIRS, ids=lambda x: getattr(x, "mistake", x))
def test_the_row_turns_red(row: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(fault, monkeypatch)
    try:
        assert not ROWS[row]().holds
    finally:
        monkeypatch.undo()
        forget()


def test_how_many_rows_are_known_to_turn_red() -> None:
    red = {row for row, _ in PAIRS}
    assert red <= set(ROWS)
    assert len(red) == RED
