#include "pad.hpp"

#include <string.h>

#include "hal.hpp"

namespace reader {

namespace {

constexpr uint8_t reset_least_ms = 2, reset_most_ms = 60;  // data sheet: the crystal needs a moment after a reset
constexpr uint8_t field_off_ms = 6, field_settle_ms = 6;   // ISO 14443-3, 6.2.3: a tag is ready 5 ms after the field
constexpr uint16_t retry_ms = 250;
constexpr uint8_t strikes_most = 3;
constexpr uint8_t unresolved_most = 5;
constexpr uint8_t misses_after_cycle = 3;

bool reached(uint32_t now, uint32_t when) { return static_cast<int32_t>(now - when) >= 0; }

}  // namespace

void Pad::begin(uint8_t number, Reports& reports, uint32_t now) {
    number_ = number;
    chip_ = Rc522(number);
    reports_ = &reports;
    start_reset(now);
}

void Pad::tag(uint8_t index, Event& into) const {
    memcpy(into.id, tags_[index].id, id_max);
    into.id_size = tags_[index].size;
}

void Pad::set_gain(uint8_t gain) {
    gain_ = gain;
    gain_due_ = true;
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
    } else if (chip_.reset_done() && chip_.set_up(gain_)) {
        chip_.field(true);
        gain_due_ = false;
        phase_ = settling;
        until_ = now + field_settle_ms;
        strikes_ = 0;
        air_.forget_mute();
        for (uint8_t i = 0; i < count_; ++i) {
            tags_[i].parked = false;
        }
    } else if (reached(now, until_ + reset_most_ms)) {
        fail(health == health_unknown_chip ? health : static_cast<uint8_t>(health_mute), now);
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
        if (gain_due_) {
            chip_.set_gain(gain_);
            gain_due_ = false;
        }
        air_.start_request();
        asked_ = true;
    }
}

void Pad::end_sweep(uint32_t now, bool verify_turn) {
    if (!asked_) {
        return;
    }
    const Outcome outcome = air_.finish_request();
    if (outcome == mute) {
        return;  // chip_answers counts it
    }
    if (outcome != silence) {
        news();
        service();
    } else {
        unresolved_ = 0;
        crowded_ = false;
    }
    // An arrival is not made to wait for this; a pile that cannot be told apart answers for ever, and must not hide a removal.
    if ((outcome == silence || unresolved_ != 0) && count_ != 0 && (verify_turn || restless())) {
        verify(now);
    }
    judge();
}

bool Pad::restless() const {
    for (uint8_t i = 0; i < count_; ++i) {
        if (tags_[i].misses != 0) {
            return true;
        }
    }
    return false;
}

// ---- arrivals ----

// Somebody answered REQA: a known tag that is not parked yet, or a new one.
void Pad::news() {
    for (uint8_t i = 0; i < count_; ++i) {
        if (tags_[i].parked) {
            continue;
        }
        if (park(tags_[i])) {
            return;  // the others have their turn in the next sweeps
        }
        // It is not there; a SELECT that finds nobody sends the others to sleep.
        if (air_.request() == silence) {
            return;
        }
    }
    inventory();
}

bool Pad::park(Tag& tag) {
    bool more = false;
    if (!air_.select(1, level(tag, 1), more) || more != (tag.size == 7)) {
        return false;
    }
    if (more && !air_.select(2, level(tag, 2), more)) {
        return false;
    }
    air_.halt();
    tag.parked = true;
    tag.misses = 0;
    return true;
}

// Finds all tags that do not sleep. One alone is confirmed by its last SAK, reported, and parked. Of several, each is
// reported as soon as both its levels have been read with their check bytes, and parked in the sweeps that follow: that
// costs a ten-tag pile 2.7 ms a tag instead of 5.
void Pad::inventory() {
    Walk first;
    air_.walk(1, first);
    bool complete = first.complete && first.count != 0;
    const bool alone = complete && first.count == 1;
    for (uint8_t i = 0; i < first.count; ++i) {
        // SELECT of one sends the others to sleep: from the second on they have been asked to wake.
        const bool awake = i == 0 || air_.finish_request() != silence;
        const bool last = i + 1 == first.count;
        complete = follow(first.found[i], awake, alone, last) && complete;
    }
    unresolved_ = complete ? 0 : unresolved_ == 0xFF ? unresolved_ : static_cast<uint8_t>(unresolved_ + 1);
}

