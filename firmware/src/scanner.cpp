#include "scanner.hpp"

#include "hal.hpp"

namespace reader {

namespace {
constexpr uint16_t check_miso_every_ms = 500;
}

void Scanner::begin(Reports& reports, uint32_t now) {
    reports_ = &reports;
    hal::readers_reset(true);
    hal::pause(200);  // data sheet 8.8.1: NRSTPD low for at least 100 ns
    hal::readers_reset(false);
    for (uint8_t i = 0; i < pad_count; ++i) {
        pads_[i].begin(i, reports);
    }
    sweep_at_ = now;
    miso_at_ = now;
}

void Scanner::work(uint32_t now) {
    if (now - miso_at_ >= check_miso_every_ms) {
        miso_at_ = now;
        check_miso();
    }
    if (now - sweep_at_ < period_ms) {
        return;
    }
    sweep_at_ = now;
    const uint16_t from = hal::ticks();
    sweep(now);
    const uint32_t ms = hal::millis() - now;
    const uint16_t us = ms > 30 ? static_cast<uint16_t>(ms > 65 ? 65535 : ms * 1000) : static_cast<uint16_t>(static_cast<uint16_t>(hal::ticks() - from) / 2);
    longest_us_ = us > longest_us_ ? us : longest_us_;
}

void Scanner::sweep(uint32_t now) {
    for (uint8_t i = 0; i < pad_count; ++i) {
        pads_[i].begin_sweep(now);
    }
    for (uint8_t i = 0; i < pad_count && pads_[turn_].tags() == 0; ++i) {
        turn_ = static_cast<uint8_t>((turn_ + 1) % pad_count);
    }
    for (uint8_t i = 0; i < pad_count; ++i) {
        pads_[i].end_sweep();
    }
    for (uint8_t i = 0; i < pad_count; ++i) {
        pads_[i].look_after(i == turn_);
    }
    turn_ = static_cast<uint8_t>((turn_ + 1) % pad_count);
}

// With nobody selected only the pull-up holds MISO: whoever holds it down makes every other reader look wrong.
void Scanner::check_miso() {
    const uint8_t health = hal::idle_miso() == 0xFF ? health_ok : health_miso_driven;
    if (health != health_) {
        health_ = health;
        reports_->report(what_fault, whole_board, health, nullptr, 0);
    }
}

uint16_t Scanner::take_longest_us() {
    const uint16_t longest = longest_us_;
    longest_us_ = 0;
    return longest;
}

}  // namespace reader
