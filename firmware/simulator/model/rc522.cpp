#include "rc522.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace model {

namespace {

// Data sheet, table 20.
enum : uint8_t {
    CommandReg = 0x01, ComIEnReg = 0x02, DivIEnReg = 0x03, ComIrqReg = 0x04, DivIrqReg = 0x05, ErrorReg = 0x06,
    Status1Reg = 0x07, Status2Reg = 0x08, FIFODataReg = 0x09, FIFOLevelReg = 0x0A, WaterLevelReg = 0x0B, ControlReg = 0x0C,
    BitFramingReg = 0x0D, CollReg = 0x0E, ModeReg = 0x11, TxModeReg = 0x12, RxModeReg = 0x13, TxControlReg = 0x14,
    TxASKReg = 0x15, TxSelReg = 0x16, RxSelReg = 0x17, RxThresholdReg = 0x18, DemodReg = 0x19, MfRxReg = 0x1D,
    CRCResultRegH = 0x21, CRCResultRegL = 0x22, ModWidthReg = 0x24, RFCfgReg = 0x26, GsNReg = 0x27,
    CWGsPReg = 0x28, TModeReg = 0x2A, TPrescalerReg = 0x2B, TReloadRegH = 0x2C, TReloadRegL = 0x2D,
    TCounterValRegH = 0x2E, TCounterValRegL = 0x2F, AutoTestReg = 0x36, VersionReg = 0x37,
};

// What a register is after a reset (data sheet, 9.3; where it says x, what chips have), and what the model does with it.
enum Kind : uint8_t {
    reserved,  // no driver has business there
    kept,      // keeps what is written, or has a case of its own in `read` and `write`
    told,      // is read only
    fixed,     // exists; the model knows only its value after a reset
};
struct Sheet {
    uint8_t reset;
    Kind kind;
};
constexpr Sheet sheet[64] = {
    // 0x00: command and status
    {0x00, reserved}, {0x20, kept}, {0x80, kept}, {0x00, kept}, {0x14, kept}, {0x00, kept}, {0x00, told}, {0x21, told},
    {0x00, kept}, {0x00, kept}, {0x00, kept}, {0x08, kept}, {0x10, kept}, {0x00, kept}, {0xA0, kept}, {0x00, reserved},
    // 0x10: command
    {0x00, reserved}, {0x3F, kept}, {0x00, kept}, {0x00, kept}, {0x80, kept}, {0x00, kept}, {0x10, kept}, {0x84, kept},
    {0x84, kept}, {0x4D, kept}, {0x00, reserved}, {0x00, reserved}, {0x62, fixed}, {0x00, kept}, {0x00, reserved}, {0xEB, fixed},
    // 0x20: configuration
    {0x00, reserved}, {0xFF, told}, {0xFF, told}, {0x88, reserved}, {0x26, kept}, {0x87, reserved}, {0x48, kept}, {0x88, kept},
    {0x20, kept}, {0x20, kept}, {0x00, kept}, {0x00, kept}, {0x00, kept}, {0x00, kept}, {0x00, told}, {0x00, told},
    // 0x30: test
    {0x00, reserved}, {0x00, fixed}, {0x00, fixed}, {0x80, fixed}, {0x00, fixed}, {0x00, fixed}, {0x40, kept}, {0x00, told},
    {0x00, fixed}, {0x00, fixed}, {0x00, fixed}, {0x00, fixed}, {0x00, reserved}, {0x00, reserved}, {0x00, reserved}, {0x00, reserved},
};

enum Command : uint8_t {
    Idle = 0x0, Mem = 0x1, GenerateRandomID = 0x2, CalcCRC = 0x3, Transmit = 0x4, NoCmdChange = 0x7, Receive = 0x8, Transceive = 0xC,
    MFAuthent = 0xE, SoftReset = 0xF,
};
constexpr uint8_t tx_irq = 0x40, rx_irq = 0x20, idle_irq = 0x10, high_irq = 0x08, low_irq = 0x04, error_irq = 0x02, timer_irq = 0x01;
constexpr uint8_t crc_irq = 0x04;
constexpr uint8_t write_error = 0x80, overflow_error = 0x10, collision_error = 0x08, crc_error = 0x04, parity_error = 0x02;
constexpr std::size_t fifo_most = 64;

constexpr double carrier_ns = 1000.0 / 13.56;
constexpr Nanoseconds etu = static_cast<Nanoseconds>(128 * carrier_ns);            // 9.44 us, one bit
constexpr Nanoseconds start_delay = static_cast<Nanoseconds>(16 * carrier_ns);     // StartSend to the first modulation
constexpr Nanoseconds answer_delay = static_cast<Nanoseconds>(1236 * carrier_ns);  // frame delay time, last bit 1 (ISO/IEC 14443-3, 6.2.1.1)
constexpr Nanoseconds guard = static_cast<Nanoseconds>(1172 * carrier_ns);         // after a reply tags are deaf so long
constexpr Nanoseconds request_guard = static_cast<Nanoseconds>(7000 * carrier_ns);  // a REQA sooner after another is not heard
constexpr Nanoseconds tag_start_up = 5000000;    // ISO/IEC 14443-3, 5.2 allows a tag so long in the field until it answers; NXP's need less
constexpr Nanoseconds crc_byte = static_cast<Nanoseconds>(8 * carrier_ns);

Nanoseconds frame_time(std::size_t bits) { return (bits + bits / 8 + 2) * etu; }  // parity, start and end of frame

std::string hex(unsigned value) {
    char text[8];
    std::snprintf(text, sizeof text, "0x%02X", value);
    return text;
}

// ISO/IEC 13239 as the coprocessor reckons it (data sheet 8.2.3), from its preset: polynomial x^16 + x^12 + x^5 + 1.
uint16_t preset(uint8_t mode) {
    static const uint16_t presets[4] = {0x0000, 0x6363, 0xA671, 0xFFFF};
    return presets[mode & 3];
}

}  // namespace

