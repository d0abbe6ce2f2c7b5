#include "rc522.hpp"

// Between two frames of an anticollision every microsecond counts: a pile of ten tags takes fifty frames.
#pragma GCC optimize("O2")

#include <string.h>

#include "frame.hpp"
#include "hal.hpp"

namespace reader {

namespace {

// Register addresses (data sheet, table 20).
enum Register : uint8_t {
    CommandReg = 0x01,
    ComIrqReg = 0x04,
    ErrorReg = 0x06,
    FIFODataReg = 0x09,
    FIFOLevelReg = 0x0A,
    BitFramingReg = 0x0D,
    CollReg = 0x0E,
    TxModeReg = 0x12,
    RxModeReg = 0x13,
    TxControlReg = 0x14,
    TxASKReg = 0x15,
    RFCfgReg = 0x26,
    GsNReg = 0x27,
    CWGsPReg = 0x28,
    TModeReg = 0x2A,
    TPrescalerReg = 0x2B,
    TReloadRegH = 0x2C,
    TReloadRegL = 0x2D,
    AutoTestReg = 0x36,
    VersionReg = 0x37,
};

constexpr uint8_t command_idle = 0x00;
constexpr uint8_t command_mem = 0x01, command_calc_crc = 0x03;
constexpr uint8_t command_transceive = 0x0C;
constexpr uint8_t command_soft_reset = 0x0F;
constexpr uint8_t power_down = 0x10;

constexpr uint8_t irq_rx = 0x20, irq_timer = 0x01;
constexpr uint8_t error_collision = 0x08;
constexpr uint8_t position_unknown = 0x20;
constexpr uint8_t start_send = 0x80, flush = 0x80, clear_all = 0x7F;

// The timer ticks every (2 * 67 + 1) / 13.56 MHz = 9.96 us and starts by itself when a frame has been sent. A tag answers
// after 91 us and the timer stops at its fifth bit, 47 us later: 250 us leave room for slow clones.
constexpr uint8_t timer_auto = 0x80;
constexpr uint8_t timer_prescaler = 67;
constexpr uint8_t timer_reload = 25;
constexpr uint16_t answer_delay_us = 85;
constexpr uint16_t patience_us = 5000;
constexpr uint16_t deaf_ticks = 176;  // 88 us: after its answer a tag is deaf for 1172 carrier periods (ISO 14443-3, 6.2.1.2)
constexpr uint16_t request_guard_ticks = 1033;  // 516 us from one REQA or WUPA to the next (7000 carrier periods, ISO 14443-3, 6.2.2)
constexpr uint16_t talk_us = 600;     // a wait that leaves time for the serial line


// 9.44 us a bit: nine bits a whole byte with its parity, the bits of a part, start and end of frame.
uint16_t air_us(uint16_t bits) { return static_cast<uint16_t>((bits * 151) >> 4); }

// All that is written once and must stay, in the order in which it is looked at.
constexpr uint8_t settings[] = {TPrescalerReg, TxControlReg, RFCfgReg, GsNReg, CWGsPReg, TxASKReg,
                                TModeReg, TReloadRegH, TReloadRegL, TxModeReg, RxModeReg};

constexpr uint8_t address_to_read(uint8_t reg) { return static_cast<uint8_t>(0x80 | (reg << 1)); }

}  // namespace

uint8_t Rc522::read(uint8_t reg) const {
    const uint8_t out[2] = {address_to_read(reg), 0};
    uint8_t in[2];
    hal::transfer(pad_, out, in, 2);
    return in[1];
}

void Rc522::write(uint8_t reg, uint8_t value) const {
    hal::transfer_two(pad_, static_cast<uint8_t>(reg << 1), value);
}

void Rc522::soft_reset() {
    write(CommandReg, command_soft_reset);
}

bool Rc522::reset_done() const { return (read(CommandReg) & power_down) == 0; }

void Rc522::set_slow(bool slow) const { hal::spi_slow(pad_, slow); }

bool Rc522::wires_sound() const {
    for (uint8_t i = 0; i < 8; ++i) {
        const uint8_t pattern = i & 1 ? 0x55 : 0xAA;
        write(TReloadRegL, pattern);
        if (read(TReloadRegL) != pattern) {
            return false;
        }
    }
    return true;
}

uint16_t Rc522::self_test() const {
    constexpr uint8_t buffer = 25, answer_bytes = 64, tries_most = 255;
    write(FIFOLevelReg, flush);
    for (uint8_t i = 0; i < buffer; ++i) {
        write(FIFODataReg, 0);
    }
    write(CommandReg, command_mem);
    write(AutoTestReg, 0x09);
    write(FIFODataReg, 0);
    write(CommandReg, command_calc_crc);
    for (uint8_t i = 0; i < tries_most && read(FIFOLevelReg) < answer_bytes; ++i) {
    }
    uint16_t crc = crc16_start;
    for (uint8_t i = 0; i < answer_bytes; ++i) {
        crc = crc16(crc, read(FIFODataReg));
    }
    return crc;
}

bool Rc522::set_up() {
    write(TModeReg, timer_auto);
    write(TPrescalerReg, timer_prescaler);
    write(TReloadRegH, 0);
    write(TReloadRegL, timer_reload);
    write(TxASKReg, 0x40);   // full-depth modulation, whatever ModGsP says
    write(TxModeReg, 0);     // 106 kbit/s; CRC_A is added and checked in iso14443a.cpp, which is quicker than to switch it
    write(RxModeReg, 0);     // on and off here
    return read(TPrescalerReg) == timer_prescaler && read(TReloadRegL) == timer_reload;
}

void Rc522::set_gain(uint8_t gain) { write(RFCfgReg, static_cast<uint8_t>((gain & 7) << 4 | 8)); }

// Data sheet 9.3.3.6 and 9.3.3.7: conductance of the output drivers while the carrier is on; full, as NXP's own library sets it.
void Rc522::set_drive(bool full) {
    write(GsNReg, full ? 0xFF : 0x88);
    write(CWGsPReg, full ? 0x3F : 0x20);
}

void Rc522::field(bool on) { write(TxControlReg, on ? 0x83 : 0x80); }

uint8_t Rc522::version() const { return read(VersionReg); }

void Rc522::remember_settings() {
    for (uint8_t i = 0; i < settings_count; ++i) {
        kept_[i] = read(settings[i]);
    }
}

// The one that differs stays the one to look at: three sweeps must agree before the chip is set up anew.
bool Rc522::settings_kept() {
    if (read(settings[turn_]) != kept_[turn_]) {
        return false;
    }
    turn_ = static_cast<uint8_t>(turn_ + 1 == settings_count ? 0 : turn_ + 1);
    return true;
}

void Rc522::start(const Request& request) {
    uint8_t fifo[1 + request_most] = {FIFODataReg << 1};
    memcpy(fifo + 1, request.data, request.size);
    write(CommandReg, command_idle);  // as NXP's own library begins each exchange: some chips keep an old frame otherwise
    write(ComIrqReg, clear_all);
    write(FIFOLevelReg, flush);
    hal::transfer(pad_, fifo, nullptr, static_cast<uint8_t>(request.size + 1));
    write(CommandReg, command_transceive);
    while (static_cast<uint16_t>(hal::ticks() - ended_at_) < deaf_ticks) {
    }
    const bool short_frame = request.last_bits == 7 && request.size == 1;
    if (short_frame) {
        while (static_cast<uint16_t>(hal::ticks() - requested_at_) < request_guard_ticks) {
        }
    }
    write(BitFramingReg, static_cast<uint8_t>(start_send | (request.align << 4) | request.last_bits));
    started_at_ = hal::ticks();
    if (short_frame) {
        requested_at_ = started_at_;
    }
    reply_size_ = request.reply_size;
    air_us_ = air_us(static_cast<uint16_t>(request.size * 9 + 2 - (request.last_bits != 0 ? 9 - request.last_bits : 0)));
    if (reply_size_ != 0) {
        air_us_ = static_cast<uint16_t>(air_us_ + answer_delay_us + air_us(static_cast<uint16_t>(reply_size_ * 9 + 2)));
    }
}

// Waits until the outcome can be known. A long frame leaves time to talk to the host meanwhile.
void Rc522::wait() const {
    uint16_t gone = static_cast<uint16_t>(hal::ticks() - started_at_) / 2;
    if (gone + talk_us < air_us_) {
        service();
        gone = static_cast<uint16_t>(hal::ticks() - started_at_) / 2;
    }
    if (gone + 20 < air_us_) {
        hal::pause(static_cast<uint16_t>(air_us_ - gone));
    }
}

Outcome Rc522::finish() {
    wait();
    uint8_t irq = read(ComIrqReg);
    while ((irq & (irq_rx | irq_timer)) == 0) {
        if (static_cast<uint16_t>(hal::ticks() - started_at_) / 2 > patience_us) {
            write(CommandReg, command_idle);
            return mute;
        }
        irq = read(ComIrqReg);
    }
    if ((irq & irq_rx) == 0) {
        return silence;
    }
    ended_at_ = hal::ticks();
    // One address after another in a row: each byte that comes is the answer to the address before.
    static const uint8_t out[3 + reply_most] = {
        address_to_read(ErrorReg),    address_to_read(FIFOLevelReg), address_to_read(FIFODataReg), address_to_read(FIFODataReg),
        address_to_read(FIFODataReg), address_to_read(FIFODataReg),  address_to_read(FIFODataReg), address_to_read(FIFODataReg)};
    uint8_t in[3 + reply_most];
    hal::transfer(pad_, out, in, static_cast<uint8_t>(3 + reply_size_));
    const uint8_t error = in[1], level = in[2];
    const bool too_long = level > reply_size_;
    reply_.size = too_long ? reply_size_ : level;
    memcpy(reply_.data, in + 3, reply_most);
    if (error & error_collision) {
        // CollPos counts the bits of the received frame from 1, those that RxAlign left out included; 0 stands for 32.
        const uint8_t at = read(CollReg);
        reply_.collision = static_cast<uint8_t>((at + 31) & 0x1F);
        return at & position_unknown ? garbled : collision;
    }
    return too_long || error != 0 ? garbled : answer;
}

}  // namespace reader
