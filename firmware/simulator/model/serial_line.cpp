#include "serial_line.hpp"

#include <algorithm>

namespace model {

void SerialLine::send(uint8_t byte, Nanoseconds when, Nanoseconds bit) {
    Nanoseconds at = std::max(when, free_at_);
    bool high = true;
    const unsigned frame = 1U << 9 | static_cast<unsigned>(byte) << 1;  // start bit 0, eight bits, stop bit 1
    for (unsigned i = 0; i < 10; ++i, at += bit) {
        const bool now_high = (frame >> i & 1) != 0;
        if (now_high != high) {
            falls_and_rises_.push_back(at);
            high = now_high;
        }
    }
    free_at_ = at;
}

Nanoseconds SerialLine::due(Nanoseconds bit) const {
    return falls_and_rises_.empty() ? 0 : falls_and_rises_.front() + bit * 19 / 2;
}

SerialLine::Heard SerialLine::hear(Nanoseconds bit) {
    const Nanoseconds from = falls_and_rises_.front();
    Heard heard = {0, level(from + bit * 19 / 2)};
    for (unsigned i = 0; i < 8; ++i) {
        heard.byte = static_cast<uint8_t>(heard.byte | (level(from + bit * (2 * i + 3) / 2) ? 1 << i : 0));
    }
    miss(from + bit * 19 / 2);
    return heard;
}

void SerialLine::miss(Nanoseconds until) {
    while (falls_and_rises_.size() >= 2 && falls_and_rises_.front() <= until) {
        falls_and_rises_.erase(falls_and_rises_.begin(), falls_and_rises_.begin() + 2);
    }
}

bool SerialLine::level(Nanoseconds when) const {
    const auto after = std::upper_bound(falls_and_rises_.begin(), falls_and_rises_.end(), when);
    return (after - falls_and_rises_.begin()) % 2 == 0;
}

}  // namespace model
