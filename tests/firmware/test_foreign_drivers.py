"""Drivers that none of us wrote, from the package index, on the simulated chip: if they can use it,
it is more than our firmware's mirror."""

from __future__ import annotations

import importlib

import pytest

from tests.firmware.chip import Unknown, lend

# One of them inverts a truth value, which Python warns of since 3.12.
pytestmark = pytest.mark.filterwarnings("ignore:Bitwise inversion '~' on bool:DeprecationWarning")

SHORT = bytes.fromhex("12345678")
STICKER = bytes.fromhex("04a1b2c3d4e580")


@pytest.fixture
def mfrc522(chip, monkeypatch):
    lend(monkeypatch, chip)
    driver = importlib.import_module("mfrc522").MFRC522()
    chip.wait(ms=6)
    return driver


@pytest.fixture
def pirc522(chip, monkeypatch):
    lend(monkeypatch, chip)
    driver = importlib.import_module("pirc522").RFID(pin_irq=None)
    chip.wait(ms=6)
    return driver


def test_mfrc522_selects_a_tag_with_four_bytes(chip, mfrc522):
    chip.put(SHORT)
    assert mfrc522.MFRC522_Request(mfrc522.PICC_REQIDL) == (mfrc522.MI_OK, 16)
    status, uid = mfrc522.MFRC522_Anticoll()
    assert (status, bytes(uid[:4])) == (mfrc522.MI_OK, SHORT)
    assert mfrc522.MFRC522_SelectTag(uid) == 0x08


def test_mfrc522_finds_nobody_on_an_empty_pad(mfrc522):
    assert mfrc522.MFRC522_Request(mfrc522.PICC_REQIDL)[0] == mfrc522.MI_ERR


def test_mfrc522_asks_for_a_key_which_the_model_refuses_aloud(chip, mfrc522):
    chip.put(SHORT)
    mfrc522.MFRC522_Request(mfrc522.PICC_REQIDL)
    _, uid = mfrc522.MFRC522_Anticoll()
    mfrc522.MFRC522_SelectTag(uid)
    with pytest.raises(Unknown, match="MFAuthent"):
        mfrc522.MFRC522_Auth(mfrc522.PICC_AUTHENT1A, 8, [0xFF] * 6, uid)


def test_pirc522_reads_the_seven_bytes_of_a_sticker(chip, pirc522):
    chip.put(STICKER)
    assert bytes(pirc522.read_id()) == STICKER


def test_pirc522_reads_four_bytes(chip, pirc522):
    chip.put(SHORT)
    assert bytes(pirc522.read_id()) == SHORT


def select(driver) -> bytes:
    """Wake whoever is there and select it, level by level; return its id."""
    error, _ = driver.request()
    assert not error
    error, first = driver.anticoll()
    assert not error
    assert not driver.select_tag(first)
    if first[0] != 0x88:
        return bytes(first[:4])
    error, second = driver.anticoll2()
    assert not error
    driver.act_select = driver.act_anticl2
    assert not driver.select_tag(second)
    driver.act_select = driver.act_anticl
    return bytes(first[1:4] + second[:4])


def test_pirc522_reads_what_a_sticker_remembers(chip, pirc522):
    chip.put(STICKER)
    assert select(pirc522) == STICKER
    error, four_pages = pirc522.read(0)
    assert not error
    check = 0x88 ^ STICKER[0] ^ STICKER[1] ^ STICKER[2]
    assert bytes(four_pages[:4]) == STICKER[:3] + bytes([check])
    assert bytes(four_pages[12:]) == b"\xe1\x10\x12\x00", "NFC Forum type 2, 144 bytes (NTAG213, 8.5.6)"


def test_two_tags_collide(chip, pirc522):
    chip.put(SHORT, bytes.fromhex("92345678"))
    assert not pirc522.request()[0]
    error, _ = pirc522.anticoll()
    assert error
    assert chip.read(0x06) & 0x08, "CollErr"
    assert chip.read(0x0E) & 0x3F == 8, "first byte's last bit, counted from 1"


def test_a_halted_tag_hears_wupa_only(chip, pirc522):
    chip.put(STICKER)
    select(pirc522)
    halt = [pirc522.act_end, 0]
    pirc522.dev_write(0x0D, 0)
    pirc522.card_write(pirc522.mode_transrec, halt + pirc522.calculate_crc(halt))
    chip.wait(ms=20)
    assert pirc522.request(pirc522.act_reqidl)[0]
    chip.wait(ms=20)
    assert not pirc522.request(pirc522.act_reqall)[0]


def test_a_halt_without_its_crc_is_none(chip, pirc522):
    """The driver's own `halt` forgets to send the CRC: the tag falls back to IDLE, hears REQA."""
    chip.put(STICKER)
    select(pirc522)
    pirc522.dev_write(0x0D, 0)
    pirc522.halt()
    chip.wait(ms=20)
    assert not pirc522.request(pirc522.act_reqidl)[0]
