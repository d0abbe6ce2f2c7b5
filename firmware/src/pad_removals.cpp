// Removals from a pad: known tags are asked for in turn, and one that misses too often, also after a fresh start of the field, has left.
#include <string.h>

#include "hal.hpp"
#include "pad.hpp"

namespace reader {

namespace {

constexpr uint8_t field_off_ms = 6;
constexpr uint8_t misses_after_cycle = 3;

}  // namespace

bool Pad::restless() const {
    for (uint8_t i = 0; i < count_; ++i) {
        if (tags_[i].misses != 0) {
            return true;
        }
    }
    return false;
}

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
    // The question before may have left it READY, where WUPA would send it to sleep: REQA does so first, to all.
    air_.request();
    air_.wake();
    // A SAK that came back garbled still selected the tag.
    air_.select(1, level(tag, 1), more);
    return air_.confirm(2, level(tag, 2));
}

void Pad::verify() {
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
        quiet_ = false;
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
        until_ = hal::millis() + field_off_ms;  // the sweep has taken a while since it began
        for (uint8_t i = 0; i < count_; ++i) {
            tags_[i].parked = false;
        }
    }
}

}  // namespace reader
