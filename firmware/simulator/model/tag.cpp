#include "tag.hpp"

namespace model {

namespace {
constexpr uint8_t reqa = 0x26, wupa = 0x52, halt = 0x50, cascade = 0x88;
}

Bits bits_of(const Bytes& bytes) {
    Bits bits;
    for (uint8_t byte : bytes) {
        for (int i = 0; i < 8; ++i) {
            bits.push_back((byte >> i & 1) != 0);
        }
    }
    return bits;
}

uint16_t crc_a(const uint8_t* bytes, std::size_t count) {
    uint16_t crc = 0x6363;
    for (std::size_t i = 0; i < count; ++i) {
        uint8_t b = static_cast<uint8_t>(bytes[i] ^ (crc & 0xFF));
        b = static_cast<uint8_t>(b ^ (b << 4));
        crc = static_cast<uint16_t>((crc >> 8) ^ (b << 8) ^ (b << 3) ^ (b >> 4));
    }
    return crc;
}

Bytes Tag::level(int number) const {
    Bytes bytes;
    if (id_.size() == 4) {
        bytes = id_;
    } else if (number == 1) {
        bytes = {cascade, id_[0], id_[1], id_[2]};
    } else {
        bytes = {id_[3], id_[4], id_[5], id_[6]};
    }
    bytes.push_back(static_cast<uint8_t>(bytes[0] ^ bytes[1] ^ bytes[2] ^ bytes[3]));
    return bytes;
}

Bits Tag::hear(const Bytes& frame, std::size_t bits) {
    if (bits == 7) {
        const bool wake = frame[0] == wupa;
        if ((state_ == State::idle && (wake || frame[0] == reqa)) || (state_ == State::halted && wake)) {
            asleep_ = state_;
            state_ = State::ready1;
            return bits_of(id_.size() == 4 ? Bytes{0x04, 0x00} : Bytes{0x44, 0x00});
        }
        if (state_ != State::halted && state_ != State::off) {
            sleep();
        }
        return {};
    }
    switch (state_) {
        case State::ready1:
        case State::ready2: {
            const int number = state_ == State::ready1 ? 1 : 2;
            if (frame.size() < 2 || frame[0] != 0x91 + 2 * number) {
                sleep();
                return {};
            }
            if (frame[1] == 0x70 && frame.size() == 9) {
                return select(frame, number);
            }
            return anticollision(frame, bits, number);
        }
        case State::active: {
            const bool right = frame.size() == 4 && crc_a(frame.data(), 2) == (frame[2] | frame[3] << 8);
            if (right && frame[0] == halt && frame[1] == 0) {
                state_ = State::halted;
            } else {
                sleep();
            }
            return {};
        }
        default: return {};
    }
}

Bits Tag::anticollision(const Bytes& frame, std::size_t bits, int number) const {
    const Bits mine = bits_of(level(number));
    const Bits theirs = bits_of(frame);
    const std::size_t known = bits - 16;
    for (std::size_t i = 0; i < known; ++i) {
        if (mine[i] != theirs[16 + i]) {
            return {};  // not meant: stays READY
        }
    }
    return Bits(mine.begin() + static_cast<long>(known), mine.end());
}

Bits Tag::select(const Bytes& frame, int number) {
    const Bytes mine = level(number);
    const bool right = crc_a(frame.data(), 7) == (frame[7] | frame[8] << 8);
    if (!right || Bytes(frame.begin() + 2, frame.begin() + 7) != mine) {
        sleep();
        return {};
    }
    const bool more = id_.size() == 7 && number == 1;
    state_ = more ? State::ready2 : State::active;
    Bytes sak = {static_cast<uint8_t>(more ? 0x04 : id_.size() == 4 ? 0x08 : 0x00)};
    const uint16_t crc = crc_a(sak.data(), 1);
    sak.push_back(static_cast<uint8_t>(crc));
    sak.push_back(static_cast<uint8_t>(crc >> 8));
    return bits_of(sak);
}

}  // namespace model
