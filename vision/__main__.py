"""Run `python -m vision`: the command line (`vision.command_line`), or one sentence where OpenCV
cannot be loaded."""

import sys

from vision.errors import OPENCV_NEEDS, missing_library


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; 130 after Ctrl-C."""
    try:
        return _run_command_line(arguments)
    except KeyboardInterrupt:
        return 130


def _run_command_line(arguments: list[str] | None) -> int:
    try:
        from vision.command_line import main as run  # noqa: PLC0415 - it loads OpenCV
    except ImportError as fault:
        library = missing_library(fault)
        if not library:
            raise
        ways = [f"{tool} install {' '.join(packages)}" for tool, packages in OPENCV_NEEDS.items()]
        print(
            f"vision: the library {library} is missing, which OpenCV needs: {' or '.join(ways)};"
            " or put opencv-python-headless in the place of opencv-python.",
            file=sys.stderr,
        )
        return 2
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