// ---- registers ----

void Rc522Model::power_on(Nanoseconds now) {
    for (std::size_t reg = 0; reg < 64; ++reg) {
        regs_[reg] = sheet[reg].reset;
    }
    fifo_.clear();
    sending_ = awaiting_ = receiving_ = timing_ = reckoning_ = false;
    reset_until_ = now + start_up_;
    set_field(now);
}

void Rc522Model::reset_wire(bool held, Nanoseconds now) {
    if (held_ && !held) {
        power_on(now);
    }
    held_ = held;
    set_field(now);
}

void Rc522Model::set_dead(bool dead, Nanoseconds now) {
    if (dead_ != dead) {
        power_on(now);
    }
    dead_ = dead;
}

void Rc522Model::select(bool low, Nanoseconds now) {
    selected_ = low;
    first_byte_ = true;
    catch_up(now);
}

// Data sheet 8.1.2: the first byte is an address; then, when reading, each byte that comes is the answer to the address before,
// and when writing, all bytes go to one register.
uint8_t Rc522Model::exchange(uint8_t mosi, Nanoseconds now) {
    if (!drives()) {
        return 0xFF;
    }
    if (first_byte_) {
        if (mosi & 1) {
            throw NotModelled("the SPI address byte " + hex(mosi) + ": its last bit must be 0 (8.1.2.3)");
        }
        first_byte_ = false;
        address_ = mosi;
        return 0;
    }
    const uint8_t reg = address_ >> 1 & 0x3F;
    if (address_ & 0x80) {
        const uint8_t value = read(reg, now);
        address_ = mosi & 0x80 ? mosi : 0x80;  // the next register to read; a 0 ends the reading
        return value;
    }
    write(reg, mosi, now);
    return 0;
}

// Lets happen what has become due, in the order of its time.
void Rc522Model::catch_up(Nanoseconds now) {
    if (sending_ && now >= tx_end_) {
        sending_ = false;
        raise(tx_irq);
        if ((regs_[CommandReg] & 0x0F) == Transmit) {
            become_idle();
        }
    }
    if (timing_ && timer_stop_ != 0 && now >= timer_stop_ && timer_stop_ < timer_end_) {
        timing_ = false;
    }
    while (timing_ && now >= timer_end_) {
        raise(timer_irq);
        if ((regs_[TModeReg] & 0x10) == 0) {
            timing_ = false;
        } else {
            start_timer(timer_end_);
        }
    }
    if (receiving_ && now >= rx_end_) {
        receiving_ = awaiting_ = false;
        fifo_.insert(fifo_.end(), heard_.bytes.begin(), heard_.bytes.end());
        if (fifo_.size() > fifo_most) {
            fifo_.resize(fifo_most);
            heard_.error |= overflow_error;
        }
        regs_[CollReg] = static_cast<uint8_t>((regs_[CollReg] & 0x80) | heard_.collision);
        regs_[ControlReg] = static_cast<uint8_t>((regs_[ControlReg] & ~7) | heard_.last_bits);
        raise(rx_irq);
        fail(heard_.error);
        level_alerts();
        if ((regs_[CommandReg] & 0x0F) == Receive) {
            become_idle();
        }
    }
    if (reckoning_ && now >= crc_end_) {
        reckoning_ = false;
        regs_[DivIrqReg] |= crc_irq;
    }
}

