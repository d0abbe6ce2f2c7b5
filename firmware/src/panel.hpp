// Keys, lights and the buzzer: what people touch, see and hear.
#pragma once

#include <stdint.h>

#include "hal.hpp"
#include "pins.hpp"

namespace reader {

// A key changes when eight samples in a row, one every two milliseconds, agree.
class Debouncer {
 public:
    void sample(uint8_t down);
    uint8_t held() const { return held_; }

 private:
    uint8_t held_ = 0;
    uint8_t count_[3] = {0, 0, 0};  // a three-bit counter for each key, bit by bit
};

enum LightState : uint8_t {
    light_off, light_accepted, light_unknown, light_look, light_turn, light_hurry, light_white, light_states
};

class Lights {
 public:
    bool set(uint8_t pad, uint8_t state);      // pad may be whole_board; false: no such pad or state
    void card_gone(uint8_t pad);               // accepted and unknown go out with the last card
    void begin();
    // Draws when something changed. Nobody listening: all breathe amber. A dead pad blinks red.
    void work(uint32_t now, bool host_present, uint16_t dead_pads);

 private:
    hal::Colour colour(uint8_t pad, uint32_t now, bool host_present, bool dead) const;

    uint8_t state_[pad_count] = {};
    hal::Colour shown_[pad_count] = {};
    uint32_t drawn_at_ = 0;
};

class Buzzer {
 public:
    bool play(uint8_t tune, uint32_t now);     // false: no such tune
    void work(uint32_t now);

 private:
    uint8_t tune_ = 0;
    uint8_t step_ = 0;
    uint32_t until_ = 0;
};

}  // namespace reader
