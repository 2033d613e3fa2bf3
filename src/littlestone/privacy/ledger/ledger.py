"""A durable record of privacy costs, written before the draws that they pay for.

`Ledger.spend` returns only once its entry is on disk, and a mechanism draws only against the
`Receipt` that it returns.  So every draw that ever left the process has its entry, and a crash
between the two wastes budget but never hides a draw.

The ledger cannot see two things.  A store restored from an older copy has forgotten the spends since
then, and a network drive whose locks do not work cannot keep two machines apart.  Keep a file on a
local disk, and use a PostgreSQL server for several machines.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import NoReturn, Self

from littlestone.base.errors import BudgetExceededError, DeclarationError, LedgerError, show_value
from littlestone.points.units import Unit
from littlestone.privacy.cost import Budget, NeighboringRelation, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import rows
from littlestone.privacy.ledger.common_tables import MOST, MOST_WORDS, check_cost, check_name
from littlestone.privacy.ledger.counts import UNBOUNDED, Count, Most, Paid, Part, Spending, spending
from littlestone.privacy.ledger.receipt import SEAL, Entry, Receipt, lines
from littlestone.privacy.ledger.store import Connection, Store
from littlestone.privacy.randomness import choose_generator, is_cryptographic

_LOG = logging.getLogger(__name__)

SPEND_LESS = "spend less, or use other data; raise the limit only if those who set it agree"

SEEDED = "simulation, NOT PRIVATE: "
"""How the purpose of an entry begins whose draws come from a seeded generator."""


@dataclass(frozen=True)
class Preview:
    """The effect of a spend: its charge, the total before and after it, and the limit.

    The totals and the limit are for the neighbours of the spend, or for others if only these have a
    limit; a total is None if it has no bound.  ``counts`` are those after the spend of all neighbours
    that have a limit or spends of their own: all that must stay bounded.
    """

    cost: PrivacyCost
    before: PrivacyCost | None
    after: PrivacyCost | None
    limit: PrivacyCost | None
    counts: tuple[Count, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether the spend would pass a limit, or leave what was protected without a bound."""
        return bool(self.excess)

    @property
    def excess(self) -> list[str]:
        """What the spend would pass: epsilon or delta, of any limit; both where a bound is lost."""
        return list(dict.fromkeys(side for count in self.counts for side in count.excess))

    def refusal(self, asked: str, dataset: str, fix: str = SPEND_LESS) -> BudgetExceededError:
        """The error of a spend that `is_refused`: what it would pass, and what to do."""
        passed = next(count for count in self.counts if count.excess)
        if passed.total is None:
            return BudgetExceededError(asked, found=passed.gap, fix=passed.remedy(dataset))
        found = f"the total would be {passed.text()} and the limit is {passed.limit}"
        sides = " and ".join(passed.excess)
        return BudgetExceededError(asked, found=f"{found}; {sides} would pass it", fix=fix)