bool Rc522Model::asleep(Nanoseconds now) const { return mute_ || now < reset_until_ || (regs_[CommandReg] & 0x10) != 0; }

void Rc522Model::raise(uint8_t com_irq) { regs_[ComIrqReg] = static_cast<uint8_t>(regs_[ComIrqReg] | com_irq); }

void Rc522Model::fail(uint8_t error) {
    regs_[ErrorReg] |= error;
    if (error != 0) {
        raise(error_irq);
    }
}

// Data sheet 9.3.1.8: HiAlert where no more than WaterLevel bytes are free, LoAlert where no more than that are there.
void Rc522Model::level_alerts() {
    const std::size_t water = regs_[WaterLevelReg] & 0x3F;
    if (fifo_most - fifo_.size() <= water) {
        raise(high_irq);
    }
    if (fifo_.size() <= water) {
        raise(low_irq);
    }
}

uint8_t Rc522Model::status1() const {
    const std::size_t water = regs_[WaterLevelReg] & 0x3F;
    const bool irq = (regs_[ComIrqReg] & regs_[ComIEnReg] & 0x7F) != 0 || (regs_[DivIrqReg] & regs_[DivIEnReg] & 0x14) != 0;
    const bool crc_ok = regs_[CRCResultRegH] == 0 && regs_[CRCResultRegL] == 0;
    return static_cast<uint8_t>((crc_ok ? 0x40 : 0) | (reckoning_ ? 0 : 0x20) | (irq ? 0x10 : 0) | (timing_ ? 0x08 : 0) |
                                (fifo_most - fifo_.size() <= water ? 0x02 : 0) | (fifo_.size() <= water ? 0x01 : 0));
}

// ModemState, data sheet 9.3.1.9.
uint8_t Rc522Model::status2(Nanoseconds now) const {
    const uint8_t command = regs_[CommandReg] & 0x0F;
    uint8_t modem = 0;
    if (sending_) {
        modem = 3;
    } else if (receiving_ && now >= rx_begin_) {
        modem = 6;
    } else if (awaiting_) {
        modem = 5;
    } else if (command == Transceive) {
        modem = 1;
    }
    return static_cast<uint8_t>((regs_[Status2Reg] & 0xC8) | modem);
}

uint16_t Rc522Model::count_down(Nanoseconds now) const {
    const auto reload = static_cast<uint16_t>(regs_[TReloadRegH] << 8 | regs_[TReloadRegL]);
    if (!timing_) {
        return 0;
    }
    const double whole = static_cast<double>(timer_end_ - timer_start_), gone = static_cast<double>(now - timer_start_);
    return static_cast<uint16_t>(reload - std::min<double>(reload, std::floor(gone / whole * (reload + 1))));
}

uint8_t Rc522Model::read(uint8_t reg, Nanoseconds now) {
    catch_up(now);
    switch (reg) {
        case 0x00: return 0;  // what a driver sends to have the last byte
        case CommandReg: return static_cast<uint8_t>(regs_[reg] | (now < reset_until_ ? 0x10 : 0));
        case Status1Reg: return status1();
        case Status2Reg: return status2(now);
        case FIFODataReg: {
            if (fifo_.empty()) {
                return 0;
            }
            const uint8_t value = fifo_.front();
            fifo_.erase(fifo_.begin());
            level_alerts();
            return value;
        }
        case FIFOLevelReg: return static_cast<uint8_t>(fifo_.size());
        case ControlReg: return regs_[reg] & 0x17;
        case BitFramingReg: return regs_[reg] & 0x77;  // StartSend reads as 0
        case TCounterValRegH: return static_cast<uint8_t>(count_down(now) >> 8);
        case TCounterValRegL: return static_cast<uint8_t>(count_down(now));
        case VersionReg: return version_;
        default: break;
    }
    if (sheet[reg].kind == reserved) {
        throw NotModelled("the reserved register " + hex(reg));
    }
    return regs_[reg];
}

