"""A shell spends on one ledger, wherever its program goes, and makes none unless it is told to."""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone

from littlestone.base.errors import BudgetExceededError, LedgerError
from littlestone.interop.river import LittlestoneOnlineClassifier
from littlestone.interop.scikit_learn import LittlestoneClassifier
from littlestone.privacy.cost import PrivacyCost
from littlestone.privacy.ledger import Ledger

ONE = PrivacyCost(Fraction(1), Fraction(1, 1000))


class Place(os.PathLike[str]):
    """A path that prints as something else."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


class Batch:
    """Shells of scikit-learn, and one spend of each."""

    @staticmethod
    def make(ledger: object, **options: Any) -> Any:
        declared: dict[str, Any] = {"hypotheses": "thresholds(x, 0..100)", "classes": (0, 1)}
        rest = {"epsilon": 1, "ledger": ledger, "dataset": "d"}
        return LittlestoneClassifier(**{**declared, **rest, **options})

    copies = (clone, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)))

    @staticmethod
    def spend(model: Any) -> None:
        model.fit([10, 90], [0, 1])


class Stream:
    """Shells of river, and one spend of each."""

    @staticmethod
    def make(ledger: object, **options: Any) -> Any:
        declared: dict[str, Any] = {"hypotheses": "subsets(x; at most 1)", "delta": "1e-6"}
        rest = {"epsilon": 1, "horizon": 100, "ledger": ledger, "dataset": "d"}
        return LittlestoneOnlineClassifier(**{**declared, **rest, **options})

    copies = (
        lambda model: model.clone(),
        copy.deepcopy,
        lambda model: pickle.loads(pickle.dumps(model)),
    )

    @staticmethod
    def spend(model: Any) -> None:
        model.learn_one({"x": "a"}, True)


SHELLS = pytest.mark.parametrize("shell", [Batch, Stream])


def folders(parent: Path) -> list[Path]:
    made = [parent / str(i) for i in range(5)]
    for folder in made:
        folder.mkdir()
    return made


@SHELLS
@pytest.mark.parametrize("kind", [str, Path, Place])
def test_a_change_of_directory_changes_no_ledger(
    shell: Any, kind: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Ledger("budget.ledger") as ledger:
        ledger.set_limit("d", ONE)
    model = shell.make(kind("budget.ledger"))
    spent = 0
    others = [make(model) for make in shell.copies]
    for folder, other in zip(
        folders(tmp_path), [model, *others, shell.copies[0](model)], strict=True
    ):
        monkeypatch.chdir(folder)
        try:
            shell.spend(other)
            spent += 1
        except BudgetExceededError:
            pass
        assert os.listdir(folder) == []
    assert spent == 1
    with Ledger(tmp_path / "budget.ledger") as ledger:
        assert ledger.total("d").epsilon == 1


def _spends_in(folder: Path, shell: Any, model: Any) -> bool:
    """In a process that is used again: whether a spend passes there."""
    os.chdir(folder)
    try:
        shell.spend(clone(model))
    except BudgetExceededError:
        return False
    return True


def test_workers_in_other_directories_share_the_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Ledger("budget.ledger") as ledger:
        ledger.set_limit("d", ONE)
    model = Batch.make("budget.ledger")
    with parallel_config("loky", n_jobs=2):
        passed = Parallel()(delayed(_spends_in)(f, Batch, model) for f in folders(tmp_path))
    assert sum(passed) == 1


def test_a_parameter_that_is_set_later_is_resolved_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model = Batch.make("one.ledger").set_params(ledger="two.ledger")
    assert model.get_params()["ledger"] == str(tmp_path / "two.ledger")
    kept = (
        Ledger(),
        str(tmp_path / "three.ledger"),
        tmp_path / "four",
        "postgresql://a@b/c",
        5,
        None,
    )
    for ledger in kept:
        assert model.set_params(ledger=ledger).ledger is ledger
        assert Batch.make(ledger).ledger is ledger


@SHELLS
def test_a_ledger_is_made_when_one_says_so(
    shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LedgerError, match="create_ledger=True"):
        shell.spend(shell.make("budget.ledger"))
    assert os.listdir(tmp_path) == []
    shell.spend(shell.make("budget.ledger", create_ledger=True))
    shell.spend(shell.make("budget.ledger"))
    with Ledger("budget.ledger", create=False) as ledger:
        assert ledger.total("d").epsilon == 2


def test_a_ledger_on_a_server_is_made_when_one_says_so(running_server: Any) -> None:
    address = running_server.database()
    with pytest.raises(LedgerError, match="create_ledger=True"):
        Batch.spend(Batch.make(address))
    Batch.spend(Batch.make(address, create_ledger=True))
    Batch.spend(Batch.make(address))


@SHELLS
@pytest.mark.parametrize(
    "ledger",
    [
        "postgresql:/ada:secret@db/ledgers",
        "postgres:ada:secret",
        " postgresql://ada:secret@db/ledgers",
        "host=db password=secret",
        "ada:secret@db/ledgers",
        "postgresql://ada:secret@db/ledgers",
        "postgresql://ada@db/ledgers?password=secret",
        "",
        "postgresql//ada:secret@db/ledgers",
        "PASSWORD=secret",
        "postgresql://ada%3Asecret@db/ledgers",
        b"postgresql://ada:secret@db/ledgers",
    ],
)
def test_what_may_be_a_misspelled_address_is_no_file_and_not_kept(
    shell: Any, ledger: str | bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LedgerError, match="postgresql://USER@HOST/DATABASE") as error:
        shell.make(ledger, create_ledger=True)
    assert "secret" not in str(error.value)
    model = shell.make("budget.ledger")
    with pytest.raises(LedgerError):
        model.ledger = ledger
    assert "secret" not in repr(model) + repr(vars(model))
    assert os.listdir(tmp_path) == []


@SHELLS
@pytest.mark.parametrize("option", ["options", "application_name"])
def test_no_shell_shows_the_options_of_an_address(shell: Any, option: str) -> None:
    address = f"postgresql://ada@db/ledgers?{option}=secret"
    model = shell.make(address)
    for one in (model, *(make(model) for make in shell.copies)):
        assert one.ledger == address
        told = [repr(one), str(one), repr(vars(one)), str(one.ledger), f"{one.ledger:>9}"]
        assert "secret" not in "".join(told)
        assert "postgresql://ada@db/ledgers" in repr(one.ledger)
