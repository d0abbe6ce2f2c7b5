"""Devices that see cards and button presses: cameras, RFID boards, NFC readers. They know no
rules."""