void Rc522Model::write(uint8_t reg, uint8_t value, Nanoseconds now) {
    catch_up(now);
    const Kind kind = sheet[reg].kind;
    if (kind == reserved || ((kind == fixed || kind == told) && value != sheet[reg].reset)) {
        throw NotModelled(hex(value) + " in register " + hex(reg));
    }
    if (kind == told) {
        return;
    }
    switch (reg) {
        case CommandReg: begin(value, now); return;
        case ComIrqReg:
            regs_[reg] = static_cast<uint8_t>(value & 0x80 ? regs_[reg] | (value & 0x7F) : regs_[reg] & ~value);
            return;
        case DivIrqReg:
            regs_[reg] = static_cast<uint8_t>(value & 0x80 ? regs_[reg] | (value & 0x14) : regs_[reg] & ~value);
            return;
        case FIFODataReg:
            if (sending_ || awaiting_) {
                fail(write_error);  // from the last bit sent to the last bit heard (9.3.1.7)
            }
            if (fifo_.size() >= fifo_most) {
                fail(overflow_error);
                return;
            }
            fifo_.push_back(value);
            level_alerts();
            if ((regs_[CommandReg] & 0x0F) == CalcCRC && (regs_[AutoTestReg] & 0x0F) == 0) {
                feed_crc(now);
            }
            return;
        case FIFOLevelReg:
            if (value & 0x80) {
                fifo_.clear();
                regs_[ErrorReg] = static_cast<uint8_t>(regs_[ErrorReg] & ~overflow_error);
                level_alerts();
            }
            return;
        case ControlReg:
            if (value & 0x40) {
                start_timer(now);
            }
            if (value & 0x80) {
                timing_ = false;
            }
            return;
        case BitFramingReg:
            regs_[reg] = value;
            if ((value & 0x80) && (regs_[CommandReg] & 0x0F) == Transceive) {
                send(now, true);
            }
            return;
        case CollReg: regs_[reg] = static_cast<uint8_t>((value & 0x80) | (regs_[reg] & 0x3F)); return;
        case TxControlReg:
            regs_[reg] = value;
            set_field(now);
            return;
        case GsNReg: case CWGsPReg:
            regs_[reg] = value;
            set_field(now);
            return;
        case AutoTestReg:
            if ((value & 0x0F) != 0x09 && (value & 0x0F) != 0) {
                throw NotModelled("the self-test " + hex(value & 0x0F));
            }
            regs_[reg] = value;
            return;
        case TModeReg:
            if (value & 0x60) {
                throw NotModelled("a gated timer");
            }
            regs_[reg] = value;
            return;
        case RxModeReg:
            if (value & 0x04) {
                throw NotModelled("RxMultiple");
            }
            regs_[reg] = value;
            return;
        case DemodReg:
            if ((value & 0xEF) != sheet[reg].reset) {
                throw NotModelled(hex(value) + " in DemodReg");
            }
            regs_[reg] = value;
            return;
        case RxThresholdReg:
            if (value >> 4 == 0 || (value & 7) == 0) {
                throw NotModelled("a receiver without a threshold (RxThresholdReg " + hex(value) + "): noise would be replies");
            }
            regs_[reg] = value;
            return;
        default: regs_[reg] = value; return;
    }
}

// ---- commands, data sheet 10.3 ----

