#include "tag.hpp"

#include <algorithm>

namespace model {

namespace {
constexpr uint8_t reqa = 0x26, wupa = 0x52, halt = 0x50, cascade = 0x88;
constexpr uint8_t read_pages = 0x30, write_page = 0xA2;      // NTAG213 data sheet, table 22
constexpr std::size_t pages = 45, first_free = 4, last_free = 39;
constexpr uint8_t acknowledge = 0xA, bad_argument = 0x0, bad_crc = 0x1;

Bits four(uint8_t nibble) {
    Bits bits;
    for (int i = 0; i < 4; ++i) {
        bits.push_back((nibble >> i & 1) != 0);
    }
    return bits;
}

Bytes with_crc(Bytes bytes) {
    const uint16_t crc = crc_a(bytes.data(), bytes.size());
    bytes.push_back(static_cast<uint8_t>(crc));
    bytes.push_back(static_cast<uint8_t>(crc >> 8));
    return bytes;
}
}  // namespace

// As it leaves the factory (NTAG213 data sheet, 8.5): id, lock bytes, capability container, empty user pages.
Tag::Tag(Bytes id) : id_(std::move(id)), memory_(pages * 4, 0) {
    if (id_.size() == 7) {
        const Bytes one = level(1), two = level(2);
        memory_[0] = id_[0], memory_[1] = id_[1], memory_[2] = id_[2], memory_[3] = one[4];
        std::copy(two.begin(), two.end(), memory_.begin() + 4);
        memory_[9] = 0x48;
        memory_[12] = 0xE1, memory_[13] = 0x10, memory_[14] = 0x12;
    }
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

uint16_t crc_more(uint16_t crc, uint8_t byte) {
    uint8_t b = static_cast<uint8_t>(byte ^ (crc & 0xFF));
    b = static_cast<uint8_t>(b ^ (b << 4));
    return static_cast<uint16_t>((crc >> 8) ^ (b << 8) ^ (b << 3) ^ (b >> 4));
}

uint16_t crc_a(const uint8_t* bytes, std::size_t count) {
    uint16_t crc = 0x6363;
    for (std::size_t i = 0; i < count; ++i) {
        crc = crc_more(crc, bytes[i]);
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
            // The second byte tells how many bits come (NVB, ISO 14443-3, 6.5.3.2).
            const std::size_t told = frame.size() < 2 ? 0 : (frame[1] >> 4) * 8U + (frame[1] & 7U);
            const bool select_frame = frame.size() == 9 && frame[1] == 0x70 && bits == 72;
            if (frame.size() < 2 || frame[0] != 0x91 + 2 * number || (!select_frame && (told != bits || bits < 16 || bits > 55))) {
                sleep();
                return {};
            }
            return select_frame ? select(frame, number) : anticollision(frame, bits, number);
        }
        case State::active: return obey(frame, bits);
        default: return {};
    }
}

// What a selected tag does. READ gives four pages, rolling over at the end; a MIFARE Classic, with its four bytes of id, gives
// nothing to who has not authenticated.
Bits Tag::obey(const Bytes& frame, std::size_t bits) {
    const std::size_t body = frame.size() < 3 ? 0 : frame.size() - 2;
    const bool whole = body != 0 && bits % 8 == 0 && crc_a(frame.data(), body) == (frame[body] | frame[body + 1] << 8);
    if (whole && body == 2 && frame[0] == halt && frame[1] == 0) {
        state_ = State::halted;
        return {};
    }
    const bool has_memory = id_.size() == 7;
    if (whole && has_memory && body == 2 && frame[0] == read_pages && frame[1] < pages) {
        Bytes sixteen;
        for (std::size_t i = 0; i < 16; ++i) {
            sixteen.push_back(memory_[(frame[1] * 4U + i) % memory_.size()]);
        }
        return bits_of(with_crc(sixteen));
    }
    if (whole && has_memory && body == 6 && frame[0] == write_page && frame[1] >= first_free && frame[1] <= last_free) {
        std::copy(frame.begin() + 2, frame.begin() + 6, memory_.begin() + frame[1] * 4);
        return four(acknowledge);
    }
    sleep();
    const bool known = has_memory && !frame.empty() && (frame[0] == read_pages || frame[0] == write_page);
    return known ? four(whole ? bad_argument : bad_crc) : Bits();
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
    return bits_of(with_crc({static_cast<uint8_t>(more ? 0x04 : id_.size() == 4 ? 0x08 : 0x00)}));
}

}  // namespace model