// Follows one first level to the tags behind it; false if something there stayed unclear. Unless this is the last one, the
// others are asked to wake, and while that is on air, what was found is noted.
bool Pad::follow(const Level& level, bool awake, bool alone, bool last) {
    Walk second;
    second.count = 0;
    second.complete = true;
    bool more = false;
    const bool selected = awake && air_.select(1, level, more);
    const bool single_size = selected && !more;
    if (single_size) {
        air_.halt();
    } else if (selected) {
        air_.walk(2, second);
    }
    const bool confirm = alone && second.count == 1 && second.found[0].bytes[0] != cascade_tag;
    const bool confirmed = confirm && air_.select(2, second.found[0], more);
    if (confirmed) {
        air_.halt();
    }
    if (!last) {
        air_.start_request();
    }
    if (!selected || (confirm && !confirmed)) {
        return false;
    }
    if (single_size) {
        found(level.bytes, 4, true);
    }
    bool known_kind = true;
    for (uint8_t k = 0; k < second.count; ++k) {
        uint8_t id[id_max];
        memcpy(id, level.bytes + 1, 3);
        memcpy(id + 3, second.found[k].bytes, 4);
        if (second.found[k].bytes[0] == cascade_tag) {
            known_kind = false;  // a triple-size id: no card tag has one. It stays awake, so that the pad says so
        } else {
            found(id, 7, confirmed);
        }
    }
    return known_kind && second.complete;
}

void Pad::found(const uint8_t* id, uint8_t size, bool parked) {
    for (uint8_t i = 0; i < count_; ++i) {
        if (tags_[i].size == size && memcmp(tags_[i].id, id, size) == 0) {
            tags_[i].parked = parked;
            tags_[i].misses = 0;
            return;
        }
    }
    if (count_ == tags_most) {
        crowded_ = true;
        return;
    }
    Tag& tag = tags_[count_++];
    memset(tag.id, 0, id_max);
    memcpy(tag.id, id, size);
    tag.size = size & 0x3F;
    tag.misses = 0;
    tag.parked = parked;
    pair_twins(tag);
    reports_->report(what_arrived, number_, 0, tag.id, size);
}

// ---- removals ----

Level Pad::level(const Tag& tag, uint8_t number) const {
    Level result;
    if (tag.size == 4) {
        memcpy(result.bytes, tag.id, 4);
    } else if (number == 1) {
        result.bytes[0] = cascade_tag;
        memcpy(result.bytes + 1, tag.id, 3);
    } else {
        memcpy(result.bytes, tag.id + 3, 4);
    }
    return result;
}

// A tag has come: does another answer to the same first level? (When one of them goes, the other keeps the mark: that
// costs a little time and is never wrong.)
void Pad::pair_twins(Tag& tag) {
    const Level mine = level(tag, 1);
    tag.twin = false;
    for (Tag* other = tags_; other != tags_ + count_; ++other) {
        const Level theirs = level(*other, 1);
        if (other != &tag && memcmp(mine.bytes, theirs.bytes, 4) == 0) {
            other->twin = true;
            tag.twin = true;
        }
    }
}

bool Pad::confirm_lookalike(const Tag& tag) {
    bool more = false;
    air_.wake();
    // A SAK that came back garbled still selected the tag.
    air_.select(1, level(tag, 1), more);
    return air_.confirm(2, level(tag, 2));
}

void Pad::verify(uint32_t now) {
    const uint8_t misses_to_leave = static_cast<uint8_t>(patience_ + misses_after_cycle);
    air_.wake();
    for (uint8_t i = 0; i < count_; ++i) {
        if (!tags_[i].twin) {
            tags_[i].misses = air_.confirm(1, level(tags_[i], 1)) ? 0 : static_cast<uint8_t>(tags_[i].misses + 1);
        }
    }
    for (uint8_t i = 0; i < count_; ++i) {
        if (tags_[i].twin) {
            tags_[i].misses = confirm_lookalike(tags_[i]) ? 0 : static_cast<uint8_t>(tags_[i].misses + 1);
        }
    }
    if (air_.chip_mute()) {
        return;  // the chip's fault, not the tags'
    }
    // Sends the tags back to sleep; who answers now is new.
    if (air_.request() != silence) {
        news();
    }
    bool cycle = false;
    for (uint8_t i = count_; i-- > 0;) {
        cycle = cycle || tags_[i].misses == patience_;
        if (tags_[i].misses >= misses_to_leave) {
            const Tag gone = tags_[i];
            memmove(tags_ + i, tags_ + i + 1, static_cast<size_t>(count_ - i - 1) * sizeof(Tag));
            --count_;
            reports_->report(what_left, number_, 0, gone.id, gone.size);
        }
    }
    if (cycle) {
        chip_.field(false);
        phase_ = field_off;
        until_ = now + field_off_ms;
        for (uint8_t i = 0; i < count_; ++i) {
            tags_[i].parked = false;
        }
    }
}

}  // namespace reader
