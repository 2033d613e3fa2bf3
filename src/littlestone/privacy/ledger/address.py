"""The location of a ledger: the path of a file or the address of a server, and nothing in between.

No address may hold a password, so none can be shown, kept or sent with it; libpq has places of its
own for passwords.  A text that only looks like an address is refused, because as a path it would make
an empty ledger under that name.  No error quotes any of these, because a password may stand anywhere
in them.
"""

from __future__ import annotations

import re
from typing import NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

from littlestone.errors import LedgerError

# A path that says so: from the root, from a folder named by dots, or from a drive of Windows.
_PATH = re.compile(r"/(?!/)|\.\.?[/\\]|[A-Za-z]:[\\/]|\\\\")
_SERVER = re.compile(r"(postgresql(\+psycopg)?|postgres)://")
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

_FIX = (
    "write postgresql://USER@HOST/DATABASE, and leave the password to PGPASSWORD, ~/.pgpass or a "
    "service file; for a file of such a name write ./NAME"
)


def is_address(text: str) -> bool:
    """Whether ``text`` is the address of a server, and not the path of a file.

    Raises `LedgerError`, without quoting it, for a text that is not clearly one of them.

    >>> is_address("postgresql://ada@db.example/ledgers"), is_address("budget.ledger")
    (True, False)
    """
    if _SERVER.match(text):
        return True
    if not text.strip():
        _refuse("its name is empty")
    plain = _decoded(text)
    if _SCHEME.match(plain) or (_PATH.match(text) is None and _NEARLY.match(plain.strip())):
        _refuse("its name looks like an address and is none")
    return False


def conninfo(address: str) -> str:
    """``address`` as libpq reads it; raises `LedgerError` if it holds a password or is damaged.

    >>> conninfo("postgresql+psycopg://ada@db.example/ledgers")
    'postgresql://ada@db.example/ledgers'
    """
    scheme, separator, rest = address.partition("://")
    try:
        parts = urlsplit(address)
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        _refuse("its address cannot be read")
    user, _, hosts = parts.netloc.rpartition("@")
    plain = _decoded(parts.netloc)
    # Not `passfile`: that says where a password is.
    secret = any("pass" in name.lower() and name != "passfile" for name, _ in options)
    if ":" in plain.rpartition("@")[0] or "%3a" in hosts.lower() or secret:
        _refuse("its address holds a password")
    if "@" in user + _decoded(hosts + parts.path) or not _HOSTS.fullmatch(hosts) or parts.fragment:
        _refuse("its address cannot be read")
    return scheme.removesuffix("+psycopg") + separator + rest


def options(address: str) -> dict[str, str]:
    """The options after the question mark of ``address``, with names in small letters."""
    return {name.lower(): value for name, value in parse_qsl(urlsplit(address).query)}


def shown_address(text: str) -> str:
    """``text`` as anyone may see it: a path unchanged, an address with only host and port as options.

    A text that `is_address` or a ledger would refuse is shown as ``'***'``.

    >>> shown_address("postgresql://ada@db.example/ledgers?sslmode=require")
    'postgresql://ada@db.example/ledgers'
    >>> shown_address("postgresql://ada:secret@db.example/ledgers"), shown_address("budget.ledger")
    ('***', 'budget.ledger')
    """
    try:
        if not is_address(text):
            return text
        address, _, query = conninfo(text).partition("?")
    except LedgerError:
        return "***"
    kept = [part for part in query.split("&") if part.partition("=")[0] in ("host", "port")]
    return "?".join([address, "&".join(kept)]) if kept else address


def _decoded(text: str) -> str:
    # Decode as often as it is encoded: each turn makes it shorter.
    while (plain := unquote(text)) != text:
        text = plain
    return text


def _refuse(found: str) -> NoReturn:
    raise LedgerError("open the ledger", found=found, fix=_FIX) from None
