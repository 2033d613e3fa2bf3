"""What is particular to a ledger on a PostgreSQL server: durability, doubt, passwords, refusals."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from spending import CENT, Answer

from each import each
from littlestone.base.errors import BudgetExceededError, LedgerError
from littlestone.points.units import Unit
from littlestone.privacy.cost import NeighboringRelation, PrivacyCost
from littlestone.privacy.ledger import Ledger, conninfo, is_address, server, show_address
from littlestone.privacy.ledger import server as server_tables
from littlestone.privacy.ledger.server import LedgerServer
from servers import Server
from servers import server as run_server


@pytest.fixture
def address(running_server: Server) -> str:
    return running_server.database()


def session(running: Server, address: str, *statements: str) -> list[Any]:
    """Run statements as another program of the same user; the rows of the last."""
    import psycopg

    name = address.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(running.conninfo(name), autocommit=True) as connection:
        for statement in statements:
            result = connection.execute(statement.encode())
        return result.fetchall() if result.description else []


def spend(ledger: Ledger) -> int:
    return ledger.spend(Answer(), dataset="people", what="a look").number


# Durable


@pytest.fixture(scope="module")
def careless_server() -> Iterator[Server]:
    """By its own settings it answers before anything is on disk, and writes only much later."""
    with run_server(synchronous_commit="off", wal_writer_delay="10s") as running:
        yield running


def lost_in_a_crash(running: Server) -> int:
    """How many of ten spends are forgotten when the server dies and comes back."""
    address = running.database()
    ledger = Ledger(address)
    session(running, address, "CHECKPOINT")
    numbers = {spend(ledger) for _ in range(10)}
    running.stop(signal.SIGQUIT)
    with pytest.raises(LedgerError, match="PostgreSQL says"):
        spend(ledger)
    running.start()
    kept = {entry.number for entry in ledger.entries()}  # through a new connection
    return len(numbers - kept)


@pytest.mark.deep
def test_no_spend_is_lost_when_the_server_crashes(careless_server: Server) -> None:
    assert lost_in_a_crash(careless_server) == 0


@pytest.mark.deep
def test_a_commit_that_does_not_wait_for_the_disk_would_be_caught(
    careless_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    connect = psycopg.connect

    def careless(*address: Any, **options: Any) -> Any:
        opened = connect(*address, **options)
        execute = opened.execute

        def executed(query: Any, *values: Any) -> Any:
            return execute(query.replace(b"ELSE 'on'", b"ELSE 'off'"), *values)

        monkeypatch.setattr(opened, "execute", executed)
        return opened

    monkeypatch.setattr(psycopg, "connect", careless)
    assert lost_in_a_crash(careless_server) > 0


CANNOT_KEEP = "it is read-only, or runs with fsync off"


@pytest.mark.deep
def test_a_server_without_fsync_is_refused(careless_server: Server) -> None:
    ledger = Ledger(careless_server.database())
    spend(ledger)
    for fsync, refused in (("off", True), ("on", False)):
        careless_server.stop()
        careless_server.settings["fsync"] = fsync
        careless_server.start()
        if refused:
            with pytest.raises(LedgerError, match=CANNOT_KEEP):
                spend(ledger)
    assert spend(ledger) == 2


def test_a_read_only_server_is_refused(running_server: Server, address: str) -> None:
    name = address.partition("?")[0].rpartition("/")[2]
    statement = f"ALTER DATABASE {name} SET default_transaction_read_only = on"
    session(running_server, address, statement)
    with pytest.raises(LedgerError, match=CANNOT_KEEP):
        Ledger(address)


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM entries", "UPDATE entries SET epsilon = '0/1'", "TRUNCATE entries"],
)
def test_entries_are_only_ever_added(running_server: Server, address: str, statement: str) -> None:
    import psycopg

    ledger = Ledger(address)
    spend(ledger)
    with pytest.raises(psycopg.errors.RaiseException, match="never changed or deleted"):
        session(running_server, address, "SET search_path = littlestone_ledger", statement)
    assert ledger.total("people") == Answer().cost()


@pytest.mark.parametrize(("waits", "kept"), [("off", "on"), ("remote_apply", "remote_apply")])
def test_a_transaction_has_settings_of_its_own(
    running_server: Server, address: str, waits: str, kept: str
) -> None:
    """Whatever the user's or the server's are, it ends in finite time, and not before the disk."""
    name = address.partition("?")[0].rpartition("/")[2]
    times = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
    for setting in (*(f"{time} = 0" for time in times), f"synchronous_commit = {waits}"):
        session(running_server, address, f"ALTER DATABASE {name} SET {setting}")
    with Ledger(address) as ledger, ledger._store.transaction("look") as transaction:
        shown = [
            transaction.execute(f"SHOW {setting}").fetchone()[0]
            for setting in (*times, "synchronous_commit")
        ]
    assert shown == ["75s", "1min", "1min", kept]


def test_joined_names_are_never_parted(running_server: Server, address: str) -> None:
    import psycopg

    with Ledger(address) as ledger:
        ledger.alias("a", "b")
        for statement in ("DELETE FROM", "TRUNCATE", "UPDATE"):
            change = " SET same_as = 'c'" if statement == "UPDATE" else ""
            with pytest.raises(psycopg.errors.RaiseException, match="never changed or deleted"):
                session(running_server, address, f"{statement} littlestone_ledger.aliases{change}")
        assert ledger.names("a") == ["a", "b"]


# In doubt


class Proxy:
    """Stands between a client and the server; after the COMMIT it was told of, answers nothing."""

    def __init__(self, running: Server, folder: Path) -> None:
        self.folder, self.commits_to_lose = folder, 0
        self._behind = f"{running.folder}/.s.PGSQL.5432"
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / ".s.PGSQL.5432"))
        self._listening.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._relay, args=[client], daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as behind, suppress(OSError):
            behind.connect(self._behind)
            answers = threading.Thread(target=self._answer, args=[behind, client], daemon=True)
            answers.start()
            while asked := client.recv(65536):
                if b"COMMIT\0" in asked and self.commits_to_lose:
                    self.commits_to_lose -= 1
                    client.shutdown(socket.SHUT_RDWR)
                    behind.sendall(asked)
                    answers.join(timeout=5)
                    return
                behind.sendall(asked)

    def _answer(self, behind: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while answer := behind.recv(65536):
                client.sendall(answer)

    def close(self) -> None:
        self._listening.close()


def test_a_commit_whose_answer_is_lost_gives_no_receipt(
    running_server: Server, address: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("p")  # a short path: a socket's has a hundred characters
    with closing(Proxy(running_server, folder)) as proxy:
        ledger = Ledger(address.replace(running_server.folder, str(folder)))
        assert spend(ledger) == 1
        proxy.commits_to_lose = 1
        with pytest.raises(LedgerError, match="it may stand or not") as caught:
            spend(ledger)
        assert "nothing was drawn" in caught.value.fix
        # It did stand: wasted, not hidden.  The ledger goes on through a new connection.
        assert spend(ledger) == 3
        assert ledger.total("people") == PrivacyCost(3 * CENT)
        ledger.close()


def test_a_connection_cut_by_the_server_is_made_anew(running_server: Server, address: str) -> None:
    ledger = Ledger(address)
    spend(ledger)
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    session(running_server, address, f"{cut} AND datname = current_database()")
    assert spend(ledger) == 2


def test_a_connection_cut_in_the_middle_records_nothing(
    running_server: Server, address: str
) -> None:
    ledger = Ledger(address)
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with (  # noqa: PT012
        pytest.raises(LedgerError, match="it may stand or not"),
        ledger._store.transaction("spend") as transaction,
    ):
        transaction.execute("INSERT INTO limits VALUES ('people', '1/1', '0/1', 'replace-one')")
        session(running_server, address, f"{cut} AND datname = current_database()")
    assert ledger.datasets() == []


# Waiting


def holder(running: Server, address: str) -> Any:
    """A connection of another program, which holds the ledger's lock until it is closed."""
    import psycopg

    name = address.partition("?")[0].rpartition("/")[2]
    connection = psycopg.connect(running.conninfo(name))
    connection.execute(f"SELECT pg_advisory_xact_lock({server._LOCK})".encode())
    return connection