class BaseLedger:
    """The privacy budget of every data set: limits, and costs added up by basic composition.

    The tables are those of ``store``: a `LedgerFile`, or anything else that keeps the promises of
    `Store`.  `Ledger` opens one by its path or address.  Costs are exact rationals throughout.

    Any number of processes, and of threads that share one ledger, may spend at once: each spend is a
    transaction that no other can interleave with.  A spend takes one durable write, milliseconds on a
    local disk, and one pass over the data set's part of an index.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._spent = self._first = False

    @property
    def path(self) -> str | None:
        """The absolute path of the file, or the address of the server; ``None`` in memory."""
        return self._store.path

    @property
    def is_new(self) -> bool:
        """Whether this object made the ledger, or found an empty file, so nothing was known in it."""
        return self._store.made

    @property
    def has_spent(self) -> bool:
        """Whether this object has recorded a spend, or is just writing one.

        An interrupt from then on may lose what was paid for.
        """
        return self._spent

    @property
    def has_first_entry(self) -> bool:
        """Whether this object recorded the ledger's first entry, whoever made the ledger.

        An interrupted process may have made it, so `is_new` alone does not tell of a misspelled name.
        """
        return self._first

    def spend(
        self,
        event: Event,
        *,
        dataset: str,
        what: str,
        part: Part | None = None,
        rng: random.Random | None = None,
    ) -> Receipt:
        """Record the cost of ``event`` against ``dataset`` and return the receipt, durable by then.

        ``what`` says in a few public words what the draw is for.  ``part`` promises that the draw
        reads no record outside that part; parts of one partition are charged in parallel.  The receipt
        hands out ``rng`` for the draw, by default the system's cryptographic generator.  A draw from a
        seeded generator, for tests and simulations, is not private against somebody who knows the
        seed, so the entry's purpose begins with `SEEDED`.

        The entry charges the cost itself, or rounds it up to a multiple of 10^-100 if a total could
        otherwise become too long a fraction (`Spending.charge_for`).  Raises `BudgetExceededError`
        if the total would exceed a limit of the data set, or if a unit that spends or limits
        protect would have no bound: then `declare_most` gives one.  Raises `DeclarationError` for a
        negative, inexact or too long cost, an illegal name or an ``rng`` that is not a
        `random.Random`, and `LedgerError` if the ledger cannot be written.  After an error there is
        no receipt, and so no draw; unless the ledger could not be written, nothing is recorded either.
        """
        # Everything that can be refused is checked before the spend; nothing after it can fail.
        rng = choose_generator(rng)
        # The event's own code runs once, before the ledger is locked.
        cost = check_cost(event.cost())
        mechanism = check_name(str(event), "an event", most=MOST_WORDS)
        pays_for, orders = lines(event, mechanism, cost), event.orders()
        mark = "" if is_cryptographic(rng) else SEEDED
        entry, preview = self._enter(cost, mechanism, dataset, what, part, mark)
        # The order of docs/proofs/ledger.md, section 1: entry, receipt, draw. A crash wastes
        # budget, never hides a draw.
        return Receipt(event, entry, preview.after, preview.limit, rng, pays_for, orders, SEAL)

    def record(
        self, event: Event, *, dataset: str, what: str, already_spent: bool = False
    ) -> Preview:
        """Record a spend that another library makes, before it is made; nothing can be drawn for it.

        ``event`` is usually an `Elsewhere`.  It adds up with all other spends.  Like `spend`, this
        raises `BudgetExceededError` and records nothing if the total would exceed the limit: then do
        not run the other library.  If it has run, say ``already_spent=True``.  Then it is
        recorded in any case, the result's ``over`` says what it exceeds, and the next spend is refused.
        All other errors are those of `spend`.

        >>> from littlestone.privacy.accounting.elsewhere import Elsewhere
        >>> from fractions import Fraction
        >>> from littlestone.privacy.ledger import Ledger
        >>> ledger = Ledger()
        >>> ledger.set_limit("census", PrivacyCost(Fraction(1)))
        >>> mean = Elsewhere.declare("0.75", neighbours="add-remove")
        >>> done = ledger.record(mean, dataset="census", what="a mean", already_spent=True)
        >>> str(done.after), done.excess
        ('epsilon 1.5, delta 0 (replace-one)', ['epsilon'])
        """
        cost = check_cost(event.cost())
        mechanism = check_name(str(event), "an event", most=MOST_WORDS)
        _, preview = self._enter(
            cost,
            mechanism,
            dataset,
            what,
            None,
            fix="do not run it; if it has run, record it with --already-spent (already_spent=True)",
            refuse=not already_spent,
        )
        return preview

    def _enter(
        self,
        cost: PrivacyCost,
        mechanism: str,
        dataset: str,
        what: str,
        part: Part | None,
        mark: str = "",
        *,
        fix: str = SPEND_LESS,
        refuse: bool = True,
    ) -> tuple[Entry, Preview]:
        """The entry of a spend, durable by now; one beyond the limit is refused if ``refuse``."""
        dataset = check_name(dataset, "a data set", most=MOST)
        what = mark + check_name(what, "a purpose", most=MOST_WORDS - len(mark))
        if part is not None:
            check_name(part.partition, "a partition", most=MOST)
        place = f"part {part} of " if part else ""
        asked = f"spend {cost} on {place}data set {dataset!r}"
        # Before the entry, because a handler that fails must not cost what is paid for.
        _LOG.info("%s, to %s", asked, what)
        before = self._spent
        try:
            with self._store.transaction(asked) as connection:
                # Read, compare and insert in one transaction: no other spend can come between them.
                preview = _preview(connection, dataset, cost, part)
                if preview.is_refused and refuse:
                    raise preview.refusal(asked, dataset, fix)
                # Before the insertion: from here on an interrupt may come after the commit.
                self._spent = True
                entry = rows.insert(connection, dataset, what, mechanism, preview.cost, part)
        except Exception:  # an interrupt may come after the commit
            self._spent = before
            raise
        self._first = self._first or entry.number == 1
        return entry, preview

    def preview(self, event: Event, *, dataset: str, part: Part | None = None) -> Preview:
        """Preview what `spend` would do now, recording nothing; another spend may come in between.

        >>> from fractions import Fraction
        >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
        >>> from littlestone.privacy.ledger import Ledger
        >>> ledger = Ledger()
        >>> ledger.set_limit("census", PrivacyCost(Fraction(1)))
        >>> preview = ledger.preview(ExponentialMechanism(Fraction(3, 2)), dataset="census")
        >>> str(preview.after), preview.is_refused
        ('epsilon 1.5, delta 0 (replace-one)', True)
        """
        cost, dataset = check_cost(event.cost()), check_name(dataset, "a data set", most=MOST)
        with self._store.transaction("preview a spend") as connection:
            return _preview(connection, dataset, cost, part)

    def set_limit(self, dataset: str, limit: PrivacyCost | Budget) -> None:
        """Declare the most that ``dataset`` may ever cost, replacing any earlier limit.

        The limit is a `Budget`, or a `PrivacyCost`, whose epsilon may be 0.

        A limit below what is already spent is accepted: nothing can be unspent, and every further
        spend is refused.  It binds all names of the data set.  There may be a limit for rows and one
        for the units of each column, and a spend must not pass any of them.  Raises `DeclarationError`
        for anything else, and if epsilon or delta is negative, inexact or too long.
        """
        most = limit.cost if isinstance(limit, Budget) else limit
        if not isinstance(most, PrivacyCost):
            raise DeclarationError(
                f"use {show_value(limit)} as a limit",
                found="it is neither a Budget nor a PrivacyCost",
                fix="give one, such as Budget(1, '1e-6')",
            )
        dataset, most = check_name(dataset, "a data set", most=MOST), check_cost(most)
        asked = f"limit data set {dataset!r} to {most}"
        with self._store.transaction(asked) as connection:
            # The limit binds all names, so it replaces those of all of them.
            names = rows.names(connection, dataset)
            rows.set_limit(connection, dataset, most, names)

    def limit(
        self, dataset: str, relation: NeighboringRelation | None = None
    ) -> PrivacyCost | None:
        """The limit of ``dataset`` for ``relation``, the least of its names'; None without one.

        Without a ``relation`` it is that of `total`.
        """
        dataset = check_name(dataset, "a data set")
        with self._store.transaction("read a limit") as connection:
            books = Books.load(connection, rows.names(connection, dataset))
        return books.limits.get(relation or books.relation)

    def total(self, dataset: str) -> PrivacyCost:
        """The total that ``dataset`` has spent under all its names; zero if it has no entry.

        Basic composition, in parallel over the parts of each partition (see `Spending`).  If all spends
        and limits are for the units of one column, it is for these; else it is for rows.  `counts` has
        the totals for both.
        """
        dataset = check_name(dataset, "a data set")
        with self._store.transaction("read a total") as connection:
            books = Books.load(connection, rows.names(connection, dataset))
        return books.spending(books.relation).total

    def counts(self, dataset: str) -> list[Count]:
        """The counts of ``dataset`` for rows, unless all is about one unit, and for each unit column.

        >>> from fractions import Fraction
        >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
        >>> from littlestone.privacy.ledger import Ledger
        >>> ledger = Ledger()
        >>> _ = ledger.spend(ExponentialMechanism(Fraction(1)), dataset="visits", what="a look")
        >>> ledger.declare_most("visits", Unit("patient", 3))
        >>> for count in ledger.counts("visits"):
        ...     print(count.relation, count.total.epsilon)
        replace-one 1
        replace-one-unit: patient 3
        """
        dataset = check_name(dataset, "a data set")
        with self._store.transaction("count what is spent") as connection:
            books = Books.load(connection, rows.names(connection, dataset))
        return [books.count_for(relation) for relation in books.relations()]

    def declare_most(self, dataset: str, unit: Unit) -> None:
        """Declare for good that ``dataset`` has at most ``unit.most`` records of each unit.

        Spends for rows, or for another unit, then count for these units by group privacy.  Nobody
        enforces the number.  A number that lifts a total above its limit is accepted, because it tells
        what is already spent, and every further spend is refused.  Raises `DeclarationError` for a
        smaller one than was declared before, because that would lower earlier totals.
        """
        dataset = check_name(dataset, "a data set", most=MOST)
        column = check_name(unit.column, "a unit", most=MOST)
        asked = f"declare {unit} for data set {dataset!r}"
        with self._store.transaction(asked) as connection:
            known = rows.most(connection, rows.names(connection, dataset)).get(column)
            if known is not None and unit.most < known.records:
                raise DeclarationError(
                    asked,
                    found=f"at most {known.records:,} are declared already, and totals never shrink",
                    fix=f"give {known.records:,} or more",
                )
            # Only larger numbers are added, so totals never shrink.
            if known is None or unit.most > known.records:
                rows.declare_most(connection, dataset, unit)

    def names(self, dataset: str) -> list[str]:
        """All names of the data set, sorted; ``dataset`` alone if it was never joined to another."""
        dataset = check_name(dataset, "a data set")
        with self._store.transaction("read the names") as connection:
            return rows.names(connection, dataset)

    def alias(self, dataset: str, same_as: str) -> None:
        """Declare that two names mean one data set, for good: a copy, a link, another spelling.

        From then on the data set has spent what it has spent under all its names, and its limit is
        the least of theirs.  Parts of one partition are still charged in parallel under one name
        only, because the records may be in another order under the other name.

        >>> from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
        >>> from fractions import Fraction
        >>> from littlestone.privacy.ledger import Ledger
        >>> ledger = Ledger()
        >>> for name in ("visits", "copy of visits"):
        ...     receipt = ledger.spend(ExponentialMechanism(Fraction(1)), dataset=name, what="a look")
        >>> ledger.alias("copy of visits", "visits")
        >>> str(ledger.total("visits").epsilon), ledger.names("visits")
        ('2', ['copy of visits', 'visits'])
        """
        dataset, same_as = check_name(dataset, "a data set"), check_name(same_as, "a data set")
        asked = f"join {dataset!r:.520} and {same_as!r:.520}"
        with self._store.transaction(asked) as connection:
            known = rows.datasets(connection)
            for name in (dataset, same_as):
                # A long name of an old ledger may go on under a short one.
                check_name(name, "a data set", most=None if name in known else MOST)
            if same_as not in rows.names(connection, dataset):
                rows.join(connection, dataset, same_as)

    def close(self) -> None:
        """Close the file; a closed ledger refuses every use, and closing twice is harmless."""
        self._store.close()

    # A copy would not know what is spent on the other; code that copies a ledger shares it.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise LedgerError(
            "pickle a ledger",
            found="a copy in another process would not know of what is spent on this one",
            fix="give the path or the address of the ledger in its place",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _preview(connection: Connection, dataset: str, cost: PrivacyCost, part: Part | None) -> Preview:
    names = rows.names(connection, dataset)
    # The theorem of docs/proofs/ledger.md is about positions; a unit has no position.
    if part is not None and cost.neighboring.unit is not None:
        raise DeclarationError(
            f"spend {cost} on data set {dataset!r}",
            found="records of one unit may lie in several parts, so parts do not compose in parallel",
            fix="spend on the whole data set",
        )
    books = Books.load(connection, names)
    relation = cost.neighboring
    # Rounded up if need be: a mechanism that costs less is within the larger charge.
    charged = books.spending(NeighboringRelation.REPLACE_ONE).charge_for(cost)
    later = replace(books, paid=[*books.paid, (dataset, part, charged, 1)])
    # One count for rows and one for each unit column; a spend must pass no limit of any
    # (docs/proofs/units.md, Theorem 4).
    counts = tuple(later.count_for(protected) for protected in later.neighbour_relations)
    # A limit for other neighbours binds too, so it is shown where the spend's own have none.
    shown = next((c.relation for c in counts if c.limit and relation not in later.limits), relation)
    before, after = books.count_for(shown), later.count_for(shown)
    return Preview(charged, before.total, after.total, after.limit, counts)


@dataclass(frozen=True)
class Books:
    """All that counts of one data set are made of."""

    paid: Sequence[Paid]
    limits: Mapping[NeighboringRelation, PrivacyCost]
    most: Mapping[str, Most]

    @classmethod
    def load(cls, connection: Connection, names: Sequence[str]) -> Self:
        """What stands in the tables under these ``names`` of the data set."""
        paid, limits = rows.entry_costs(connection, names), rows.limits(connection, names)
        return cls(paid, limits, rows.most(connection, names))

    @property
    def relation(self) -> NeighboringRelation:
        """That of all spends and limits, or rows if they have several or none."""
        found = self.neighbour_relations
        return found[0] if len(found) == 1 else NeighboringRelation.REPLACE_ONE

    @property
    def neighbour_relations(self) -> list[NeighboringRelation]:
        """Those of all spends and limits, rows first."""
        return sorted({cost.neighboring for _, _, cost, _ in self.paid} | set(self.limits))

    def relations(self) -> list[NeighboringRelation]:
        """The relations that a count is shown for: those in use, and those of declared units."""
        units = map(NeighboringRelation.replace_one_unit, self.most)
        return sorted({self.relation, *self.neighbour_relations, *units})

    def spending(self, relation: NeighboringRelation) -> Spending:
        """What the spends add up to; raises `LedgerError` if nothing bounds it."""
        found = spending(self.paid, relation, None)
        if found is None:
            raise LedgerError("add up a ledger", found=UNBOUNDED, fix="declare it")
        return found

    def count_for(self, relation: NeighboringRelation) -> Count:
        """The total under a relation, its limit, and which other relations have spends."""
        most = None if relation.unit is None else self.most.get(relation.unit)
        spent = spending(self.paid, relation, most)
        others = tuple(sorted({cost.neighboring for _, _, cost, _ in self.paid} - {relation}))
        total = None if spent is None else spent.total
        return Count(relation, total, self.limits.get(relation), most, others)
