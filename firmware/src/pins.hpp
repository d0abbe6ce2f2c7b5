// Made by tools/pins.py from pins.toml: change that file, not this one.
#pragma once

#include <stdint.h>

namespace reader {

struct Pin {
    char port;
    uint8_t bit;
};

#if defined(READER_RP2040)  // Raspberry Pi Pico or RP2040-Zero, one under each tray

constexpr uint8_t board_code = 4;
constexpr uint8_t pad_count = 1;
constexpr uint8_t seat_count = 1;
constexpr uint32_t baud = 500000;
constexpr Pin pin_sck = {'P', 2};
constexpr Pin pin_mosi = {'P', 3};
constexpr Pin pin_miso = {'P', 4};
constexpr Pin pin_reset = {'P', 6};
constexpr Pin pin_lights = {'P', 7};
constexpr Pin pin_buzzer = {'P', 10};
constexpr Pin pins_select[] = {{'P', 1}};
constexpr Pin pins_accept[] = {{'P', 8}};
constexpr Pin pins_refuse[] = {{'P', 9}};

#elif defined(__AVR_ATmega328P__)  // Arduino Nano or Uno

constexpr uint8_t board_code = 2;
constexpr uint8_t pad_count = 3;
constexpr uint8_t seat_count = 3;
constexpr uint32_t baud = 500000;
constexpr Pin pin_sck = {'B', 5};
constexpr Pin pin_mosi = {'B', 3};
constexpr Pin pin_miso = {'B', 4};
constexpr Pin pin_ss = {'B', 2};
constexpr Pin pin_reset = {'D', 7};
constexpr Pin pin_lights = {'D', 6};
constexpr Pin pin_buzzer = {'D', 3};
constexpr Pin pins_select[] = {{'B', 0}, {'B', 1}, {'B', 2}};
constexpr Pin pins_accept[] = {{'C', 0}, {'C', 2}, {'C', 4}};
constexpr Pin pins_refuse[] = {{'C', 1}, {'C', 3}, {'C', 5}};

#else
#error "pins.toml has no such board"
#endif

}  // namespace reader
