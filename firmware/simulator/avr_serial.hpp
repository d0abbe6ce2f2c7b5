// The board's serial line in simavr: what the program on the other side sends and hears, each at its own speed.
#pragma once

#include <cstdint>
#include <functional>

extern "C" {
#include <simavr/sim_avr.h>
}

#include "model/serial_line.hpp"

class AvrSerial {
 public:
    // `heard`: told of each byte that the program hears, when the board begins to send it.
    AvrSerial(avr_t* avr, std::function<void(uint8_t)> heard);
    AvrSerial(const AvrSerial&) = delete;
    AvrSerial& operator=(const AvrSerial&) = delete;

    void receive(const uint8_t* bytes, size_t count);  // the program sends
    void program_speed(unsigned baud) { program_bit_ = 1000000000U / baud; }
    void restarted();                                  // the chip has been reset: nothing is on the line

 private:
    static void byte_sent(avr_irq_t* irq, uint32_t value, void* param);
    static avr_cycle_count_t feed(avr_t* avr, avr_cycle_count_t when, void* param);
    model::Nanoseconds now() const { return avr_->cycle * 125 / 2; }
    model::Nanoseconds board_bit() const;  // by the divider that is set now
    void wait_for_next();

    avr_t* avr_;
    avr_irq_t* input_;
    std::function<void(uint8_t)> heard_;
    model::Nanoseconds program_bit_ = 2000;  // 500,000 baud, as our own program speaks
    model::SerialLine to_board_, to_program_;
};