void Rc522Model::begin(uint8_t value, Nanoseconds now) {
    const uint8_t command = value & 0x0F;
    if (command == SoftReset) {
        power_on(now);
        return;
    }
    if (command == NoCmdChange) {
        regs_[CommandReg] = static_cast<uint8_t>((value & 0x30) | (regs_[CommandReg] & 0x0F));
        set_field(now);
        return;
    }
    const bool woken = (regs_[CommandReg] & 0x10) && !(value & 0x10);
    regs_[CommandReg] = value & 0x3F;
    if (woken) {
        reset_until_ = now + start_up_;  // 8.6.2: the oscillator starts anew
    }
    set_field(now);
    sending_ = awaiting_ = receiving_ = reckoning_ = false;
    if (asleep(now) && command != Idle) {
        return;  // it has no clock: nothing begins, and nothing will end
    }
    switch (command) {
        case Idle: return;
        case Mem: remember_or_recall(); return;
        case GenerateRandomID:
            for (std::size_t i = 0; i < 10; ++i) {
                buffer_[i] = static_cast<uint8_t>(chance_());
            }
            become_idle();
            return;
        case CalcCRC:
            if ((regs_[AutoTestReg] & 0x0F) == 0x09) {
                self_test();
                return;
            }
            crc_ = preset(regs_[ModeReg]);
            crc_end_ = now;
            feed_crc(now);
            return;
        case Transmit: send(now, false); return;
        case Receive:
            regs_[ErrorReg] = 0;
            awaiting_ = true;
            return;
        case Transceive: return;  // waits for StartSend
        case MFAuthent: throw NotModelled("MFAuthent: the tags here are NTAG213 stickers");
        default: become_idle(); return;  // 9.3.1.5: an unknown command becomes Idle, which IdleIRq tells
    }
}

void Rc522Model::become_idle() {
    regs_[CommandReg] = static_cast<uint8_t>(regs_[CommandReg] & 0x30);
    raise(idle_irq);
}

void Rc522Model::remember_or_recall() {
    if (fifo_.empty()) {
        fifo_ = buffer_;
    } else {
        std::copy(fifo_.begin(), fifo_.begin() + static_cast<long>(std::min(fifo_.size(), buffer_.size())), buffer_.begin());
        fifo_.clear();
    }
    level_alerts();
    become_idle();
}

// The coprocessor takes what is in the FIFO, and what comes later, until another command is given.
void Rc522Model::feed_crc(Nanoseconds now) {
    crc_end_ = std::max(crc_end_, now) + fifo_.size() * crc_byte;
    for (const uint8_t byte : fifo_) {
        crc_ = crc_more(crc_, byte);
    }
    fifo_.clear();
    level_alerts();
    reckoning_ = true;
    uint16_t result = crc_;
    if (regs_[ModeReg] & 0x80) {  // MSBFirst
        uint16_t turned = 0;
        for (int bit = 0; bit < 16; ++bit) {
            turned = static_cast<uint16_t>(turned | ((result >> bit & 1) << (15 - bit)));
        }
        result = turned;
    }
    regs_[CRCResultRegH] = static_cast<uint8_t>(result >> 8);
    regs_[CRCResultRegL] = static_cast<uint8_t>(result);
}

