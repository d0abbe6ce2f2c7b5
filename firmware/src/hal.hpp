// The thin layer between the firmware and what it runs on: hal_avr.cpp and ../pico/ on the boards,
// native/hal_native.cpp in tests.
#pragma once

#include <stdint.h>

#if defined(__AVR__)
#include <avr/pgmspace.h>
#define FLASH PROGMEM  // a constant that stays in flash: read it with from_flash
#else
#define FLASH
#endif

namespace reader {
inline uint16_t from_flash(const uint16_t& at) {
#if defined(__AVR__)
    return pgm_read_word(&at);
#else
    return at;
#endif
}

namespace hal {

struct Colour {
    uint8_t red, green, blue;
};

void begin();               // pins, timers, serial line, watchdog
uint8_t reset_cause();      // ResetCause of the last start
uint32_t boot_id();         // differs at each start, never 0

uint32_t millis();          // since the start, wraps after 49.7 days
uint16_t ticks();           // half microseconds, wraps after 32.8 ms
void pause(uint16_t us);    // waits, asleep; at most 20 ms
void rest();                // sleeps until the next interrupt, at most one millisecond
void watchdog_fed();

// One conversation with a reader over SPI: `count` bytes out, and what came meanwhile to `in` unless that is null.
void transfer(uint8_t pad, const uint8_t* out, uint8_t* in, uint8_t count);
void transfer_two(uint8_t pad, uint8_t first, uint8_t second);  // the same for two bytes out: quicker, and the most frequent
void spi_slow(uint8_t pad, bool slow);  // 1 MHz instead of 4 with this reader
uint8_t idle_miso();             // a byte read while no reader is selected
void readers_reset(bool held);   // the RST wire of all readers

bool serial_get(uint8_t& byte);  // false: nothing there
uint8_t serial_room();
void serial_put(uint8_t byte);

uint8_t keys_down(bool refuse);  // as the pins are now, bit 0 is seat 1; called from tick()
void show(const Colour* pixels, uint8_t count);
void tone(uint16_t hertz);        // 0: silence; 150 to 4000

// Between lock and unlock no interrupt comes.
struct Lock {
    Lock();
    ~Lock();
    uint8_t was;
};

}  // namespace hal

// Called once a millisecond from the clock's interrupt.
void tick();
// Keeps the serial line and the panel going; called while a long frame is on air.
void service();

}  // namespace reader
