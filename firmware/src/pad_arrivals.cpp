// Arrivals on a pad: who answered REQA is told apart, reported, and put to sleep.
#include <string.h>

#include "hal.hpp"
#include "pad.hpp"

namespace reader {

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
    bool complete = first.complete;
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
    // Who cannot be kept stays awake, so that the pad says so as long as it lies there, and reads it when there is room.
    const bool room = count_ != tags_most;
    if (single_size) {
        if (room) {
            air_.halt();
        }
    } else if (selected) {
        air_.walk(2, second);
    }
    const bool confirm = alone && second.count == 1 && second.found[0].bytes[0] != cascade_tag;
    const bool confirmed = confirm && air_.select(2, second.found[0], more);
    if (confirmed) {
        found_double(level, second.found[0], room);
        service();  // its event goes over the line while the tag is put to sleep
        if (room) {
            air_.halt();
        }
        return second.complete;
    }
    if (!last) {
        air_.start_request();
    }
    if (!selected || (confirm && !confirmed)) {
        return false;
    }
    if (single_size) {
        found(level.bytes, 4, room);
    }
    bool known_kind = true;
    for (uint8_t k = 0; k < second.count; ++k) {
        if (second.found[k].bytes[0] == cascade_tag) {
            known_kind = false;  // a triple-size id: no card tag has one. It stays awake, so that the pad says so
        } else {
            found_double(level, second.found[k], false);
        }
    }
    return known_kind && second.complete;
}

// A tag with a double-size id: three bytes of its first level, four of its second.
void Pad::found_double(const Level& first, const Level& second, bool parked) {
    uint8_t id[id_max];
    memcpy(id, first.bytes + 1, 3);
    memcpy(id + 3, second.bytes, 4);
    found(id, id_max, parked);
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
    memcpy(tag.id, id, size);
    tag.size = size & 0x3F;
    tag.misses = 0;
    tag.parked = parked;
    pair_twins(tag);
    reports_->report(what_arrived, number_, 0, tag.id, size);
}

}  // namespace reader
