// A tag as a reader hears it: ISO/IEC 14443-3 type A, states of figure 7, single and double-size ids; one with a double-size id
// is an NTAG213 sticker and has its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace model {

using Bits = std::vector<bool>;   // a frame without parity, in the order of the air (least significant bit first)
using Bytes = std::vector<uint8_t>;

Bits bits_of(const Bytes& bytes);
uint16_t crc_more(uint16_t crc, uint8_t byte);            // ISO/IEC 13239, bit by bit from the least
uint16_t crc_a(const uint8_t* bytes, std::size_t count);  // ISO 14443-3, annex B

class Tag {
 public:
    explicit Tag(Bytes id);
    const Bytes& id() const { return id_; }

    void lose_power() { state_ = State::off; }
    void gain_power() { state_ = State::idle; asleep_ = State::idle; }

    // Hears one frame: `bits` bits of `frame`. Returns what it answers; empty: nothing.
    Bits hear(const Bytes& frame, std::size_t bits);

 private:
    enum class State { off, idle, ready1, ready2, active, halted };

    Bytes level(int number) const;   // the five bytes of a cascade level
    Bits anticollision(const Bytes& frame, std::size_t bits, int number) const;
    Bits select(const Bytes& frame, int number);
    Bits obey(const Bytes& frame, std::size_t bits);
    void sleep() { state_ = asleep_; }

    Bytes id_, memory_;
    State state_ = State::off;
    State asleep_ = State::idle;     // where it falls back to
};

}  // namespace model
