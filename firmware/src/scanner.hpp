// All pads, swept every few milliseconds.
#pragma once

#include <stdint.h>

#include "pad.hpp"
#include "pins.hpp"

namespace reader {

class Scanner {
 public:
    static constexpr uint8_t period_ms = 3;

    void begin(Reports& reports, uint32_t now);
    void work(uint32_t now);  // sweeps when it is time

    Pad& pad(uint8_t number) { return pads_[number]; }
    const Pad& pad(uint8_t number) const { return pads_[number]; }
    uint8_t health() const { return health_; }  // of the board: health_ok or health_miso_driven
    uint16_t take_longest_us();                 // longest sweep since last asked

 private:
    void sweep(uint32_t now);
    void check_miso();

    Pad pads_[pad_count];
    Reports* reports_ = nullptr;
    uint32_t sweep_at_ = 0;
    uint32_t miso_at_ = 0;
    uint16_t longest_us_ = 0;
    uint8_t turn_ = 0;    // pad whose known tags are verified in this sweep
    uint8_t health_ = health_ok;
};

}  // namespace reader
