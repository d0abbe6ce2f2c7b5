// One pad: which tags lie on it. Arrivals at once; a removal only after several misses and a fresh start of the field.
#pragma once

#include <stdint.h>

#include "iso14443a.hpp"
#include "outbox.hpp"
#include "protocol.hpp"
#include "rc522.hpp"

namespace reader {

// Who is told of what happens on pads.
struct Reports {
    virtual void report(uint8_t what, uint8_t a, uint8_t b, const uint8_t* id, uint8_t id_size) = 0;
};

class Pad {
 public:
    static constexpr uint8_t tags_most = 12;

    Pad() : chip_(0), air_(chip_) {}
    void begin(uint8_t number, Reports& reports);  // the first sweep resets the chip

    // A sweep starts a question on every pad, then collects the answers pad by pad: the questions are on air together. Only when all
    // that is new has been read are the tags that are known already looked after.
    void begin_sweep(uint32_t now);
    void end_sweep();
    void look_after(bool verify_turn);

    uint8_t health() const { return health_; }
    uint8_t version() const { return version_; }
    uint8_t tags() const { return count_; }
    void tag(uint8_t index, Event& into) const;

    void set_gain(uint8_t gain);          // these two take effect at the next sweep
    void set_drive(bool full);
    void test() { test_due_ = true; }     // the chip's digital self-test, at the next sweep; its result is reported
    void set_enabled(bool enabled) { wanted_ = enabled; }
    void set_patience(uint8_t misses) { patience_ = misses; }
    static constexpr uint8_t patience_usual = 16;  // with a sweep every 3 ms, 50 ms and more

 private:
    enum Phase : uint8_t { off, faulty, resetting, field_off, settling, reading };

    struct Tag {
        uint8_t id[id_max];
        uint8_t misses;
        uint8_t size : 6;
        bool parked : 1;  // in HALT: does not answer REQA
        bool twin : 1;    // another known tag answers to the same first level
    };

    void set_range();
    uint8_t self_test() const;
    void start_reset(uint32_t now);
    void finish_reset(uint32_t now);
    bool chip_answers(uint32_t now);
    void fail(uint8_t health, uint32_t now);
    uint8_t diagnosis() const;            // from VersionReg
    void set_health(uint8_t health);
    void judge();                         // health of a pad that reads

    void news();
    bool park(Tag& tag);
    void inventory();
    bool follow(const Level& level, bool awake, bool alone, bool last);
    void found_double(const Level& first, const Level& second, bool parked);
    void found(const uint8_t* id, uint8_t size, bool parked);
    void verify();
    bool confirm_lookalike(const Tag& tag);
    Level level(const Tag& tag, uint8_t number) const;
    void pair_twins(Tag& tag);
    bool restless() const;                // some tag missed, or not yet parked

    Rc522 chip_;
    Iso14443a air_;
    Reports* reports_ = nullptr;
    Tag tags_[tags_most];
    uint32_t until_ = 0;
    uint8_t number_ = 0;
    uint8_t count_ = 0;
    Phase phase_ = off;
    uint8_t health_ = health_restarting;
    uint8_t version_ = 0;
    uint8_t strikes_ = 0;                 // sweeps in a row in which the chip did not behave
    uint8_t unresolved_ = 0;              // sweeps in a row in which tags could not be told apart
    uint8_t patience_ = patience_usual;
    uint8_t gain_ = 5;                    // 38 dB and all of the drive, as NXP's library has it: many modules have coils that are too
    bool full_drive_ = true;              // weak for stickers at the chip's own 33 dB; still more makes ghosts
    bool slow_ = false;                   // the usual clock has failed
    bool test_due_ = false;
    bool range_due_ = false;              // either is to be set
    bool asked_ = false;                  // in this sweep
    bool quiet_ = false;                  // and nobody answered
    bool wanted_ = true;
    bool crowded_ = false;
};

}  // namespace reader