def test_a_ledger_locked_for_too_long_gives_no_receipt(
    running_server: Server, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.1)
    ledger = Ledger(address)
    with closing(holder(running_server, address)), pytest.raises(LedgerError, match="lock timeout"):
        spend(ledger)
    assert spend(ledger) == 1


def test_an_interrupt_is_heard_while_waiting_and_leaves_no_lock(
    running_server: Server, address: str
) -> None:
    ledger = Ledger(address)
    with closing(holder(running_server, address)), pytest.raises(KeyboardInterrupt):  # noqa: PT012
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        spend(ledger)
    assert [spend(ledger), spend(Ledger(address))] == [1, 2]


def test_a_signal_handler_that_spends_is_refused_and_harms_nothing(address: str) -> None:
    ledger = Ledger(address)
    with ledger._store.transaction("be interrupted") as transaction:
        transaction.execute("INSERT INTO limits VALUES ('people', '1/1', '0/1', 'replace-one')")
        with pytest.raises(LedgerError, match="in the middle of another use"):
            spend(ledger)
    assert ledger.limit("people") == PrivacyCost(Fraction(1))


# Opening


def test_a_ledger_is_made_once_and_found_again(address: str) -> None:
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(address, create=False)
    with Ledger(address) as ledger:
        spend(ledger)
        assert ledger.path == address
    with pytest.raises(LedgerError, match="the ledger is closed"):
        spend(ledger)
    for scheme in ("postgresql+psycopg", "postgres"):
        again = address.replace("postgresql", scheme)
        assert len(Ledger(again, create=False).entries()) == 1


