#include "rc522_model.hpp"

#include <algorithm>

namespace model {

namespace {

// MFRC522 data sheet, table 20.
enum : uint8_t {
    CommandReg = 0x01, ComIrqReg = 0x04, ErrorReg = 0x06, FIFODataReg = 0x09, FIFOLevelReg = 0x0A, ControlReg = 0x0C,
    BitFramingReg = 0x0D, CollReg = 0x0E, ModeReg = 0x11, TxModeReg = 0x12, RxModeReg = 0x13, TxControlReg = 0x14,
    RFCfgReg = 0x26, GsNReg = 0x27, CWGsPReg = 0x28, TModeReg = 0x2A, TPrescalerReg = 0x2B, TReloadRegH = 0x2C, TReloadRegL = 0x2D, AutoTestReg = 0x36, VersionReg = 0x37,
};
constexpr uint8_t tx_irq = 0x40, rx_irq = 0x20, timer_irq = 0x01;
constexpr uint8_t collision_error = 0x08, crc_error = 0x04, parity_error = 0x02;

constexpr double carrier_ns = 1000.0 / 13.56;
constexpr Nanoseconds etu = static_cast<Nanoseconds>(128 * carrier_ns);            // 9.44 us, one bit
constexpr Nanoseconds start_delay = static_cast<Nanoseconds>(16 * carrier_ns);     // StartSend to the first modulation
constexpr Nanoseconds answer_delay = static_cast<Nanoseconds>(1236 * carrier_ns);  // frame delay time, last bit 1
constexpr Nanoseconds guard = static_cast<Nanoseconds>(1172 * carrier_ns);         // after a reply tags are deaf so long
constexpr Nanoseconds request_guard = static_cast<Nanoseconds>(7000 * carrier_ns);  // a REQA sooner after another is not heard
constexpr Nanoseconds tag_start_up = 5000000;    // ISO/IEC 14443-3, 5.2 allows a tag so long in the field until it answers; NXP's need less
constexpr Nanoseconds chip_start_up = 400000;   // crystal after a reset

Nanoseconds frame_time(std::size_t bits) { return (bits + bits / 8 + 2) * etu; }  // parity, start and end of frame

}  // namespace

void Rc522Model::power_on(Nanoseconds now) {
    std::fill(std::begin(regs_), std::end(regs_), uint8_t{0});
    regs_[CommandReg] = 0x20;
    regs_[ComIrqReg] = 0x14;
    regs_[CollReg] = 0xA0;
    regs_[ModeReg] = 0x3F;
    regs_[TxControlReg] = 0x80;
    regs_[RFCfgReg] = 0x48;
    regs_[GsNReg] = 0x88;
    regs_[CWGsPReg] = 0x20;
    fifo_.clear();
    pending_tx_ = pending_rx_ = pending_timer_ = false;
    reset_until_ = now + chip_start_up;
    set_field(false, now);
}

void Rc522Model::reset_wire(bool held, Nanoseconds now) {
    if (held_ && !held) {
        power_on(now);
    } else if (held) {
        set_field(false, now);
    }
    held_ = held;
}

void Rc522Model::set_dead(bool dead, Nanoseconds now) {
    if (dead_ != dead) {
        power_on(now);
    }
    dead_ = dead;
}

void Rc522Model::put(const Bytes& id, Nanoseconds now) { tags_.push_back({Tag(id), now + tag_start_up, false}); }

bool Rc522Model::take(const Bytes& id) {
    const auto at = std::find_if(tags_.begin(), tags_.end(), [&](const Placed& placed) { return placed.tag.id() == id; });
    if (at == tags_.end()) {
        return false;
    }
    tags_.erase(at);
    return true;
}

void Rc522Model::set_field(bool on, Nanoseconds now) {
    if (on == field_) {
        return;
    }
    field_ = on;
    for (Placed& placed : tags_) {
        placed.tag.lose_power();
        placed.powered = false;
        placed.ready_at = now + tag_start_up;
    }
}

// Of the chip: gains of data sheet table 98. That all of the drive is worth 6 dB is a guess at the common module; the test bench will tell.
bool Rc522Model::in_reach() const {
    static const unsigned gains[8] = {18, 23, 18, 23, 33, 38, 43, 48};
    const bool full = regs_[GsNReg] == 0xFF && regs_[CWGsPReg] == 0x3F;
    return gains[regs_[RFCfgReg] >> 4 & 7] + (full ? 6 : 0) >= gains[0] + weakness_;
}

void Rc522Model::select(bool low, Nanoseconds now) {
    selected_ = low;
    first_byte_ = true;
    catch_up(now);
}

uint8_t Rc522Model::exchange(uint8_t mosi, Nanoseconds now) {
    if (!drives()) {
        return 0xFF;
    }
    if (first_byte_) {
        first_byte_ = false;
        address_ = mosi;
        return 0;
    }
    const uint8_t reg = address_ >> 1 & 0x3F;
    if (address_ & 0x80) {
        const uint8_t value = read(reg, now);
        address_ = mosi;  // the next register to read
        return value;
    }
    write(reg, mosi, now);
    return 0;
}

void Rc522Model::catch_up(Nanoseconds now) {
    if (pending_tx_ && now >= tx_end_) {
        pending_tx_ = false;
        regs_[ComIrqReg] |= tx_irq;
    }
    if (pending_rx_ && now >= rx_end_) {
        pending_rx_ = false;
        regs_[ComIrqReg] |= rx_irq;
        regs_[ErrorReg] = rx_error_;
        regs_[CollReg] = static_cast<uint8_t>((regs_[CollReg] & 0x80) | rx_coll_);
        regs_[ControlReg] = rx_last_bits_;
        fifo_ = rx_fifo_;
    }
    if (pending_timer_ && now >= timer_end_) {
        pending_timer_ = false;
        regs_[ComIrqReg] |= timer_irq;
    }
}

uint8_t Rc522Model::read(uint8_t reg, Nanoseconds now) {
    catch_up(now);
    switch (reg) {
        case CommandReg: return static_cast<uint8_t>(regs_[CommandReg] | (now < reset_until_ ? 0x10 : 0));
        case FIFODataReg: {
            if (fifo_.empty()) {
                return 0;
            }
            const uint8_t value = fifo_.front();
            fifo_.erase(fifo_.begin());
            return value;
        }
        case FIFOLevelReg: return static_cast<uint8_t>(fifo_.size());
        case VersionReg: return version_;
        default: return regs_[reg];
    }
}

void Rc522Model::write(uint8_t reg, uint8_t value, Nanoseconds now) {
    catch_up(now);
    switch (reg) {
        case CommandReg:
            if ((value & 0x0F) == 0x0F) {
                power_on(now);
            } else {
                regs_[reg] = value;
                if ((value & 0x0F) == 0) {
                    pending_tx_ = pending_rx_ = false;
                } else if ((value & 0x0F) == 0x01) {
                    fifo_.clear();  // Mem: into the internal buffer
                } else if ((value & 0x0F) == 0x03 && regs_[AutoTestReg] == 0x09) {
                    self_test(now);
                }
            }
            return;
        case ComIrqReg:
            regs_[reg] = static_cast<uint8_t>(value & 0x80 ? regs_[reg] | (value & 0x7F) : regs_[reg] & ~value);
            return;
        case FIFODataReg:
            if (fifo_.size() < 64) {
                fifo_.push_back(value);
            }
            return;
        case FIFOLevelReg:
            if (value & 0x80) {
                fifo_.clear();
                regs_[ErrorReg] = static_cast<uint8_t>(regs_[ErrorReg] & ~0x10);
            }
            return;
        case BitFramingReg:
            regs_[reg] = static_cast<uint8_t>(value & 0x7F);
            if ((value & 0x80) && (regs_[CommandReg] & 0x0F) == 0x0C) {
                transceive(now);
            }
            return;
        case CollReg: regs_[reg] = static_cast<uint8_t>((value & 0x80) | (regs_[reg] & 0x7F)); return;
        case TxControlReg:
            regs_[reg] = value;
            set_field((value & 3) != 0, now);
            return;
        case ErrorReg: case VersionReg: return;  // read only
        default: regs_[reg] = value; return;
    }
}

// The bytes of data sheet 16.1.1, for versions 1.0 and 2.0.
void Rc522Model::self_test(Nanoseconds now) {
    static const uint8_t answers[2][64] = {
        {0x00, 0xC6, 0x37, 0xD5, 0x32, 0xB7, 0x57, 0x5C, 0xC2, 0xD8, 0x7C, 0x4D, 0xD9, 0x70, 0xC7, 0x73,
         0x10, 0xE6, 0xD2, 0xAA, 0x5E, 0xA1, 0x3E, 0x5A, 0x14, 0xAF, 0x30, 0x61, 0xC9, 0x70, 0xDB, 0x2E,
         0x64, 0x22, 0x72, 0xB5, 0xBD, 0x65, 0xF4, 0xEC, 0x22, 0xBC, 0xD3, 0x72, 0x35, 0xCD, 0xAA, 0x41,
         0x1F, 0xA7, 0xF3, 0x53, 0x14, 0xDE, 0x7E, 0x02, 0xD9, 0x0F, 0xB5, 0x5E, 0x25, 0x1D, 0x29, 0x79},
        {0x00, 0xEB, 0x66, 0xBA, 0x57, 0xBF, 0x23, 0x95, 0xD0, 0xE3, 0x0D, 0x3D, 0x27, 0x89, 0x5C, 0xDE,
         0x9D, 0x3B, 0xA7, 0x00, 0x21, 0x5B, 0x89, 0x82, 0x51, 0x3A, 0xEB, 0x02, 0x0C, 0xA5, 0x00, 0x49,
         0x7C, 0x84, 0x4D, 0xB3, 0xCC, 0xD2, 0x1B, 0x81, 0x5D, 0x48, 0x76, 0xD5, 0x71, 0x61, 0x21, 0xA9,
         0x86, 0x96, 0x83, 0x38, 0xCF, 0x9D, 0x5B, 0x6D, 0xDC, 0x15, 0xBA, 0x3E, 0x7D, 0x95, 0x3B, 0x2F}};
    const uint8_t* answer = answers[version_ == 0x91 ? 0 : 1];
    fifo_.clear();
    if (now >= reset_until_ && !mute_) {
        fifo_.assign(answer, answer + 64);
        fifo_[63] = static_cast<uint8_t>(fifo_[63] ^ (counterfeit_ ? 1 : 0));
    }
}

void Rc522Model::transceive(Nanoseconds now) {
    Bytes frame = fifo_;
    fifo_.clear();
    regs_[ErrorReg] = 0;
    if (frame.empty() || now < reset_until_ || mute_) {
        return;  // nothing is sent, and nothing will end
    }
    const uint8_t command = frame[0];
    const unsigned last = regs_[BitFramingReg] & 7;
    std::size_t bits = frame.size() * 8 - (last != 0 ? 8 - last : 0);
    if (regs_[TxModeReg] & 0x80) {
        const uint16_t crc = crc_a(frame.data(), frame.size());
        frame.push_back(static_cast<uint8_t>(crc));
        frame.push_back(static_cast<uint8_t>(crc >> 8));
        bits += 16;
    }
    pending_tx_ = true;
    const bool request = frame.size() == 1 && bits == 7;
    const bool too_soon = now < rx_end_ + guard || (request && now < requested_at_ + request_guard);
    if (request) {
        requested_at_ = now;
    }
    tx_end_ = now + start_delay + frame_time(bits);
    std::vector<Bits> replies;
    for (Placed& placed : tags_) {
        if (!field_ || too_soon || !in_reach() || now < placed.ready_at) {
            continue;
        }
        if (!placed.powered) {
            placed.powered = true;
            placed.tag.gain_power();
        }
        Bits reply = placed.tag.hear(frame, bits);
        if (!reply.empty()) {
            replies.push_back(std::move(reply));
        }
    }
    const unsigned prescaler = static_cast<unsigned>((regs_[TModeReg] & 0x0F) << 8 | regs_[TPrescalerReg]);
    const unsigned reload = static_cast<unsigned>(regs_[TReloadRegH] << 8 | regs_[TReloadRegL]);
    const bool automatic = (regs_[TModeReg] & 0x80) != 0;
    timer_end_ = tx_end_ + static_cast<Nanoseconds>((reload + 1) * (2 * prescaler + 1) * carrier_ns);
    pending_timer_ = automatic;
    if (!replies.empty() && std::uniform_int_distribution<unsigned>(0, 99)(chance_) < noise_) {
        if (std::uniform_int_distribution<unsigned>(0, 99)(chance_) < vanish_) {
            replies.clear();
        } else {
            for (Bits& reply : replies) {
                disturb(reply);
            }
        }
    }
    if (!replies.empty()) {
        const Nanoseconds begins = tx_end_ + answer_delay;
        rx_end_ = begins + frame_time(replies.front().size());
        pending_rx_ = true;
        if (begins + 5 * etu < timer_end_) {
            pending_timer_ = false;  // the timer stops at the fifth bit
        }
        receive(replies);
    }
    if (on_air) {
        on_air(command, now, pending_rx_ ? rx_end_ : pending_timer_ ? timer_end_ : tx_end_);
    }
}

// Flips one to three bits. A flipped bit without its parity shows as a parity error unless two meet in one byte.
void Rc522Model::disturb(Bits& reply) {
    std::uniform_int_distribution<std::size_t> where(0, reply.size() - 1);
    const unsigned align = regs_[BitFramingReg] >> 4 & 7;
    uint64_t odd = 0;  // bytes with an odd number of flips
    for (int n = std::uniform_int_distribution<int>(1, 3)(chance_); n > 0; --n) {
        const std::size_t at = where(chance_);
        reply[at] = !reply[at];
        odd ^= uint64_t{1} << ((align + at) / 8);
    }
    noisy_ = noisy_ || odd != 0;
}

// Lays the replies over one another, as the receiver hears them, and notes what the registers will say.
void Rc522Model::receive(std::vector<Bits>& replies) {
    const unsigned align = regs_[BitFramingReg] >> 4 & 7;
    Bits heard = replies.front();
    std::size_t collided = heard.size();
    for (const Bits& reply : replies) {
        for (std::size_t i = 0; i < std::min(reply.size(), heard.size()); ++i) {
            if (reply[i] != heard[i]) {
                collided = std::min(collided, i);
            }
        }
    }
    rx_coll_ = 0x20;
    rx_error_ = 0;
    if (collided < heard.size()) {
        rx_error_ = collision_error;
        const std::size_t position = align + collided + 1;  // counted from 1 in the frame as stored, 32 is written as 0
        rx_coll_ = static_cast<uint8_t>(position <= 32 ? position & 0x1F : 0x20);
        if ((regs_[CollReg] & 0x80) == 0) {
            std::fill(heard.begin() + static_cast<long>(collided), heard.end(), false);
        }
    } else if (noisy_) {
        rx_error_ = parity_error;
    }
    noisy_ = false;
    rx_fifo_.assign((align + heard.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < heard.size(); ++i) {
        if (heard[i]) {
            rx_fifo_[(align + i) / 8] = static_cast<uint8_t>(rx_fifo_[(align + i) / 8] | 1 << ((align + i) % 8));
        }
    }
    rx_last_bits_ = static_cast<uint8_t>((align + heard.size()) % 8);
    if ((regs_[RxModeReg] & 0x80) && rx_fifo_.size() >= 3) {
        const std::size_t body = rx_fifo_.size() - 2;
        if (crc_a(rx_fifo_.data(), body) != (rx_fifo_[body] | rx_fifo_[body + 1] << 8)) {
            rx_error_ = static_cast<uint8_t>(rx_error_ | crc_error);
        }
        rx_fifo_.resize(body);
    }
}

}  // namespace model
