"""The machine-checked proofs fail if a statement or a proof is weakened."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from littlestone.classes import Thresholds
from littlestone.learn import RadiiLearner
from littlestone.privacy import Budget

COQ = Path(__file__).parents[2] / "coq"

FAULTS = {
    "a version space withstands half as much": (
        "Lists",
        "Definition demand (e s : nat) := 2 *",
        "Definition demand (e s : nat) := 1 *",
    ),
    "the radius stays as it is": ("Lists", "built S' (b + 1) s [] T'", "built S' b s [] T'"),
    "runs move together": ("Runs", "then 2%Z else 4%Z", "then 2%Z else 3%Z"),
    "a lone candidate scores one": (
        "Runs",
        "score S' t f = 0 -> score S t f <= 2",
        "score S' t f = 0 -> score S t f <= 1",
    ),
    "bottom hides less": ("Runs", "d) * r ^ 2 <= delta *", "d) * r ^ 1 <= delta *"),
    "lists may be shorter": (
        "Accuracy",
        ":= (K - 1) * (e + 1 + demand",
        ":= (K - 1) * (e + demand",
    ),
    "fewer radii are enough": (
        "Accuracy",
        "needed t - 1) (seq 0 d)) <= M.",
        "needed t - 2) (seq 0 d)) <= M.",
    ),
    "one radius less": ("Numbers", "radii := 257", "radii := 256"),
    "the exponential mechanism pays for one move": (
        "Mechanisms",
        "Y <= r ^ (2 * m) * exponential",
        "Y <= r ^ m * exponential",
    ),
    "one list in sparse sampling moves one way": (
        "Mechanisms",
        "Y <= r ^ 2 * sparse_sampling",
        "Y <= r ^ 1 * sparse_sampling",
    ),
    "the choosing mechanism takes long lists": (
        "Mechanisms",
        "NoDup l /\\ (length l <= g)%nat",
        "NoDup l",
    ),
    "the histogram releases a key of one record too often": (
        "Histogram",
        "Hypothesis t_2 : (2 <= t)%Z.",
        "Hypothesis t_2 : (1 <= t)%Z.",
    ),
    "a record that enters costs nothing": (
        "Confirmation",
        "last' n <= r1 * epoch steps last (S n).",
        "last' n <= 1 * epoch steps last (S n).",
    ),
    "the constant of single keys is smaller": (
        "SingleKey",
        "E * (E - 1) / (g * g)",
        "E * (E - 1) / (E * g * g)",
    ),
    "single keys are drawn uniformly": (
        "SingleKeyLaw",
        "then / q k / sum (fun k => / q k) T",
        "then 1 / sum (fun _ => 1) T",
    ),
    "the last step of single keys is longer": (
        "SingleKeyLaw",
        ":= 1 - q <= c /",
        ":= 1 - q <= 2 * c /",
    ),
    "a certificate refers to a claim with the same number": (
        "Certificates",
        "if Nat.leb (bound c) k' then",
        "if Nat.leb (bound c) (S k') then",
    ),
    "columns that split in two halves need no step": (
        "Certificates",
        "(columns (chosen counts n (pred k)))",
        "(columns (chosen counts n k))",
    ),
    "the last rows of a side are not counted": (
        "Spaces",
        "match V ++ [z; z; z; z; z; z; z] with",
        "match [] ++ [z; z; z; z; z; z; z] with",
    ),
    "a carry is lost": (
        "Spaces",
        ":= N.lor (N.land a b) (N.land (N.lxor a b) c).",
        ":= N.land a b.",
    ),
    "rows lie beside another word": (
        "Certificates",
        "let t := if i' =? i then t else tag_all",
        "let t := if i <=? i' then t else tag_all",
    ),
    "a note is used for other rows": (
        "Certificates",
        "subpath (a :: about n) (l :: all)",
        "subpath (about n) all",
    ),
    "a note is used for a larger dimension": (
        "Certificates",
        "Nat.leb (under n) k && subpath",
        "Nat.leb (under n) (S k) && subpath",
    ),
    "a note names the other side": (
        "Certificates",
        "let f := if keep then if s then",
        "let f := if keep then if negb s then",
    ),
    "half of a table is at the other numbers": (
        "Declarations",
        "if N.odd x then around t None nothing else around nothing None t",
        "if N.odd x then around nothing None t else around t None nothing",
    ),
    "a shape of other rows": ("Spaces", "(size W =? fst s) && all_in", "all_in"),
    "a generator is not compared with the table": (
        "Declarations",
        "forallb (fun r => has t (image_row tss r base)) H",
        "forallb (fun r => true) H",
    ),
    "a group may move the last literal of a path": (
        "Certificates",
        "if forallb (keeps (l :: p)) (members g') then",
        "if forallb (keeps p) (members g') then",
    ),
    "two columns are joined without a symmetry": (
        "Declarations",
        "let b := root M up (N.div2 (goes m x)) in",
        "let b := root M up (goes m x) in",
    ),
    "equal rows count twice": (
        "Spaces",
        "match row_compare r r' with Lt => increasing V'",
        "match row_compare r r' with Lt | Eq => increasing V'",
    ),
    "a symmetry forgets which columns it complements": (
        "Symmetries",
        "bit r' (to g x) = xorb (flip g x) (bit r x).",
        "bit r' (to g x) = bit r x.",
    ),
    "columns may go to one column": (
        "Symmetries",
        "NoDup H -> told_apart H -> onto g ->",
        "NoDup H -> told_apart H ->",
    ),
    "symmetries of a claim may move its path": (
        "Symmetries",
        "symmetric H g /\\ fixes g p) -> space H V p -> orbit G x y ->\n  splits",
        "symmetric H g /\\ True) -> space H V p -> orbit G x y ->\n  splits",
    ),
    "a level is located too early": (
        "Samplers",
        "let stop := ((u + 1) * (",
        "let stop := (u * (",
    ),
    "halving ends one too early": ("Samplers", "if (1 <? above - low)", "if (2 <? above - low)"),
    "composition forgets a delta": ("Composition", "(delta1 + delta2)).", "delta1)."),
    "a lemma is admitted": (
        "SingleKey",
        "Proof. nra. Qed.",
        "Proof. Admitted.",
    ),
}


def make(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "-C", folder], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the proofs, all of which pass."""
    copy = tmp_path_factory.mktemp("coq")
    shutil.copytree(COQ, copy, dirs_exist_ok=True)
    found = make(copy)
    assert found.returncode == 0, found.stderr
    return copy


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("coqc") is None, reason="takes Coq")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_weaker_proof_fails(fault: str, compiled: Path, tmp_path: Path) -> None:
    name, right, wrong = FAULTS[fault]
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    source = tmp_path / f"{name}.v"
    text = source.read_text(encoding="utf-8")
    assert text.count(right) == 1
    source.write_text(text.replace(right, wrong), encoding="utf-8")
    assert make(tmp_path).returncode != 0


@pytest.mark.parametrize("d", range(1, 6))
def test_the_numbers_are_those_of_the_code(d: int) -> None:
    text = (COQ / "Numbers.v").read_text(encoding="utf-8")
    (record,) = re.findall(rf"Definition radii_{d} := {{\|(.*?)\|}}", text, re.DOTALL)
    fields = (field.split(" := ") for field in re.split(r";\s*(?=\w+ :=)", record.strip()))
    stated = {name: re.findall(r"\d+", value) for name, value in fields}
    learner = RadiiLearner.with_proved_bound(
        Thresholds.on(0, 2**d - 2), Budget(1, "1e-6"), alpha=0.1, beta=0.05
    )
    wanted = {
        "dimension": [d],
        "radii": [learner.radii - 1],
        "bottom": [learner.mechanism.bottom],
        "score": [learner.score],
        "long": [*learner.lists, 0],
        "handicap": [*learner.handicaps, 0],
    }
    for name, numbers in wanted.items():
        assert [int(n) for n in stated[name]] == numbers, name
