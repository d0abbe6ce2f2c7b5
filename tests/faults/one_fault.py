"""One writer and one fault: `python -m tests.faults.one_fault WRITER CALL NTH ERROR [for-good]`,
with the shim in LD_PRELOAD. Prints how many states agree with the answer, whether the program went
on, and what the next start finds, as JSON."""

import json
import sys
import tempfile
from pathlib import Path

from tests.faults import writers
from tests.faults.disk import Disk, Fault
from tests.toy_referee import install


def main(kind: str, call: str, nth: str, error: str, *more: str) -> None:
    """Let the fault happen, go on, and close."""
    install()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        home.mkdir()
        writer = getattr(writers, kind)(home)
        writer.prepare()
        disk = Disk(home, Path(name) / "trace")
        disk.fail(Fault(call, int(nth), error, bool(more)))
        allowed = writer.write()
        failed = [one.call for one in disk.list_operations() if one.failed > 0]
        disk.close()
        later = writer.go_on()
        writer.close()
        found = writer.read(home)
        print(json.dumps([failed, len(allowed), found in later, found]))


if __name__ == "__main__":
    main(*sys.argv[1:])
