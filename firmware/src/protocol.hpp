// Numbers of the wire protocol. PROTOCOL.md says what they mean; firmware/vectors.json holds both sides to them.
#pragma once

#include <stdint.h>

namespace reader {

constexpr uint8_t protocol_major = 1;
constexpr uint8_t protocol_minor = 0;
constexpr uint8_t firmware_version[3] = {1, 0, 0};

constexpr uint8_t whole_board = 0xFF;  // in place of a pad number
constexpr uint8_t id_max = 7;          // bytes of a double-size id (ISO 14443-3, 6.5.4)

enum Kind : uint8_t {
    kind_hello = 0x01,
    kind_ready = 0x02,
    kind_event = 0x03,
    kind_beat = 0x04,
    kind_done = 0x05,
    kind_ask = 0x41,
    kind_resume = 0x42,
    kind_ack = 0x43,
    kind_command = 0x44,
};

enum What : uint8_t {
    what_arrived = 1,
    what_left = 2,
    what_button = 3,
    what_fault = 4,
    what_snapshot_begin = 5,
    what_snapshot_buttons = 6,
    what_snapshot_pad = 7,
    what_snapshot_tag = 8,
    what_snapshot_end = 9,
    what_self_test = 10,
};

// Why a snapshot is sent. `fresh` and `overflow` may jump over sequence numbers, `asked` may not.
enum SnapshotReason : uint8_t { snapshot_fresh = 1, snapshot_overflow = 2, snapshot_asked = 3 };

// State of a pad, or of the whole board, in HELLO, FAULT and SNAPSHOT_PAD.
enum Health : uint8_t {
    health_ok = 0,
    health_clone = 1,         // works, but says it is not NXP's chip
    health_absent = 2,        // nobody answers: not there, no power, or its chip select is not connected
    health_stuck_low = 3,     // every bit reads 0: its MISO line is held down
    health_unknown_chip = 4,  // something answers that is no known version
    health_mute = 5,          // answers, but commands do not end: crystal or supply
    health_restarting = 6,    // lost its settings (a dip in the supply) and is being set up again
    health_off = 7,           // switched off by the scan policy
    health_unresolved = 8,    // tags are there that could not be told apart: how many is not known
    health_crowded = 9,       // more tags than the board can keep
    health_miso_driven = 10,  // whole board: someone drives MISO though nobody is selected
};

enum Op : uint8_t { op_light = 1, op_buzz = 2, op_gain = 3, op_scan = 4, op_snapshot = 5, op_drive = 6, op_self_test = 7 };
// What became of a chip's digital self-test; what a clone should answer is known to nobody.
enum SelfTest : uint8_t { self_test_right = 0, self_test_wrong = 1, self_test_unknown = 2 };
enum Result : uint8_t { result_ok = 0, result_unknown_op = 1, result_bad_argument = 2 };

enum Capability : uint16_t {
    capability_colour = 1,    // lights have colours
    capability_tone = 2,      // the buzzer plays tones
    capability_gain = 4,      // the gain of each pad can be set
    capability_several = 8,   // several tags a pad
    capability_drive = 16,    // the drive of each pad's antenna can be set
};

enum ResetCause : uint8_t {
    cause_unknown = 0,
    cause_power = 1,
    cause_pin = 2,       // the reset key, or a port opened with DTR
    cause_brown_out = 3,
    cause_watchdog = 4,
};

}  // namespace reader
