"""The simulated RC522 against its data sheet (MFRC522, rev. 3.9), register by register, with no
firmware in between."""

from __future__ import annotations

import binascii

import pytest

from tests.firmware.chip import Chip, Unknown

STICKER = bytes.fromhex("04a1b2c3d4e580")
REQA, WUPA = 0x26, 0x52
RX, IDLE, TIMER = 0x20, 0x10, 0x01


def ready(chip: Chip) -> Chip:
    """As every driver begins: a timer of 15 ms, all of the modulation, both outputs."""
    for register, value in ((0x2A, 0x8D), (0x2B, 0x3E), (0x2D, 30), (0x15, 0x40), (0x11, 0x3D), (0x14, 0x83)):
        chip.write(register, value)
    chip.wait(ms=6)
    return chip


def exchange(chip: Chip, frame: bytes, last_bits: int = 0, ms: float = 20) -> bytes:
    """Transceive, and what the FIFO holds after it."""
    chip.write(0x01, 0x00)
    chip.write(0x04, 0x7F)
    chip.write(0x0A, 0x80)
    chip.write(0x09, *frame)
    chip.write(0x01, 0x0C)
    chip.write(0x0D, 0x80 | last_bits)
    chip.wait(ms=ms)
    return bytes(chip.read(0x09) for _ in range(chip.read(0x0A)))


def answers(chip: Chip) -> bool:
    chip.wait(ms=6)
    return exchange(chip, bytes([WUPA]), 7) == b"\x44\x00"


RESET = {
    0x01: 0x20, 0x02: 0x80, 0x04: 0x14, 0x07: 0x21, 0x0B: 0x08, 0x0C: 0x10, 0x11: 0x3F, 0x14: 0x80, 0x16: 0x10, 0x17: 0x84,
    0x18: 0x84, 0x19: 0x4D, 0x1C: 0x62, 0x1F: 0xEB, 0x21: 0xFF, 0x22: 0xFF, 0x24: 0x26, 0x26: 0x48, 0x27: 0x88, 0x28: 0x20,
    0x29: 0x20, 0x33: 0x80, 0x36: 0x40, 0x37: 0x92,
}  # fmt: skip
"""Section 9.3, "Reset"; all other registers that are not reserved are 0 but CollReg (0x0E), whose
low bits are open."""


def test_registers_after_a_reset_are_those_of_the_data_sheet(chip):
    reserved = {0x0F, 0x10, 0x1A, 0x1B, 0x1E, 0x20, 0x23, 0x25, 0x30, 0x3C, 0x3D, 0x3E, 0x3F}
    read = {register: chip.read(register) for register in range(1, 0x40) if register not in reserved}
    assert read.pop(0x0E) & 0xA0 == 0xA0
    assert {register: value for register, value in read.items() if value} == RESET


@pytest.mark.parametrize("register", [0x0F, 0x1A, 0x3F])
def test_a_reserved_register_is_refused_aloud(chip, register):
    with pytest.raises(Unknown, match=f"{register:02X}"):
        chip.read(register)
    with pytest.raises(Unknown, match=f"{register:02X}"):
        chip.write(register, 1)


def crc(chip: Chip, data: bytes) -> bytes:
    chip.write(0x01, 0x00)
    chip.write(0x05, 0x04)
    chip.write(0x0A, 0x80)
    chip.write(0x09, *data)
    chip.write(0x01, 0x03)
    while not chip.read(0x05) & 0x04:
        pass
    return bytes([chip.read(0x22), chip.read(0x21)])


@pytest.mark.parametrize(
    ("mode", "data", "result"),
    [
        (0x3D, "0000", "a01e"),  # ISO/IEC 14443-3, annex B.1
        (0x3D, "1234", "26cf"),  # the same
        (0x3D, "5000", "57cd"),  # HLTA as every sniffer shows it
        (0x3F, "313233343536373839", "916f"),  # CRC-16/MCRF4XX, the catalogue's check value 0x6F91
        (0x3C, "313233343536373839", "8921"),  # CRC-16/KERMIT, 0x2189
    ],
)
def test_the_crc_coprocessor_knows_its_presets(chip, mode, data, result):
    chip.write(0x11, mode)
    assert crc(chip, bytes.fromhex(data)).hex() == result


@pytest.mark.parametrize(
    ("version", "digest"), [(0x91, 0xD982), (0x92, 0x274C), (0x90, 0xC95E), (0x88, 0x818D)]
)
def test_the_self_test_answers_as_each_version_does(version, digest):
    chip = Chip(version)
    chip.write(0x0A, 0x80)
    chip.write(0x09, *[0] * 25)
    chip.write(0x01, 0x01)
    chip.write(0x36, 0x09)
    chip.write(0x09, 0x00)
    chip.write(0x01, 0x03)
    answer = bytes(chip.read(0x09) for _ in range(64))
    assert binascii.crc_hqx(answer, 0xFFFF) == digest
    chip.close()


def test_a_tag_answers_a_driver_that_does_all_that_is_needed(chip):
    chip.put(STICKER)
    assert answers(ready(chip))


