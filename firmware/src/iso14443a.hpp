// Telling tags apart: ISO/IEC 14443-3 type A at 106 kbit/s, on top of one RC522.
//
// Tags are IDLE, READY (answering to anticollision), ACTIVE or HALTed. Three facts carry the design of pad.cpp:
// - a tag that was found and put to HALT does not answer REQA, so REQA asks "is anything new here?";
// - ANTICOLLISION with a prefix that is not a tag's own leaves that tag READY, so one WUPA lets all known tags be asked
//   one after another; SELECT of another tag sends it back to sleep;
// - a frame that makes no sense in READY sends the tag back to where it was (IDLE or HALT) without an answer.
#pragma once

#include <stdint.h>

#include "rc522.hpp"

namespace reader {

constexpr uint8_t cascade_tag = 0x88;  // first byte of a level that is not the last (ISO 14443-3, 6.5.4)

// The four bytes of one cascade level.
struct Level {
    uint8_t bytes[4];
};

// Levels found by a walk through the tree of ids.
struct Walk {
    static constexpr uint8_t most = 12;
    Level found[most];
    uint8_t count;
    bool complete;  // false: some tags could not be told apart, or there were more than `most`
};

class Iso14443a {
 public:
    explicit Iso14443a(Rc522& chip) : chip_(chip) {}

    void start_request();            // REQA: whoever is IDLE, be READY; finish with finish_request()
    Outcome finish_request();
    Outcome request() {
        start_request();
        return finish_request();
    }
    Outcome wake();                  // WUPA: whoever is IDLE or HALTed, be READY

    // Finds all READY tags at cascade level 1 or 2. They stay READY.
    void walk(uint8_t level, Walk& into);
    // Is a tag READY whose level is this one? Anything but silence means yes.
    bool confirm(uint8_t level, const Level& bytes);
    // Selects; true if the tag answered with a whole SAK. `more` tells whether its id goes on at the next level.
    bool select(uint8_t level, const Level& bytes, bool& more);
    void halt();                     // the ACTIVE tag sleeps until WUPA

    bool chip_mute() const { return mute_; }
    void forget_mute() { mute_ = false; }

 private:
    Outcome anticollision(uint8_t level, Level& bytes, uint8_t known, uint8_t& collided);
    Outcome note(Outcome outcome) {
        mute_ = mute_ || outcome == mute;
        return outcome;
    }

    Rc522& chip_;
    bool mute_ = false;
};

}  // namespace reader
