#include "iso14443a.hpp"

#pragma GCC optimize("O2")  // see rc522.cpp

namespace reader {

namespace {

constexpr uint8_t command_reqa = 0x26, command_wupa = 0x52, command_halt = 0x50;
constexpr uint8_t sak_cascade = 0x04;
constexpr uint8_t tries = 3;

uint8_t level_command(uint8_t level) { return static_cast<uint8_t>(0x91 + 2 * level); }  // 0x93, 0x95

uint8_t check_byte(const Level& level) {
    return static_cast<uint8_t>(level.bytes[0] ^ level.bytes[1] ^ level.bytes[2] ^ level.bytes[3]);
}

void set_bit(Level& level, uint8_t bit, bool one) {
    const uint8_t mask = static_cast<uint8_t>(1 << (bit & 7));
    level.bytes[bit >> 3] = static_cast<uint8_t>(one ? level.bytes[bit >> 3] | mask : level.bytes[bit >> 3] & ~mask);
}

// ISO 14443-3, annex B.
uint16_t crc_a(const uint8_t* bytes, uint8_t count) {
    uint16_t crc = 0x6363;
    for (uint8_t i = 0; i < count; ++i) {
        uint8_t byte = static_cast<uint8_t>(bytes[i] ^ crc);
        byte = static_cast<uint8_t>(byte ^ (byte << 4));
        crc = static_cast<uint16_t>((crc >> 8) ^ (byte << 8) ^ (byte << 3) ^ (byte >> 4));
    }
    return crc;
}

void add_crc(uint8_t* frame, uint8_t size) {
    const uint16_t crc = crc_a(frame, size);
    frame[size] = static_cast<uint8_t>(crc);
    frame[size + 1] = static_cast<uint8_t>(crc >> 8);
}

}  // namespace

void Iso14443a::start_request() {
    const uint8_t frame[] = {command_reqa};
    chip_.start({frame, 1, 7, 0, 2});
}

Outcome Iso14443a::finish_request() { return note(chip_.finish()); }

Outcome Iso14443a::wake() {
    const uint8_t frame[] = {command_wupa};
    return note(chip_.exchange({frame, 1, 7, 0, 2}));
}

// Asks all READY tags whose first `known` bits are these for the rest. On `answer`, `bytes` is complete and its check byte
// right; on `collision`, `bytes` is right before bit `collided`, where tags differ.
Outcome Iso14443a::anticollision(uint8_t level, Level& bytes, uint8_t known, uint8_t& collided) {
    const uint8_t whole = known >> 3, part = known & 7;
    uint8_t frame[6] = {level_command(level), static_cast<uint8_t>(((whole + 2) << 4) | part)};
    for (uint8_t i = 0; i < 4; ++i) {
        frame[2 + i] = bytes.bytes[i];
    }
    const uint8_t size = static_cast<uint8_t>(2 + whole + (part != 0 ? 1 : 0));
    const uint8_t expected = static_cast<uint8_t>(5 - whole);
    const Outcome outcome = note(chip_.exchange({frame, size, part, part, expected}));
    if (outcome != answer && outcome != collision) {
        return outcome;
    }
    const Reply& reply = chip_.reply();
    uint8_t check = 0;
    for (uint8_t i = 0; i < reply.size; ++i) {
        uint8_t value = reply.data[i];
        if (whole + i == 4) {
            check = value;
            continue;
        }
        if (i == 0) {
            // RxAlign leaves out the bits that we asked with: they are put back here.
            const uint8_t mine = static_cast<uint8_t>((1 << part) - 1);
            value = static_cast<uint8_t>((value & ~mine) | (bytes.bytes[whole] & mine));
        }
        bytes.bytes[whole + i] = value;
    }
    if (outcome == answer) {
        return reply.size == expected && check == check_byte(bytes) ? answer : garbled;
    }
    collided = static_cast<uint8_t>(whole * 8 + reply.collision);
    return collided < known || collided > 31 ? garbled : collision;
}

void Iso14443a::walk(uint8_t level, Walk& into) {
    struct Branch {
        Level bytes;
        uint8_t known;
    };
    // A collision turns one branch into two; there are never more open than tags.
    Branch open[Walk::most + 1];
    uint8_t waiting = 1;
    open[0].bytes = {{0, 0, 0, 0}};
    open[0].known = 0;
    into.count = 0;
    into.complete = true;
    while (waiting != 0) {
        const Branch branch = open[--waiting];
        Outcome outcome = silence;
        Level bytes = branch.bytes;
        uint8_t collided = 0;
        for (uint8_t i = 0; i < tries; ++i) {
            bytes = branch.bytes;
            outcome = anticollision(level, bytes, branch.known, collided);
            if (outcome == answer || outcome == collision || outcome == mute) {
                break;
            }
        }
        if (outcome == answer && into.count < Walk::most) {
            into.found[into.count++] = bytes;
        } else if (outcome == collision && waiting + 2 <= Walk::most + 1) {
            set_bit(bytes, collided, false);
            open[waiting++] = {bytes, static_cast<uint8_t>(collided + 1)};
            set_bit(bytes, collided, true);
            open[waiting++] = {bytes, static_cast<uint8_t>(collided + 1)};
        } else {
            into.complete = false;
        }
    }
}

bool Iso14443a::confirm(uint8_t level, const Level& bytes) {
    Level copy = bytes;
    uint8_t collided = 0;
    const Outcome outcome = anticollision(level, copy, 32, collided);
    return outcome != silence && outcome != mute;
}

bool Iso14443a::select(uint8_t level, const Level& bytes, bool& more) {
    uint8_t frame[9] = {level_command(level), 0x70};
    for (uint8_t i = 0; i < 4; ++i) {
        frame[2 + i] = bytes.bytes[i];
    }
    frame[6] = check_byte(bytes);
    add_crc(frame, 7);
    const Outcome outcome = note(chip_.exchange({frame, sizeof frame, 0, 0, 3}));
    const Reply& reply = chip_.reply();
    const uint16_t crc = crc_a(reply.data, 1);
    if (outcome != answer || reply.size != 3 || reply.data[1] != (crc & 0xFF) || reply.data[2] != crc >> 8) {
        return false;
    }
    more = (reply.data[0] & sak_cascade) != 0;
    return true;
}

void Iso14443a::halt() {
    uint8_t frame[4] = {command_halt, 0};
    add_crc(frame, 2);
    note(chip_.exchange({frame, sizeof frame, 0, 0, 0}));  // silence is the answer (ISO 14443-3, 6.4.3)
}

}  // namespace reader