// The bytes of data sheet 16.1.1, for versions 1.0 and 2.0; those of version 0.0 and of the clone FM17522 are widely known.
void Rc522Model::self_test() {
    struct Known {
        uint8_t version;
        uint8_t answer[64];
    };
    static const Known all[] = {
        {0x92, {
        0x00, 0xEB, 0x66, 0xBA, 0x57, 0xBF, 0x23, 0x95, 0xD0, 0xE3, 0x0D, 0x3D, 0x27, 0x89, 0x5C, 0xDE,
        0x9D, 0x3B, 0xA7, 0x00, 0x21, 0x5B, 0x89, 0x82, 0x51, 0x3A, 0xEB, 0x02, 0x0C, 0xA5, 0x00, 0x49,
        0x7C, 0x84, 0x4D, 0xB3, 0xCC, 0xD2, 0x1B, 0x81, 0x5D, 0x48, 0x76, 0xD5, 0x71, 0x61, 0x21, 0xA9,
        0x86, 0x96, 0x83, 0x38, 0xCF, 0x9D, 0x5B, 0x6D, 0xDC, 0x15, 0xBA, 0x3E, 0x7D, 0x95, 0x3B, 0x2F}},
        {0x91, {
        0x00, 0xC6, 0x37, 0xD5, 0x32, 0xB7, 0x57, 0x5C, 0xC2, 0xD8, 0x7C, 0x4D, 0xD9, 0x70, 0xC7, 0x73,
        0x10, 0xE6, 0xD2, 0xAA, 0x5E, 0xA1, 0x3E, 0x5A, 0x14, 0xAF, 0x30, 0x61, 0xC9, 0x70, 0xDB, 0x2E,
        0x64, 0x22, 0x72, 0xB5, 0xBD, 0x65, 0xF4, 0xEC, 0x22, 0xBC, 0xD3, 0x72, 0x35, 0xCD, 0xAA, 0x41,
        0x1F, 0xA7, 0xF3, 0x53, 0x14, 0xDE, 0x7E, 0x02, 0xD9, 0x0F, 0xB5, 0x5E, 0x25, 0x1D, 0x29, 0x79}},
        {0x90, {
        0x00, 0x87, 0x98, 0x0F, 0x49, 0xFF, 0x07, 0x19, 0xBF, 0x22, 0x30, 0x49, 0x59, 0x63, 0xAD, 0xCA,
        0x7F, 0xE3, 0x4E, 0x03, 0x5C, 0x4E, 0x49, 0x50, 0x47, 0x9A, 0x37, 0x61, 0xE7, 0xE2, 0xC6, 0x2E,
        0x75, 0x5A, 0xED, 0x04, 0x3D, 0x02, 0x4B, 0x78, 0x32, 0xFF, 0x58, 0x3B, 0x7C, 0xE9, 0x00, 0x94,
        0xB4, 0x4A, 0x59, 0x5B, 0xFD, 0xC9, 0x29, 0xDF, 0x35, 0x96, 0x98, 0x9E, 0x4F, 0x30, 0x32, 0x8D}},
        {0x88, {
        0x00, 0xD6, 0x78, 0x8C, 0xE2, 0xAA, 0x0C, 0x18, 0x2A, 0xB8, 0x7A, 0x7F, 0xD3, 0x6A, 0xCF, 0x0B,
        0xB1, 0x37, 0x63, 0x4B, 0x69, 0xAE, 0x91, 0xC7, 0xC3, 0x97, 0xAE, 0x77, 0xF4, 0x37, 0xD7, 0x9B,
        0x7C, 0xF5, 0x3C, 0x11, 0x8F, 0x15, 0xC3, 0xD7, 0xC1, 0x5B, 0x00, 0x2A, 0xD0, 0x75, 0xDE, 0x9E,
        0x51, 0x64, 0xAB, 0x3E, 0xE9, 0x15, 0xB5, 0xAB, 0x56, 0x9A, 0x98, 0x82, 0x26, 0xEA, 0x2A, 0x62}},
    };
    const Known* known = std::find_if(std::begin(all), std::end(all), [this](const Known& one) { return one.version == version_; });
    const uint8_t* answer = (known == std::end(all) ? all : known)->answer;
    // The test is of the digital part with the internal buffer all zeros and one in the FIFO; with anything else it answers otherwise.
    const bool as_told = fifo_ == Bytes(1, 0) && std::all_of(buffer_.begin(), buffer_.end(), [](uint8_t byte) { return byte == 0; });
    fifo_.assign(answer, answer + 64);
    if (counterfeit_ || !as_told) {
        fifo_[63] ^= 1;
    }
    level_alerts();
}

// Sends what is in the FIFO. `listens`: and then waits for a reply (Transceive).
void Rc522Model::send(Nanoseconds now, bool listens) {
    if (regs_[ErrorReg] & write_error) {
        throw NotModelled("what is sent of a frame that was written while an answer was awaited (WrErr)");
    }
    Bytes frame = fifo_;
    fifo_.clear();
    regs_[ErrorReg] = 0;
    receiving_ = awaiting_ = false;
    if (frame.empty() || asleep(now)) {
        return;  // nothing is sent, and nothing will end
    }
    if (!field_ && (regs_[ModeReg] & 0x20)) {
        return;  // TxWaitRF: it begins when there is a field
    }
    const uint8_t command = frame[0];
    const unsigned last = regs_[BitFramingReg] & 7;
    std::size_t bits = frame.size() * 8 - (last != 0 ? 8 - last : 0);
    if (regs_[TxModeReg] & 0x80) {
        uint16_t crc = preset(regs_[ModeReg]);
        for (const uint8_t byte : frame) {
            crc = crc_more(crc, byte);
        }
        frame.push_back(static_cast<uint8_t>(crc));
        frame.push_back(static_cast<uint8_t>(crc >> 8));
        bits += 16;
    }
    sending_ = true;
    awaiting_ = listens;
    tx_end_ = now + start_delay + frame_time(bits);
    timer_stop_ = 0;
    if (regs_[TModeReg] & 0x80) {
        start_timer(tx_end_);
    }
    std::vector<Bits> replies = ask(frame, bits, now);
    if (listens && !replies.empty()) {
        hear(replies, tx_end_ + answer_delay);
    }
    if (on_air) {
        on_air(command, now, receiving_ ? rx_end_ : timing_ ? timer_end_ : tx_end_);
    }
}