def test_the_longest_names_and_costs_are_kept(address: str) -> None:
    ledger, name = Ledger(address), ("Zürich 东京 " * 60)[:499] + "."
    longest = Answer(Fraction(10**100, 7), Fraction(1, 10**100 - 1))
    ledger.spend(longest, dataset=name, what="a look")
    ledger.set_limit(name, longest.cost())
    assert ledger.note_shape(name, columns=["age"], n=7) == []
    assert (ledger.total(name), ledger.datasets()) == (longest.cost(), [name])


def test_a_ledger_of_a_later_version(running_server: Server, address: str) -> None:
    Ledger(address).close()
    session(running_server, address, "UPDATE littlestone_ledger.format SET version = 6")
    with pytest.raises(
        LedgerError, match="it has format 6 and this version of littlestone reads 5"
    ):
        Ledger(address)


def test_members_need_no_right_to_change_entries(running_server: Server, address: str) -> None:
    Ledger(address).close()
    session(
        running_server, address, "DROP ROLE IF EXISTS bob", "CREATE ROLE bob LOGIN",
        "GRANT USAGE ON SCHEMA littlestone_ledger TO bob",
        "GRANT SELECT, INSERT ON littlestone_ledger.entries TO bob",
        "GRANT SELECT ON littlestone_ledger.limits, littlestone_ledger.format TO bob",
    )  # fmt: skip
    ledger = Ledger(address.replace("ada", "bob"))
    assert spend(ledger) == 1
    with pytest.raises(LedgerError, match="permission denied for table limits"):
        ledger.set_limit("people", Answer().cost())
    ledger.close()
    session(running_server, address, "DROP OWNED BY bob")


FORMAT_2 = [
    "CREATE SCHEMA littlestone_ledger",
    "SET search_path = littlestone_ledger",
    "CREATE TABLE format (version INTEGER NOT NULL)",
    "INSERT INTO format VALUES (2)",
    "CREATE TABLE limits (dataset TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL,"
    " neighboring TEXT NOT NULL)",
    "CREATE TABLE entries (number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " dataset TEXT NOT NULL, what TEXT NOT NULL, mechanism TEXT NOT NULL, epsilon TEXT NOT NULL,"
    " delta TEXT NOT NULL, neighboring TEXT NOT NULL, at TEXT NOT NULL,"
    " partition TEXT NOT NULL DEFAULT '', part INTEGER NOT NULL DEFAULT 0,"
    " parts INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX datasets ON entries USING hash (dataset)",
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " 'BEGIN RAISE ''an entry of the ledger is never changed or deleted''; END'",
    "CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON entries"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
]
INSERT = (
    "INSERT INTO littlestone_ledger.entries"
    " (dataset, what, mechanism, epsilon, delta, neighboring, at) VALUES"
    " ('{}', 'a look', 'answer', '{}', '0/1', 'replace-one', '')"
)


