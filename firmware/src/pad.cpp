#include "pad.hpp"

#include <string.h>

#include "hal.hpp"

namespace reader {

namespace {

constexpr uint8_t reset_least_ms = 2, reset_most_ms = 60;  // data sheet: the crystal needs a moment after a reset
constexpr uint8_t field_settle_ms = 6;   // ISO 14443-3, 6.2.3: a tag is ready 5 ms after the field
constexpr uint16_t retry_ms = 250;
constexpr uint8_t strikes_most = 3;
constexpr uint8_t unresolved_most = 5;

bool reached(uint32_t now, uint32_t when) { return static_cast<int32_t>(now - when) >= 0; }

}  // namespace

void Pad::begin(uint8_t number, Reports& reports) {
    number_ = number;
    chip_ = Rc522(number);
    reports_ = &reports;
}

void Pad::tag(uint8_t index, Event& into) const {
    memcpy(into.id, tags_[index].id, id_max);
    into.id_size = tags_[index].size;
}

void Pad::set_gain(uint8_t gain) {
    gain_ = gain;
    range_due_ = true;
}

void Pad::set_drive(bool full) {
    full_drive_ = full;
    range_due_ = true;
}

void Pad::set_range() {
    chip_.set_gain(gain_);
    chip_.set_drive(full_drive_);
    range_due_ = false;
}

// ---- the chip ----

void Pad::start_reset(uint32_t now) {
    chip_.soft_reset();
    phase_ = resetting;
    until_ = now + reset_least_ms;
}

void Pad::finish_reset(uint32_t now) {
    version_ = chip_.version();
    const uint8_t health = diagnosis();
    if (health == health_absent || health == health_stuck_low) {
        fail(health, now);
    } else if (!slow_ && (version_ == 0x82 || !chip_.wires_sound())) {
        slow_ = true;  // with long leads, and with this clone, the slower clock is the one that can be trusted
        chip_.set_slow(true);
        start_reset(now);
    } else if (test_due_ && chip_.reset_done()) {
        test_due_ = false;
        reports_->report(what_self_test, number_, self_test(), &version_, 1);
        start_reset(now);
    } else if (chip_.reset_done() && chip_.set_up()) {
        set_range();
        chip_.field(true);
        chip_.remember_settings();
        phase_ = settling;
        until_ = now + field_settle_ms;
        strikes_ = 0;
        for (uint8_t i = 0; i < count_; ++i) {
            tags_[i].parked = false;
        }
    } else if (reached(now, until_ + reset_most_ms)) {
        fail(health == health_unknown_chip ? health : static_cast<uint8_t>(health_mute), now);
    }
}

// CRC-16 (frame.hpp) of the 64 bytes that data sheet 16.1.1 gives for versions 1.0 and 2.0, and of those that version 0.0 and
// Fudan's FM17522 are known to answer.
uint8_t Pad::self_test() const {
    const uint16_t answer = chip_.self_test();
    switch (version_) {
        case 0x91: return answer == 0xD982 ? self_test_right : self_test_wrong;
        case 0x92: return answer == 0x274C ? self_test_right : self_test_wrong;
        case 0x90: return answer == 0xC95E ? self_test_right : self_test_wrong;
        case 0x88: return answer == 0x818D ? self_test_right : self_test_wrong;
        default: return self_test_unknown;
    }
}

uint8_t Pad::diagnosis() const {
    switch (version_) {
        case 0x91: case 0x92: return health_ok;
        case 0x12: case 0x82: case 0x88: case 0x89: case 0x90: case 0xB2: return health_clone;
        case 0xFF: return health_absent;
        case 0x00: return health_stuck_low;
        default: return health_unknown_chip;
    }
}

void Pad::fail(uint8_t health, uint32_t now) {
    set_health(health);
    phase_ = faulty;
    until_ = now + retry_ms;
}

void Pad::set_health(uint8_t health) {
    if (health != health_) {
        health_ = health;
        reports_->report(what_fault, number_, health, &version_, 1);
    }
}

void Pad::judge() {
    const uint8_t chip = diagnosis();
    if (crowded_) {
        set_health(health_crowded);
    } else if (unresolved_ >= unresolved_most) {
        set_health(health_unresolved);
    } else {
        set_health(chip);
    }
}

// Is the chip there, with its settings? One bad sweep is noise; after three it is said, and the chip is set up anew.
bool Pad::chip_answers(uint32_t now) {
    const uint8_t version = chip_.version();
    const bool there = version == version_ && chip_.settings_kept();
    const bool was_mute = air_.chip_mute();
    air_.forget_mute();
    if (there && !was_mute) {
        strikes_ = 0;
        return true;
    }
    if (++strikes_ < strikes_most) {
        return there;
    }
    version_ = version;
    const uint8_t health = diagnosis();
    if (health == health_absent || health == health_stuck_low) {
        fail(health, now);
    } else {
        fail(there ? static_cast<uint8_t>(health_mute) : static_cast<uint8_t>(health_restarting), now);
        until_ = there ? until_ : now;
    }
    return false;
}

// ---- a sweep ----

void Pad::begin_sweep(uint32_t now) {
    asked_ = false;
    if (wanted_ != (phase_ != off)) {
        if (wanted_) {
            start_reset(now);
        } else {
            chip_.field(false);
            set_health(health_off);
            phase_ = off;
        }
        return;
    }
    if (phase_ == off || (phase_ != reading && !reached(now, until_))) {
        return;
    }
    switch (phase_) {
        case faulty: start_reset(now); return;
        case resetting: finish_reset(now); return;
        case field_off:
            chip_.field(true);
            phase_ = settling;
            until_ = now + field_settle_ms;
            return;
        case settling: phase_ = reading; break;
        default: break;
    }
    if (chip_answers(now)) {
        if (test_due_) {
            start_reset(now);
            return;
        }
        if (range_due_) {
            set_range();
            chip_.remember_settings();
        }
        air_.start_request();
        asked_ = true;
    }
}

void Pad::end_sweep() {
    if (!asked_) {
        return;
    }
    const Outcome outcome = air_.finish_request();
    asked_ = outcome != mute;  // chip_answers counts it
    const bool again = quiet_;
    quiet_ = outcome == silence;
    if (!asked_) {
        return;
    }
    if (quiet_) {
        // A tag that could not be read is READY still: this REQA sends it back to sleep, and the next one is answered.
        unresolved_ = again ? 0 : unresolved_;
        crowded_ = crowded_ && !again;
    } else {
        news();
        service();
    }
}

void Pad::look_after(bool verify_turn) {
    if (!asked_) {
        return;
    }
    // An arrival is not made to wait for this; a pile that cannot be told apart, or kept, answers for ever, and must not hide a
    // removal.
    if ((quiet_ || crowded_ || unresolved_ != 0) && count_ != 0 && (verify_turn || restless())) {
        verify();
    }
    judge();
}

}  // namespace reader
