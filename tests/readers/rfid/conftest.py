from tests.firmware.simavr_marker import pytest_runtest_setup

__all__ = ["pytest_runtest_setup"]
