"""Addresses of servers, stores and ledgers, told apart from paths, and never shown with a password.

No address may hold a password, so none can be shown, kept or sent with it; libpq has places of its
own for passwords.  A text that only looks like an address is neither an address nor a path.
"""

from __future__ import annotations

import os
import re
from typing import NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

from littlestone.base.errors import LedgerError

# A path that says so: from the root, from a folder named by dots, or from a drive of Windows.
_PATH = re.compile(r"/(?!/)|\.\.?[/\\]|[A-Za-z]:[\\/]|\\\\")
_POSTGRESQL = re.compile(r"(postgresql(\+psycopg)?|postgres)://")
# Looked for in what no path begins.
_NEARLY = re.compile(
    r"[a-z][a-z0-9+.-]+:|//|.*://|.*:.*@|(postgres|pgsql)[a-z0-9+]*\s*(;|//)"
    r"|(.*[\s;,&?])?(pg)?(host|hostaddr|port|dbname|database|user|uid|server|service|sslmode)\s*="
    r"|.*(pass|pwd)\w*\s*=",
    re.DOTALL | re.IGNORECASE,
)
# What even a path from the root does not hold.
_SCHEME = re.compile(r".*(://|(postgres|pgsql)[a-z0-9+]*\s*[:;])", re.DOTALL | re.IGNORECASE)
_HOSTS = re.compile(
    r"([^:/@\[\]]*|\[[^/@\[\]]*\])(:[0-9]*)?(,([^:/@\[\]]*|\[[^/@\[\]]*\])(:[0-9]*)?)*"
)

PASSWORDS = "leave the password to PGPASSWORD, ~/.pgpass or a service file"

ADDRESSES = f"write postgresql://USER@HOST/DATABASE, and {PASSWORDS}"


def is_postgresql(text: str) -> bool:
    """Whether ``text`` begins as the address of a PostgreSQL server does.

    >>> is_postgresql("postgresql://ada@db.example/ledgers"), is_postgresql("budget.ledger")
    (True, False)
    """
    return _POSTGRESQL.match(text) is not None


def looks_like_address(text: str) -> bool:
    """Whether ``text`` is clearly no path, so that nobody meant a file of that name.

    >>> looks_like_address("postgresql:/ada@here/budgets"), looks_like_address("budget.ledger")
    (True, False)
    """
    plain = _decode(text)
    nearly = _PATH.match(text) is None and _NEARLY.match(plain.strip())
    return bool(nearly or _SCHEME.match(plain))


def flaw(address: str) -> str | None:
    """Why ``address`` must not be used: it holds a password, or it is damaged.

    >>> flaw("postgresql://ada:secret@here/budgets"), flaw("postgresql://ada@here/budgets")
    ('its address holds a password', None)
    """
    try:
        parts = urlsplit(address)
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        return "its address cannot be read"
    user, _, hosts = parts.netloc.rpartition("@")
    plain = _decode(parts.netloc)
    # Not `passfile`: that says where a password is.
    secret = any("pass" in name.lower() and name != "passfile" for name, _ in given)
    if ":" in plain.rpartition("@")[0] or "%3a" in hosts.lower() or secret:
        return "its address holds a password"
    if "@" in user + _decode(hosts + parts.path) or not _HOSTS.fullmatch(hosts) or parts.fragment:
        return "its address cannot be read"
    return None


def for_libpq(address: str) -> str:
    """An address without `flaw`, as libpq reads it.

    >>> for_libpq("postgresql+psycopg://ada@db.example/ledgers")
    'postgresql://ada@db.example/ledgers'
    """
    scheme, separator, rest = address.partition("://")
    return scheme.removesuffix("+psycopg") + separator + rest


def options(address: str) -> dict[str, str]:
    """The options after the question mark of ``address``, with names in small letters.

    >>> options("postgresql://ada@here/budgets?SSLmode=require")
    {'sslmode': 'require'}
    """
    return {name.lower(): value for name, value in parse_qsl(urlsplit(address).query)}


def public(address: str) -> str:
    """An address without `flaw`, with only host and port as options.

    >>> public("postgresql://ada@db.example/ledgers?sslmode=require")
    'postgresql://ada@db.example/ledgers'
    """
    address, _, query = for_libpq(address).partition("?")
    kept = [part for part in query.split("&") if part.partition("=")[0] in ("host", "port")]
    return "?".join([address, "&".join(kept)]) if kept else address


def redact_error(error: Exception, address: str) -> str:
    """What a server says, in one line and without the values of the address's options.

    >>> redact_error(ValueError("no file /home/ada/key"), "postgresql://here/x?sslkey=/home/ada/key")
    'no file ***'
    """
    said = " ".join(str(error).split())
    for name, value in options(address).items():
        if value and name not in ("host", "port"):
            said = said.replace(value, "***")
    return said


def _decode(text: str) -> str:
    # Decode as often as it is encoded: each turn makes it shorter.
    while (plain := unquote(text)) != text:
        text = plain
    return text


def kind_of_file(path: str | os.PathLike[str]) -> str | None:
    """``"SQLite"`` or ``"DuckDB"`` if the file is such a database, by its first bytes."""
    try:
        with open(path, "rb") as file:
            start = file.read(16)
    except (OSError, ValueError):
        return None
    if start == b"SQLite format 3\0":
        return "SQLite"
    return "DuckDB" if start[8:12] == b"DUCK" else None


_FIX = f"write postgresql://USER@HOST/DATABASE, and {PASSWORDS}; for a file of such a name write ./NAME"


def is_address(text: str) -> bool:
    """Whether ``text`` is the address of a server, and not the path of a file.

    Raises `LedgerError`, without quoting it, for a text that is not clearly one of them.

    >>> is_address("postgresql://ada@db.example/ledgers"), is_address("budget.ledger")
    (True, False)
    """
    if is_postgresql(text):
        return True
    if not text.strip():
        _refuse_address("its name is empty")
    if looks_like_address(text):
        _refuse_address("its name looks like an address but is not one")
    return False


def conninfo(address: str) -> str:
    """``address`` as libpq reads it; raises `LedgerError` if it holds a password or is damaged.

    >>> conninfo("postgresql+psycopg://ada@db.example/ledgers")
    'postgresql://ada@db.example/ledgers'
    """
    if found := flaw(address):
        _refuse_address(found)
    return for_libpq(address)


def show_address(text: str) -> str:
    """``text`` as anyone may see it: a path unchanged, an address with only host and port as options.

    A text that `is_address` or a ledger would refuse is shown as ``'***'``.

    >>> show_address("postgresql://ada@db.example/ledgers?sslmode=require")
    'postgresql://ada@db.example/ledgers'
    >>> show_address("postgresql://ada:secret@db.example/ledgers"), show_address("budget.ledger")
    ('***', 'budget.ledger')
    """
    try:
        return public(conninfo(text)) if is_address(text) else text
    except LedgerError:
        return "***"


def _refuse_address(found: str) -> NoReturn:
    raise LedgerError("open the ledger", found=found, fix=_FIX) from None