// Data sheet 8.5: counts from its reload value to 0, and one step more.
void Rc522Model::start_timer(Nanoseconds now) {
    const unsigned prescaler = static_cast<unsigned>((regs_[TModeReg] & 0x0F) << 8 | regs_[TPrescalerReg]);
    const unsigned reload = static_cast<unsigned>(regs_[TReloadRegH] << 8 | regs_[TReloadRegL]);
    const unsigned even = regs_[DemodReg] & 0x10 ? 2 : 1;  // TPrescalEven
    timer_start_ = now;
    timer_end_ = now + static_cast<Nanoseconds>((reload + 1.0) * (2.0 * prescaler + even) * carrier_ns);
    timing_ = true;
}

// ---- the air ----

void Rc522Model::put(const Bytes& id, Nanoseconds now) { tags_.push_back({Tag(id), now + tag_start_up, false}); }

bool Rc522Model::take(const Bytes& id) {
    const auto at = std::find_if(tags_.begin(), tags_.end(), [&](const Placed& placed) { return placed.tag.id() == id; });
    if (at == tags_.end()) {
        return false;
    }
    tags_.erase(at);
    return true;
}

void Rc522Model::change_register(uint8_t reg, uint8_t value, Nanoseconds now) {
    regs_[reg & 0x3F] = value;
    set_field(now);
}

