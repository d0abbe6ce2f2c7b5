#include "avr_serial.hpp"

#include <utility>

extern "C" {
#include <simavr/avr_uart.h>
}

namespace {

// Addresses and bits are the same on both chips (data sheets, "USART Register Description").
constexpr unsigned ucsr0a = 0xC0, ucsr0b = 0xC1, ubrr0l = 0xC4, ubrr0h = 0xC5;
constexpr uint8_t receiver_on = 0x10, frame_error = 0x10, double_speed = 0x02;

}  // namespace

AvrSerial::AvrSerial(avr_t* avr, std::function<void(uint8_t)> heard) : avr_(avr), heard_(std::move(heard)) {
    uint32_t flags = 0;
    avr_ioctl(avr_, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~static_cast<uint32_t>(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr_, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr_, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), byte_sent, this);
    input_ = avr_io_getirq(avr_, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
}

void AvrSerial::receive(const uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        to_board_.send(bytes[i], now(), program_bit_);
    }
    wait_for_next();
}

void AvrSerial::restarted() {
    to_board_.clear();
    to_program_.clear();
}

model::Nanoseconds AvrSerial::board_bit() const {
    const unsigned divider = (avr_->data[ubrr0h] & 0x0FU) << 8 | avr_->data[ubrr0l];
    return (divider + 1) * (avr_->data[ucsr0a] & double_speed ? 8 : 16) * 125 / 2;
}

// A reset of the chip, its watchdog's too, drops simavr's timers: so this one is asked for, not remembered.
void AvrSerial::wait_for_next() {
    const model::Nanoseconds due = to_board_.due(board_bit());
    if (due != 0 && avr_cycle_timer_status(avr_, feed, this) == 0) {
        const avr_cycle_count_t at = due * 2 / 125 + 1;
        avr_cycle_timer_register(avr_, at > avr_->cycle ? at - avr_->cycle : 1, feed, this);
    }
}

avr_cycle_count_t AvrSerial::feed(avr_t* avr, avr_cycle_count_t when, void* param) {
    AvrSerial* serial = static_cast<AvrSerial*>(param);
    const model::Nanoseconds bit = serial->board_bit();
    if ((avr->data[ucsr0b] & receiver_on) == 0) {
        serial->to_board_.miss(serial->now());
    } else if (serial->to_board_.due(bit) != 0 && serial->to_board_.due(bit) <= serial->now()) {
        const model::SerialLine::Heard heard = serial->to_board_.hear(bit);
        avr->data[ucsr0a] = static_cast<uint8_t>(heard.framed ? avr->data[ucsr0a] & ~frame_error : avr->data[ucsr0a] | frame_error);
        avr_raise_irq(serial->input_, heard.byte);
    }
    const model::Nanoseconds due = serial->to_board_.due(bit);
    if (due == 0) {
        return 0;
    }
    const avr_cycle_count_t at = due * 2 / 125 + 1;
    return at > when ? at : when + 1;
}

void AvrSerial::byte_sent(avr_irq_t*, uint32_t value, void* param) {
    AvrSerial* serial = static_cast<AvrSerial*>(param);
    const model::Nanoseconds bit = serial->board_bit();
    if (bit == serial->program_bit_) {
        serial->heard_(static_cast<uint8_t>(value));
        return;
    }
    serial->to_program_.send(static_cast<uint8_t>(value), serial->now(), bit);
    while (serial->to_program_.due(serial->program_bit_) != 0) {
        serial->heard_(serial->to_program_.hear(serial->program_bit_).byte);
    }
}