def test_a_ledger_of_format_4_keeps_its_limits_and_gets_others(
    running_server: Server, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patients = NeighboringRelation.replace_one_unit("patient")
    with monkeypatch.context() as patch:
        patch.setattr(server_tables, "FORMAT", 4)
        LedgerServer(address, create=True).close()
    limit = "INSERT INTO littlestone_ledger.limits VALUES ('{}', '2/1', '0/1', '{}')"
    session(
        running_server, address, INSERT.format("people", "1/1"),
        limit.format("people", "replace-one"), limit.format("patients", patients),
    )  # fmt: skip
    for _ in range(2):
        with Ledger(address, create=False) as ledger:
            assert ledger.total("people") == PrivacyCost(Fraction(1))
            assert ledger.limit("people") == PrivacyCost(Fraction(2))
            assert ledger.limit("patients") == PrivacyCost(Fraction(2), neighboring=patients)
    with Ledger(address) as ledger:
        ledger.set_limit("people", PrivacyCost(Fraction(3), neighboring=patients))
        ledger.declare_most("people", Unit("patient", 3))
        with pytest.raises(BudgetExceededError, match="limit is epsilon 3, delta 0"):
            spend(ledger)
        assert [count.total.epsilon for count in ledger.counts("people") if count.total] == [1, 3]


def test_a_ledger_of_format_2_is_brought_up_to_date_by_its_owner(
    running_server: Server, address: str
) -> None:
    old = f"{'9' * 1000}/{'1' * 1000}"
    session(
        running_server, address, *FORMAT_2, INSERT.format("people", old),
        INSERT.format("bad", "-1/1"), INSERT.format("x" * 5000, "1/1"),
        "DROP ROLE IF EXISTS bob", "CREATE ROLE bob LOGIN",
        "GRANT USAGE ON SCHEMA littlestone_ledger TO bob",
        "GRANT SELECT, INSERT ON entries TO bob", "GRANT SELECT ON limits, format TO bob",
    )  # fmt: skip
    with pytest.raises(LedgerError, match=r"must be owner|permission denied") as caught:
        Ledger(address.replace("ada", "bob"))
    assert "only an owner makes the tables, brings them up to date" in caught.value.fix
    with Ledger(address) as ledger:
        assert ledger.total("people").epsilon == Fraction(9)
        assert ledger.total("x" * 5000) == PrivacyCost(Fraction(1))
        with pytest.raises(LedgerError, match="'bad' in the ledger"):
            ledger.total("bad")
    # Members need no new rights.
    with Ledger(address.replace("ada", "bob")) as ledger:
        assert spend(ledger) == 4
        assert ledger.note_shape("people", columns=["age"], n=10) == []
        with pytest.raises(LedgerError, match="permission denied") as caught:
            ledger.alias("people", "bad")
        assert "joins names" in caught.value.fix
    session(running_server, address, "DROP OWNED BY bob")


@pytest.mark.parametrize(
    "number", ["nonsense", "-1/1", "1/0", "1", "1//2", "0.5", f"1/{'9' * 102}", f"{'9' * 202}/1"]
)
def test_no_other_hand_can_write_an_unsound_row(
    running_server: Server, address: str, number: str
) -> None:
    import psycopg

    Ledger(address).close()
    for row in (
        INSERT.format("a", number),
        INSERT.format("a", "1/2").replace("replace-one", "add-or-remove"),
        INSERT.format("a" * 501, "1/2"),
        INSERT.format("a\n", "1/2"),
        INSERT.format("a\u2028", "1/2"),
        INSERT.format("a", "1/2").replace("answer", "an\nswer"),
        INSERT.format("a", "1/2").replace("a look", "a look\r"),
        "INSERT INTO littlestone_ledger.aliases VALUES ('a', 'b\n', '')",
        "INSERT INTO littlestone_ledger.aliases VALUES ('', 'b', '')",
        "INSERT INTO littlestone_ledger.seen VALUES ('a\n', 'b', 1)",
        "INSERT INTO littlestone_ledger.seen VALUES ('a', 'b', -1)",
        INSERT.format("a", "1/2").replace("at)", "at, part)").replace("'')", "'', 1)"),
        "INSERT INTO littlestone_ledger.limits VALUES ('a', '-1/1', '0/1', 'replace-one')",
    ):
        with pytest.raises(psycopg.errors.CheckViolation):
            session(running_server, address, row)
    session(running_server, address, INSERT.format("a", "1/2"))


def test_a_database_that_cannot_hold_every_name_is_named(running_server: Server) -> None:
    for encoding in ("LATIN1", "SQL_ASCII"):
        address = running_server.database(f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
        with pytest.raises(LedgerError, match=f"written in {encoding}") as caught:
            Ledger(address)
        assert "WITH ENCODING 'UTF8'" in caught.value.fix
    session(running_server, address := running_server.database(
        "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"), *FORMAT_2)  # fmt: skip
    with Ledger(address) as ledger:  # which is there, and goes on
        assert spend(ledger) == 1
        with pytest.raises(LedgerError, match="no equivalent in encoding") as caught:
            ledger.spend(Answer(), dataset="東京", what="a look")
        assert "WITH ENCODING 'UTF8'" in caught.value.fix


def test_who_may_not_make_a_ledger_is_told_so(running_server: Server, address: str) -> None:
    session(running_server, address, "DROP ROLE IF EXISTS eve", "CREATE ROLE eve LOGIN")
    with pytest.raises(LedgerError, match="permission denied") as caught:
        Ledger(address.replace("ada", "eve"))
    assert "only an owner makes the tables" in caught.value.fix
    Ledger(address).close()
    with pytest.raises(LedgerError, match="permission denied") as caught:
        Ledger(address.replace("ada", "eve"))
    assert "ask the ledger's owner" in caught.value.fix


# Passwords; none of these needs a server.

SECRET = "hunter2"
WRONG = [
    "postgresql://ada:{}@localhost:1/db",
    "postgresql://ada:{}@localhost:{}/db",
    "postgresql://ada:x@{}@localhost:1/db",
    "postgresql://ada:{}/db",
    "postgresql://ada:{}#@localhost/db",
    "postgresql://[{}/db",
    "postgresql://ada@localhost:1/db?password={}",
    "postgresql://ada@localhost:1/db?passwrod={}",
    "postgresql://ada@localhost:1/db?sslpassword={}",
    "postgresql://ada@localhost:1/db?sslmode={}",
    "postgresql://ada@localhost:1/db?{}",
    "postgresql://ada:{}@no such host/db",
    "postgresql:/ada:{}@localhost/db",
    "postgresql:ada:{}@localhost/db",
    "postgres:{}",
    "POSTGRESQL://ada:{}@localhost/db",
    " postgresql://ada:{}@localhost/db",
    "\npostgresql://ada:{}@localhost/db",
    "//ada:{}@localhost/db",
    "ada:{}@localhost/db",
    "ada_b:{}@localhost/db",
    "host=localhost dbname=db password={}",
    "dbname = db password={}",
    "application_name=x password={}",
    "mysql://ada:{}@localhost/db",
    "postgresql+asyncpg://ada:{}@localhost/db",
    "postgresql//ada:{}@localhost/db",
    "postgres+psycopg2//ada:{}@localhost/db",
    "postgresql;//ada:{}@localhost/db",
    "postgresql%3A//ada:{}@localhost/db",
    "postgresql%253A//ada:{}@localhost/db",
    "pgsql/ada:{}@localhost/db",
    "/postgresql://ada:{}@localhost/db",
    "./postgresql://ada:{}@localhost/db",
    "HOST=db PASSWORD={}",
    "Server=db;Password={}",
    "PGPASSWORD={}",
    "passwd={}",
    "db;pwd={}",
    "postgresql://ada%3A{}@localhost:1/db",
    "postgresql://ada%253A{}@localhost:1/db",
    "postgresql://ada%3A{}%40localhost/db",
    "postgresql://ada%3A{}/db",
]


@each("wrong", WRONG)
@each("kind", [str, Path])
def test_no_error_quotes_a_password_and_no_file_is_made(
    wrong: str, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.chdir(tmp_path)
    place = kind(wrong.replace("{}", SECRET))
    if kind is Path and str(place).startswith("/"):
        pytest.skip("a path from the root is a path")
    with pytest.raises(LedgerError) as caught:
        Ledger(place)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.fix
    assert SECRET not in show_address(str(place))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["password", "PassWord", "sslpassword", "SSLPASSWORD"])
def test_no_option_of_an_address_is_a_password(option: str) -> None:
    """Whatever libpq makes of it: an address is kept, and shown in other places than here."""
    place = "postgresql://ada@localhost/db?passfile=/home/ada/.pgpass"
    assert conninfo(place) == place
    with pytest.raises(LedgerError, match="holds a password"):
        conninfo(f"{place}&{option}={SECRET}")


@pytest.mark.parametrize(
    "name",
    [
        "./host=a.ledger",
        "C:\\budget.ledger",
        "/srv/postgresql/a.ledger",
        "postgresql/a.ledger",
        "100%.ledger",
        "my budget.ledger",
        "/srv/a=b/c@d:e",
        "a@b.ledger",
        "2024:01.ledger",
        "../x:y@z",
    ],
)
def test_a_path_that_says_so_is_a_path(name: str) -> None:
    assert not is_address(name)
    assert show_address(name) == name


def test_passwords_come_from_the_places_of_libpq(
    running_server: Server, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = address.partition("?")[0].rpartition("/")[2]
    services = tmp_path / "services"
    services.write_text(
        f"[budgets]\nhost={running_server.folder}\nuser=ada\npassword={SECRET}\ndbname={name}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    with Ledger("postgresql:///?service=budgets") as ledger:
        assert spend(ledger) == 1
        assert ledger.path == "postgresql:///"
        assert SECRET not in repr(ledger) + str(ledger.connection)
    assert len(Ledger(address).entries()) == 1


def test_options_of_an_address_are_not_shown(address: str) -> None:
    with Ledger(f"{address}&application_name={SECRET}") as ledger:
        assert ledger.path == address


# Whether the way there is encrypted


@pytest.fixture
def encrypted_server(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Server, Path]]:
    """A server on a port of this machine, with a certificate; and the certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("PGPORT", str(port))
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder, "certificate"), Path(folder, "key")
        request = ["openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-subj", "/CN=localhost"]
        request += ["-pkeyopt", "ec_paramgen_curve:prime256v1"]
        request += ["-addext", "subjectAltName=IP:127.0.0.1"]
        request += ["-keyout", str(key), "-out", str(certificate)]
        subprocess.run(request, check=True, capture_output=True)
        if os.getuid() == 0:
            for path in (folder, certificate, key):
                os.chown(path, pwd.getpwnam("nobody").pw_uid, -1)
        with run_server(
            listen_addresses="127.0.0.1", port=port, ssl="on",
            ssl_cert_file=certificate, ssl_key_file=key,
        ) as running:  # fmt: skip
            yield running, certificate


@pytest.mark.deep
def test_a_ledger_says_who_could_read_along(encrypted_server: tuple[Server, Path]) -> None:
    running, certificate = encrypted_server
    local = running.database()
    name = local.partition("?")[0].rpartition("/")[2]
    there = f"postgresql://ada@127.0.0.1/{name}"
    verified = f"{there}?sslmode=verify-full&sslrootcert={certificate}"
    unverified = (
        "TLS, but who the server is was not verified (sslmode={}): add ?sslmode=verify-full"
    )
    for address, words in (
        (local, "a socket of this machine"),
        (f"{there}?sslmode=disable", "not encrypted: add ?sslmode=verify-full to the address"),
        (there, unverified.format("prefer")),
        (f"{there}?sslmode=require", unverified.format("require")),
        (verified, "TLS, and the server is verified (sslmode=verify-full)"),
    ):
        with Ledger(address) as ledger:
            assert ledger.connection == words
    with pytest.raises(LedgerError, match="certificate"):
        Ledger(f"{there}?sslmode=verify-full")
    assert Ledger().connection is None


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"pip install 'psycopg\[binary\]>=3.2'"):
        Ledger("postgresql://ada@localhost/db")