@pytest.mark.parametrize(
    ("register", "value"),
    [
        (0x15, 0x00),  # TxASKReg: no 100 % modulation
        (0x12, 0x10),  # TxModeReg: 212 kbit/s
        (0x12, 0x08),  # the modulation turned round
        (0x14, 0x80),  # TxControlReg: no output
        (0x14, 0x03),  # both in phase: across the coil they cancel
        (0x14, 0x8B),  # Tx2CW: a carrier that is never modulated
        (0x16, 0x00),  # TxSelReg: the drivers' input is nothing
        (0x24, 0x05),  # ModWidthReg: pauses too short
        (0x17, 0x04),  # RxSelReg: the receiver listens to nothing
        (0x18, 0xF4),  # RxThresholdReg: deaf, at the least gain
        (0x27, 0x08),  # GsNReg: no current
        (0x28, 0x00),  # CWGsPReg: the same
    ],
)
def test_a_tag_is_silent_where_a_real_one_could_not_answer(chip, register, value):
    chip.put(STICKER)
    ready(chip).write(0x26, 0x00)
    assert answers(chip), "at 18 dB it hears this tag"
    chip.write(register, value)
    assert not answers(chip)


def test_a_receiver_at_another_speed_is_not_known(chip):
    chip.put(STICKER)
    ready(chip).write(0x13, 0x10)
    with pytest.raises(Unknown, match="another speed"):
        answers(chip)


def test_one_output_of_two_is_six_decibels(chip):
    chip.put(STICKER)
    ready(chip).write(0x26, 0x00)
    chip.write(0x14, 0x81)
    assert not answers(chip)
    chip.write(0x26, 0x40)
    assert answers(chip)


def test_without_parity_only_the_short_frames_are_understood(chip):
    chip.put(STICKER)
    ready(chip).write(0x1D, 0x10)
    assert answers(chip)
    assert exchange(chip, b"\x93\x20") == b""


def test_the_wrong_preset_makes_a_crc_that_no_tag_takes(chip):
    """ModeReg is 0x3F after a reset: CRC_A begins at 0x6363, which is 0x3D."""
    chip.put(STICKER)
    ready(chip).write(0x12, 0x80)
    for mode, selected in ((0x3F, b""), (0x3D, b"\x04\xda\x17")):
        chip.write(0x12, 0x00)
        assert answers(chip)
        first = exchange(chip, b"\x93\x20")
        chip.write(0x11, mode)
        chip.write(0x12, 0x80)
        assert exchange(chip, b"\x93\x70" + first) == selected


def test_the_timer_starts_by_itself_after_sending_and_stops_at_the_fifth_bit(chip):
    ready(chip)
    exchange(chip, bytes([REQA]), 7, ms=5)
    assert not chip.read(0x04) & TIMER
    assert chip.read(0x07) & 0x08, "TRunning"
    chip.wait(ms=15)
    assert chip.read(0x04) & TIMER
    assert not chip.read(0x07) & 0x08
    chip.put(STICKER)
    exchange(chip, bytes([REQA]), 7)
    assert chip.read(0x04) & (RX | TIMER) == RX


def test_a_fifo_has_64_bytes_and_tells_of_the_65th(chip):
    chip.write(0x0A, 0x80)
    chip.write(0x09, *range(65))
    assert chip.read(0x0A) == 64
    assert chip.read(0x06) & 0x10, "BufferOvfl"
    assert chip.read(0x07) & 0x02, "HiAlert"
    assert [chip.read(0x09) for _ in range(64)] == list(range(64))
    assert chip.read(0x07) & 0x03 == 0x01, "LoAlert"


def test_writing_to_the_fifo_while_an_answer_is_awaited_is_an_error(chip):
    ready(chip)
    exchange(chip, bytes([REQA]), 7, ms=0.2)
    chip.write(0x09, 1)
    assert chip.read(0x06) & 0x80, "WrErr"


def test_bits_are_set_and_cleared_by_their_first_bit(chip):
    chip.write(0x04, 0x80 | RX)
    assert chip.read(0x04) & RX
    chip.write(0x04, RX)
    assert not chip.read(0x04) & RX


def test_an_unknown_command_becomes_idle_and_says_so(chip):
    chip.write(0x04, 0x7F)
    chip.write(0x01, 0x05)
    assert chip.read(0x01) & 0x0F == 0
    assert chip.read(0x04) & IDLE


def test_the_internal_buffer_gives_back_what_was_put_in(chip):
    chip.write(0x0A, 0x80)
    chip.write(0x09, *range(25))
    chip.write(0x01, 0x01)
    assert chip.read(0x0A) == 0
    chip.write(0x01, 0x01)
    assert [chip.read(0x09) for _ in range(25)] == list(range(25))


def test_asleep_the_field_is_gone_and_settings_stay(chip):
    chip.put(STICKER)
    ready(chip)
    assert chip.field
    chip.write(0x01, 0x10)
    assert not chip.field
    chip.write(0x01, 0x00)
    chip.wait(ms=1)
    assert chip.field
    assert chip.read(0x15) == 0x40


def test_a_tag_needs_five_milliseconds_in_the_field(chip):
    chip.put(STICKER)
    ready(chip)
    chip.write(0x14, 0x80)
    chip.write(0x14, 0x83)
    chip.wait(ms=3)
    assert exchange(chip, bytes([REQA]), 7, ms=1) == b""
    assert answers(chip)
