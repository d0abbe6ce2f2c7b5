from tests.firmware.conftest import pytest_runtest_setup  # noqa: F401 - simavr tests never skip in silence
