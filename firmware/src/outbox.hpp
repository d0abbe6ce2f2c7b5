// Events that the host has not acknowledged yet, in order.
#pragma once

#include <stdint.h>

#include "protocol.hpp"

namespace reader {

// One thing that happened; the meaning of `a` and `b` goes with `what` (PROTOCOL.md, "Events").
struct Event {
    uint32_t ms;  // the board's clock, milliseconds since its start, wraps after 49.7 days
    uint8_t what;
    uint8_t a;
    uint8_t b;
    uint8_t id_size;
    uint8_t id[id_max];
};

// A ring of events with consecutive sequence numbers (16 bits, wrapping).
template <uint8_t capacity>
class Outbox {
 public:
    uint8_t size() const { return size_; }
    uint8_t room() const { return static_cast<uint8_t>(capacity - size_); }
    uint16_t first() const { return first_; }  // number of the oldest event kept
    uint16_t next() const { return static_cast<uint16_t>(first_ + size_); }  // number the next event will have

    const Event& at(uint8_t offset) const { return ring_[static_cast<uint8_t>((head_ + offset) % capacity)]; }

    // The caller has asked for room() first.
    __attribute__((noinline)) void add(const Event& event) {
        ring_[static_cast<uint8_t>((head_ + size_) % capacity)] = event;
        ++size_;
    }

    // Forgets all events up to number `last`; false if `last` is not the number of one kept, nor the one before.
    bool acknowledge(uint16_t last) {
        const uint16_t count = static_cast<uint16_t>(last - first_ + 1);
        if (count > size_) {
            return false;
        }
        head_ = static_cast<uint8_t>((head_ + count) % capacity);
        size_ = static_cast<uint8_t>(size_ - count);
        first_ = static_cast<uint16_t>(first_ + count);
        return true;
    }

    // Drops everything; the numbers dropped are not used again. Returns how many events went.
    uint8_t drop() {
        const uint8_t dropped = size_;
        acknowledge(static_cast<uint16_t>(next() - 1));
        return dropped;
    }

 private:
    Event ring_[capacity];
    uint8_t head_ = 0;
    uint8_t size_ = 0;
    uint16_t first_ = 1;
};

}  // namespace reader
