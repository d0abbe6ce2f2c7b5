// An MFRC522 as its data sheet (rev. 3.9) has it, with the coil and the tags in its field. It knows nothing of our firmware:
// drivers that others wrote run on it too (tests/firmware/test_foreign_drivers.py).
//
// Nothing runs by itself. What an access starts is worked out at once, with the moments at which its flags will rise, and
// each later access first lets happen what has become due. Time is nanoseconds of the simulated clock.
//
// Three things are guesses, since the data sheet gives no figure: what drive and receiver settings are worth in decibels
// (`reach`), how long the CRC coprocessor takes for a byte, and how long the crystal needs. What the model does not know
// (MFAuthent, other speeds on the receiving side, test signals, ...) it refuses with `NotModelled`: no test passes over it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tag.hpp"

namespace model {

using Nanoseconds = uint64_t;

struct NotModelled : std::runtime_error {
    explicit NotModelled(const std::string& what) : std::runtime_error("the RC522 model does not know " + what) {}
};

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
    bool field() const { return field_; }

    // Faults.
    void set_dead(bool dead, Nanoseconds now);
    void set_version(uint8_t version) { version_ = version; }
    // Decibels of gain and drive, above the least that the chip can have, below which the coil hears no tag.
    void set_weakness(unsigned decibels) { weakness_ = static_cast<int>(decibels); }
    void set_counterfeit(bool is) { counterfeit_ = is; }  // says it is NXP's chip, but its self-test does not
    void set_mute(bool mute) { mute_ = mute; }
    void set_start_up(Nanoseconds needs) { start_up_ = needs; }  // of its crystal, from the next reset on
    void brown_out(Nanoseconds now) { power_on(now); }
    void change_register(uint8_t reg, uint8_t value, Nanoseconds now);
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
    // What the receiver will have heard when it is through.
    struct Heard {
        Bytes bytes;
        uint8_t error = 0, collision = 0x20, last_bits = 0;
    };

    // Registers.
    void power_on(Nanoseconds now);
    void catch_up(Nanoseconds now);
    uint8_t read(uint8_t reg, Nanoseconds now);
    void write(uint8_t reg, uint8_t value, Nanoseconds now);
    uint8_t status1() const;
    uint8_t status2(Nanoseconds now) const;
    uint16_t count_down(Nanoseconds now) const;
    void raise(uint8_t com_irq);
    void fail(uint8_t error);
    void level_alerts();
    bool asleep(Nanoseconds now) const;

    // Commands.
    void begin(uint8_t command, Nanoseconds now);
    void become_idle();
    void remember_or_recall();
    void feed_crc(Nanoseconds now);
    void self_test();
    void send(Nanoseconds now, bool listens);

    // The air.
    void set_field(Nanoseconds now);
    int drive() const;
    int reach() const;
    bool modulates() const;
    std::vector<Bits> ask(const Bytes& frame, std::size_t bits, Nanoseconds now);
    void hear(std::vector<Bits>& replies, Nanoseconds begins);
    bool disturb(Bits& reply);
    void start_timer(Nanoseconds now);

    std::mt19937 chance_;
    std::vector<Placed> tags_;
    uint8_t regs_[64] = {};
    Bytes fifo_;
    Bytes buffer_ = Bytes(25, 0xA5);  // the internal buffer of Mem: anything at first, and a reset leaves it alone
    uint8_t version_ = 0x92;

    bool selected_ = false, first_byte_ = true, held_ = false, dead_ = false, mute_ = false, counterfeit_ = false, field_ = false;
    uint8_t address_ = 0;
    Nanoseconds reset_until_ = 0, start_up_ = 400000;

    // What is under way.
    bool sending_ = false, awaiting_ = false, receiving_ = false, timing_ = false, reckoning_ = false;
    Nanoseconds requested_at_ = 0;  // when the last REQA or WUPA began
    Nanoseconds tx_end_ = 0, rx_begin_ = 0, rx_end_ = 0, timer_start_ = 0, timer_end_ = 0, crc_end_ = 0;
    Nanoseconds timer_stop_ = 0;  // the fifth bit of a reply stops it; 0: nothing will
    uint16_t crc_ = 0;
    Heard heard_;
    unsigned noise_ = 0, vanish_ = 0;
    int weakness_ = 0;
};

}  // namespace model