// Both outputs feed one coil between them: in phase (InvTx2RFOn 0) they cancel, one alone gives half the voltage.
void Rc522Model::set_field(Nanoseconds now) {
    const uint8_t control = regs_[TxControlReg];
    const bool first = control & 1, second = control & 2;
    const bool opposed = ((control >> 7 ^ control >> 6) & 1) != 0;
    const bool drive_there = (regs_[GsNReg] >> 4) != 0 && (regs_[CWGsPReg] & 0x3F) != 0;
    const bool on = !held_ && !(regs_[CommandReg] & 0x10) && drive_there && (first && second ? opposed : first || second);
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

// Decibels above the drive after a reset: conductance of the n- and p-drivers (9.3.3.6, 9.3.3.7), and both outputs or one. That all
// of the drive is worth 6 dB is a guess at the common module; the test bench will tell.
int Rc522Model::drive() const {
    const double n = (regs_[GsNReg] >> 4) / 8.0, p = (regs_[CWGsPReg] & 0x3F) / 32.0;
    const bool both = (regs_[TxControlReg] & 3) == 3;
    return n <= 0 || p <= 0 ? -100 : static_cast<int>(std::lround(20 * std::log10(std::sqrt(n * p)))) - (both ? 0 : 6);
}

// Decibels of gain and drive. Gains: table 98. The receiver's threshold (9.3.2.9) counts against the one after a reset, and without
// AmpRcv (9.3.4.7: "increases the operating distance") 3 dB are taken off: a guess.
int Rc522Model::reach() const {
    static const int gains[8] = {18, 23, 18, 23, 33, 38, 43, 48};
    const int threshold = static_cast<int>(std::lround(20 * std::log10((regs_[RxThresholdReg] >> 4) / 8.0)));
    return gains[regs_[RFCfgReg] >> 4 & 7] + drive() - threshold - (regs_[AutoTestReg] & 0x40 ? 0 : 3);
}

// Whether what is sent is what a type A tag at rest can understand: ISO/IEC 14443-2, 8.1: 106 kbit/s, pauses of 28 to 40 carrier
// periods, in which the carrier is all but gone.
bool Rc522Model::modulates() const {
    const bool all_of_it = (regs_[TxASKReg] & 0x40) != 0;
    const bool slow = (regs_[TxModeReg] & 0x70) == 0;
    const bool plain = (regs_[TxModeReg] & 0x08) == 0 && (regs_[TxControlReg] & 0x08) == 0;
    const bool encoded = (regs_[TxSelReg] >> 4 & 3) == 1;
    const unsigned pause = regs_[ModWidthReg] + 1U;
    return all_of_it && slow && plain && encoded && pause >= 28 && pause <= 40;
}

// What the tags answer to a frame of `bits` bits, sent from `now` to `tx_end_`.
std::vector<Bits> Rc522Model::ask(const Bytes& frame, std::size_t bits, Nanoseconds now) {
    const bool request = frame.size() == 1 && bits == 7;
    const bool too_soon = now < rx_end_ + guard || (request && now < requested_at_ + request_guard);
    if (request) {
        requested_at_ = now;
    }
    const bool parity = (regs_[MfRxReg] & 0x10) == 0;
    std::vector<Bits> replies;
    for (Placed& placed : tags_) {
        // The coil carries power and answer alike: what is too weak for one is taken as too weak for both.
        if (!field_ || too_soon || !modulates() || now < placed.ready_at || reach() < 18 + weakness_ || drive() < -12) {
            continue;
        }
        if (!placed.powered) {
            placed.powered = true;
            placed.tag.gain_power();
        }
        Bits reply = !parity && bits >= 8 ? Bits() : placed.tag.hear(frame, bits);
        if (!reply.empty()) {
            replies.push_back(std::move(reply));
        }
    }
    const bool receiver = (regs_[CommandReg] & 0x20) == 0 && regs_[RxSelReg] >> 6 == 2;
    if (!receiver) {
        replies.clear();
    }
    if (!replies.empty() && (regs_[RxSelReg] & 0x3F) * etu > answer_delay) {
        throw NotModelled("a receiver that begins to listen after the answer has begun (RxWait)");
    }
    if (!replies.empty() && (regs_[RxModeReg] & 0x70) != 0) {
        throw NotModelled("what a receiver at another speed makes of a reply at 106 kbit/s");
    }
    return replies;
}

// Flips one to three bits; tells whether a parity shows it: two flips in one byte hide one another.
bool Rc522Model::disturb(Bits& reply) {
    std::uniform_int_distribution<std::size_t> where(0, reply.size() - 1);
    const unsigned align = regs_[BitFramingReg] >> 4 & 7;
    uint64_t odd = 0;  // bytes with an odd number of flips
    for (int n = std::uniform_int_distribution<int>(1, 3)(chance_); n > 0; --n) {
        const std::size_t at = where(chance_);
        reply[at] = !reply[at];
        odd ^= uint64_t{1} << ((align + at) / 8 % 64);
    }
    return odd != 0;
}

// Lays the replies over one another, as the receiver hears them from `begins` on, and notes what the registers will say.
void Rc522Model::hear(std::vector<Bits>& replies, Nanoseconds begins) {
    bool odd = false;
    if (std::uniform_int_distribution<unsigned>(0, 99)(chance_) < noise_) {
        if (std::uniform_int_distribution<unsigned>(0, 99)(chance_) < vanish_) {
            return;
        }
        for (Bits& reply : replies) {
            odd = disturb(reply) || odd;
        }
    }
    receiving_ = true;
    rx_begin_ = begins;
    rx_end_ = begins + frame_time(replies.front().size());
    timer_stop_ = begins + 5 * etu;
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
    heard_ = Heard();
    if (collided < heard.size()) {
        heard_.error = collision_error;
        const std::size_t position = align + collided + 1;  // counted from 1 in the frame as stored, 32 is written as 0
        heard_.collision = static_cast<uint8_t>(position <= 32 ? position & 0x1F : 0x20);
        if ((regs_[CollReg] & 0x80) == 0) {
            std::fill(heard.begin() + static_cast<long>(collided), heard.end(), false);
        }
    } else if (odd) {
        heard_.error = parity_error;
    }
    heard_.bytes.assign((align + heard.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < heard.size(); ++i) {
        if (heard[i]) {
            heard_.bytes[(align + i) / 8] = static_cast<uint8_t>(heard_.bytes[(align + i) / 8] | 1 << ((align + i) % 8));
        }
    }
    heard_.last_bits = static_cast<uint8_t>((align + heard.size()) % 8);
    if ((regs_[RxModeReg] & 0x80) && heard_.bytes.size() >= 3) {
        const std::size_t body = heard_.bytes.size() - 2;
        uint16_t crc = preset(regs_[ModeReg]);
        for (std::size_t i = 0; i < body; ++i) {
            crc = crc_more(crc, heard_.bytes[i]);
        }
        if (crc != (heard_.bytes[body] | heard_.bytes[body + 1] << 8)) {
            heard_.error = static_cast<uint8_t>(heard_.error | crc_error);
        }
        heard_.bytes.resize(body);
    }
}

}  // namespace model
