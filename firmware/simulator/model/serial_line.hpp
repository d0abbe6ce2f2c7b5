// One direction of a serial line (8N1): what a receiver at one speed makes of bytes that were sent at another.
//
// The line is kept as the moments at which its level changes. A receiver waits for a falling edge, then looks at the middle of each bit.
#pragma once

#include <cstdint>
#include <deque>

#include "rc522.hpp"

namespace model {

class SerialLine {
 public:
    struct Heard {
        uint8_t byte;
        bool framed;  // the stop bit was high
    };

    // The sender's bits last `bit`; a byte begins at `when`, or when the one before it is through.
    void send(uint8_t byte, Nanoseconds when, Nanoseconds bit);
    // When a receiver whose bits last `bit` has heard its next byte; 0: nothing is on the line.
    Nanoseconds due(Nanoseconds bit) const;
    // That byte.
    Heard hear(Nanoseconds bit);
    // The receiver was switched off until now: what was sent before is gone.
    void miss(Nanoseconds until);
    void clear() { falls_and_rises_.clear(); }

 private:
    bool level(Nanoseconds when) const;  // true: high, which is also a line at rest

    std::deque<Nanoseconds> falls_and_rises_;  // a fall first, then in turn
    Nanoseconds free_at_ = 0;
};

}  // namespace model
