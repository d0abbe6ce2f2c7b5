// What the files of this folder share: registers by their addresses (RP2040 data sheet), and the line to the program.
#pragma once

#include <stdint.h>

namespace reader {
namespace hal {

using Register = volatile uint32_t;
inline Register& at(uint32_t address) { return *reinterpret_cast<Register*>(address); }
// Every register of the slow buses has shadows that set or clear the bits written there, in one access (2.1.2).
inline void set_bits(uint32_t address, uint32_t bits) { at(address + 0x2000) = bits; }
inline void clear_bits(uint32_t address, uint32_t bits) { at(address + 0x3000) = bits; }

constexpr uint32_t io_bank = 0x40014000, pad_bank = 0x4001C000, nvic_enable = 0xE000E100;

uint64_t flash_id();    // the flash chip's own number; the RP2040 has none
void serial_begin();
void serial_tick();     // once a millisecond, from the clock's interrupt
bool serial_waiting();  // a byte has come

}  // namespace hal
}  // namespace reader
