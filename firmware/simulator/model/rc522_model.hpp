// An RC522 at register level, with the tags in its field: FIFO, interrupt flags, timer, CRC, bit collisions and air time.
//
// Nothing runs by itself: an exchange is worked out when it starts, with the moments at which its flags will rise, and each
// access to a register first lets happen what has become due. Time is nanoseconds of the simulated clock.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tag.hpp"

namespace model {

using Nanoseconds = uint64_t;

class Rc522Model {
 public:
    explicit Rc522Model(uint32_t seed) : chance_(seed) { power_on(0); }

    // SPI. While not selected (or dead) the chip leaves its MISO line alone; `drives` says whether it holds it.
    void select(bool low, Nanoseconds now);
    bool selected() const { return selected_; }
    uint8_t exchange(uint8_t mosi, Nanoseconds now);
    bool drives() const { return selected_ && !dead_ && !held_; }
    void reset_wire(bool held, Nanoseconds now);

    // The table.
    void put(const Bytes& id, Nanoseconds now);
    bool take(const Bytes& id);
    void take_all() { tags_.clear(); }
    std::size_t lying() const { return tags_.size(); }
    bool field() const { return field_; }

    // Faults.
    void set_dead(bool dead, Nanoseconds now);
    void set_version(uint8_t version) { version_ = version; }
    // Decibels of gain and drive, above the least that the chip can have, below which the coil hears no tag.
    void set_weakness(unsigned decibels) { weakness_ = decibels; }
    void set_counterfeit(bool is) { counterfeit_ = is; }  // says it is NXP's chip, but its self-test does not
    void set_mute(bool mute) { mute_ = mute; }
    void brown_out(Nanoseconds now) { power_on(now); }
    // Of 100 replies so many come back with bits flipped, and of those so many not at all.
    void set_noise(unsigned percent, unsigned vanish_percent) { noise_ = percent; vanish_ = vanish_percent; }

    // For measurements: told of each exchange when it starts: its first byte, when it begins and when it is over.
    std::function<void(uint8_t, Nanoseconds, Nanoseconds)> on_air;

 private:
    struct Placed {
        Tag tag;
        Nanoseconds ready_at;  // has drawn enough power
        bool powered;
    };

    void power_on(Nanoseconds now);
    void catch_up(Nanoseconds now);
    uint8_t read(uint8_t reg, Nanoseconds now);
    void write(uint8_t reg, uint8_t value, Nanoseconds now);
    void set_field(bool on, Nanoseconds now);
    bool in_reach() const;
    void transceive(Nanoseconds now);
    void self_test(Nanoseconds now);
    void receive(std::vector<Bits>& replies);
    void disturb(Bits& reply);

    std::mt19937 chance_;
    std::vector<Placed> tags_;
    uint8_t regs_[64] = {};
    std::vector<uint8_t> fifo_;
    uint8_t version_ = 0x92;

    bool selected_ = false, first_byte_ = true, held_ = false, dead_ = false, mute_ = false, counterfeit_ = false, field_ = false;
    uint8_t address_ = 0;
    Nanoseconds reset_until_ = 0;

    // The exchange under way.
    bool pending_tx_ = false, pending_rx_ = false, pending_timer_ = false;
    Nanoseconds requested_at_ = 0;  // when the last REQA or WUPA began
    Nanoseconds tx_end_ = 0, rx_end_ = 0, timer_end_ = 0;
    std::vector<uint8_t> rx_fifo_;
    uint8_t rx_error_ = 0, rx_coll_ = 0x20, rx_last_bits_ = 0;
    bool noisy_ = false;   // the reply being heard has wrong parity somewhere
    unsigned noise_ = 0, vanish_ = 0, weakness_ = 0;
};

}  // namespace model
