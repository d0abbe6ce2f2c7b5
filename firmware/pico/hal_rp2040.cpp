// The hardware layer on an RP2040 (Raspberry Pi Pico, RP2040-Zero) at 48 MHz, with its registers and nothing else.
//
// Never near a real chip: it runs in rp2040js, which knows registers and instructions, and no volt. PROTOCOL.md and hardware/
// say what follows from it.
#include "../src/hal.hpp"
#include "../src/pins.hpp"
#include "../src/protocol.hpp"
#include "rp2040.hpp"
#include "string.h"

namespace reader {
namespace hal {

namespace {

constexpr uint32_t psm = 0x40010000, resets = 0x4000C000, clocks = 0x40008000, io_qspi = 0x40018000, xosc = 0x40024000;
constexpr uint32_t pll_usb = 0x4002C000, spi = 0x4003C000, pwm = 0x40050000, timer = 0x40054000, watchdog = 0x40058000;
constexpr uint32_t rosc = 0x40060000, chip_reset = 0x40064008, ssi = 0x18000000, sio = 0xD0000000;
constexpr uint32_t sio_in = sio + 0x04, sio_high = sio + 0x14, sio_low = sio + 0x18, sio_output = sio + 0x24;
constexpr uint32_t timer_now = timer + 0x28;  // microseconds
enum Reset : uint32_t {
    reset_io = 1U << 5, reset_pads = 1U << 8, reset_pll_usb = 1U << 13, reset_pwm = 1U << 14, reset_spi0 = 1U << 16,
    reset_timer = 1U << 21, reset_usb = 1U << 24,
};

volatile uint32_t clock_ms = 0;
volatile bool paused = false;
uint32_t next_ms;
uint8_t cause;
// The boot ROM starts a new program by the watchdog too. What is kept in this word was written by us, and survives only a bite.
constexpr uint32_t scratch = 0x40058000 + 0x0C, watched = 0xB17E;
// SSPCR0 for the only reader.
constexpr uint32_t rate_quick = 5U << 8 | 7, rate_slow = 23U << 8 | 7;  // 48 MHz / 2 / 6 or / 24; 8 bits, mode 0

enum Function : uint32_t { as_spi = 1, as_pwm = 4, as_sio = 5 };  // 2.19.2
void use(const Pin& pin, Function function) { at(io_bank + 4 + 8U * pin.bit) = function; }
constexpr uint32_t mask(const Pin& pin) { return 1U << pin.bit; }

void output(const Pin& pin, bool high) {
    at(high ? sio_high : sio_low) = mask(pin);
    at(sio_output) = mask(pin);
    use(pin, as_sio);
}

void pull_up(const Pin& pin) { at(pad_bank + 4 + 4U * pin.bit) = 0x5A; }  // input, pull-up, Schmitt trigger

void out_of_reset(uint32_t which) {
    clear_bits(resets, which);
    while ((~at(resets + 8) & which) != 0) {
    }
}

// 48 MHz from the crystal's 12: what USB needs is enough for all.
void start_clocks() {
    at(xosc) = 0xAA0;        // 1 to 15 MHz
    at(xosc + 0x0C) = 752;   // times 256 cycles, 16 ms: small boards have slow crystals
    set_bits(xosc, 0xFAB000);
    while ((at(xosc + 4) & 1U << 31) == 0) {
    }
    at(clocks + 0x30) = 2;  // reference: the crystal
    while (at(clocks + 0x38) != 1U << 2) {
    }
    at(clocks + 0x3C) = 0;  // system: the reference, while the PLL starts
    while (at(clocks + 0x44) != 1U << 0) {
    }
    out_of_reset(reset_pll_usb);
    at(pll_usb) = 1;
    at(pll_usb + 8) = 100;  // 1200 MHz
    clear_bits(pll_usb + 4, 1U << 5 | 1U << 0);
    while ((at(pll_usb) & 1U << 31) == 0) {
    }
    at(pll_usb + 0x0C) = 5U << 16 | 5U << 12;
    clear_bits(pll_usb + 4, 1U << 3);
    at(clocks + 0x3C) = 1U << 5;
    at(clocks + 0x3C) = 1U << 5 | 1U << 0;  // system: that PLL
    while (at(clocks + 0x44) != 1U << 1) {
    }
    at(clocks + 0x48) = 1U << 11;  // peripherals: as the system
    at(clocks + 0x54) = 1U << 11;  // USB: that PLL
    at(watchdog + 0x2C) = 1U << 9 | 12;  // the microsecond
}

void next_millisecond() {
    next_ms += 1000;
    at(timer + 0x10) = next_ms;
}

}  // namespace

void begin() {
    const bool bitten = at(watchdog + 8) != 0 && at(scratch) == watched;
    at(scratch) = watched;
    cause = bitten                              ? cause_watchdog
            : (at(chip_reset) & 1U << 16) != 0  ? cause_pin
            : (at(chip_reset) & 1U << 8) != 0   ? cause_power  // or a supply too low: the chip does not say which
                                                : cause_unknown;
    start_clocks();
    out_of_reset(reset_io | reset_pads | reset_pwm | reset_spi0 | reset_timer | reset_usb);
    output(pins_select[0], true);
    output(pin_reset, false);
    output(pin_lights, false);
    output(pin_buzzer, false);
    const Pin pulled_up[] = {pins_accept[0], pins_refuse[0], pin_miso};
    for (const Pin& pin : pulled_up) {
        pull_up(pin);
        use(pin, as_sio);
    }
    use(pin_sck, as_spi);
    use(pin_mosi, as_spi);
    use(pin_miso, as_spi);
    at(spi + 0x10) = 2;
    spi_slow(0, false);

    set_bits(timer + 0x38, 1U << 0 | 1U << 1);
    at(nvic_enable) = 1U << 0 | 1U << 1;
    next_ms = at(timer_now);
    next_millisecond();
    serial_begin();

    clear_bits(watchdog, 1U << 30);
    at(psm + 8) = 0x1FFFC;  // a bite resets all but the oscillators
    watchdog_fed();
    set_bits(watchdog, 1U << 30);
    asm volatile("cpsie i" ::: "memory");
}

uint8_t reset_cause() { return cause; }

// The ring oscillator's random bit, which differs each time (2.17.5).
uint32_t boot_id() {
    uint32_t hash = 2166136261UL;
    for (uint16_t i = 0; i < 256; ++i) {
        hash = (hash ^ (at(rosc + 0x1C) & 1)) * 16777619UL;
    }
    return hash == 0 ? 1 : hash;
}

// Command 4Bh: four bytes of nothing, then eight of the chip's number. The select wire is held by hand, and the program reads
// nothing from flash meanwhile or later.
uint64_t flash_id() {
    constexpr uint32_t select = io_qspi + 0x0C;
    at(ssi + 0x08) = 0;
    at(ssi + 0x14) = 8;           // 6 MHz
    at(ssi) = 7U << 16;           // 8 bits a frame, both ways
    at(ssi + 0x08) = 1;
    at(select) = 2U << 8;         // low
    uint64_t id = 0;
    for (uint8_t i = 0; i < 13; ++i) {
        at(ssi + 0x60) = i == 0 ? 0x4B : 0;
        while ((at(ssi + 0x28) & 1U << 3) == 0) {  // nothing has come
        }
        id = id << 8 | (at(ssi + 0x60) & 0xFF);
    }
    at(select) = 0;
    return id;
}

Lock::Lock() {
    uint32_t masked;
    asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(masked)::"memory");
    was = static_cast<uint8_t>(masked);
}
Lock::~Lock() {
    if (was == 0) {
        asm volatile("cpsie i" ::: "memory");
    }
}

uint32_t millis() { return clock_ms; }
uint16_t ticks() { return static_cast<uint16_t>(at(timer_now) * 2); }

void pause(uint16_t us) {
    Lock lock;
    paused = true;
    at(timer + 0x14) = at(timer_now) + us + 2;  // one that has passed already would come in an hour
    while (paused) {
        asm volatile("wfi\n\tcpsie i\n\tnop\n\tcpsid i" ::: "memory");
    }
}

void rest() {
    Lock lock;  // an interrupt that waits wakes the chip all the same
    if (!serial_waiting()) {
        asm volatile("wfi" ::: "memory");
    }
}

void watchdog_fed() { at(watchdog + 4) = 2000000; }  // a second: the chip counts two a microsecond (erratum E1)

void transfer(uint8_t, const uint8_t* out, uint8_t* in, uint8_t count) {
    at(sio_low) = mask(pins_select[0]);
    uint8_t sent = 0, got = 0;
    while (got < count) {
        if (sent < count && sent - got < 8) {  // as many as its FIFO holds
            at(spi + 8) = out[sent++];
        }
        if ((at(spi + 0x0C) & 1U << 2) != 0) {
            const uint8_t came = static_cast<uint8_t>(at(spi + 8));
            if (in != nullptr) {
                in[got] = came;
            }
            ++got;
        }
    }
    at(sio_high) = mask(pins_select[0]);
}

void transfer_two(uint8_t pad, uint8_t first, uint8_t second) {
    const uint8_t out[2] = {first, second};
    transfer(pad, out, nullptr, 2);
}

void spi_slow(uint8_t, bool slow) {
    at(spi + 4) = 0;
    at(spi) = slow ? rate_slow : rate_quick;
    at(spi + 4) = 1U << 1;
}

// There is one reader: if it never lets go of MISO, nobody is disturbed.
uint8_t idle_miso() { return 0xFF; }

void readers_reset(bool held) { at(held ? sio_low : sio_high) = mask(pin_reset); }

uint8_t keys_down(bool refuse) { return (at(sio_in) & mask(refuse ? pins_refuse[0] : pins_accept[0])) == 0 ? 1 : 0; }

// WS2812B: 1.25 us a bit, 0.4 us high for 0 and 0.8 us for 1 (data sheet: 0.25 to 0.55, 0.65 to 0.95); 48 cycles are a
// microsecond. Interrupts are off for 30 us, and a wait of RAM there is none.
static void show_bits(uint32_t bits) {  // 24 of them, the first on top
    uint32_t left = 24, high, low;
    asm volatile(
        "1: lsls %[bits], #1              \n\t"  // the next bit is the carry
        "   str %[line], [%[sio], #0x14]  \n\t"  // up
        "   movs %[high], #5              \n\t"
        "   movs %[low], #12              \n\t"
        "   bcc 2f                        \n\t"
        "   movs %[high], #11             \n\t"
        "   movs %[low], #6               \n\t"
        "2: subs %[high], #1              \n\t"  // three cycles a turn
        "   bne 2b                        \n\t"
        "   str %[line], [%[sio], #0x18]  \n\t"  // down, after 19 cycles or 38
        "3: subs %[low], #1               \n\t"
        "   bne 3b                        \n\t"
        "   subs %[left], #1              \n\t"
        "   bne 1b                        \n\t"
        : [bits] "+l"(bits), [left] "+l"(left), [high] "=&l"(high), [low] "=&l"(low)
        : [sio] "l"(sio), [line] "l"(mask(pin_lights))
        : "cc", "memory");
}

void show(const Colour* pixels, uint8_t count) {
    for (uint8_t i = 0; i < count; ++i) {
        Lock lock;
        show_bits(static_cast<uint32_t>(pixels[i].green) << 24 | static_cast<uint32_t>(pixels[i].red) << 16 |
                  static_cast<uint32_t>(pixels[i].blue) << 8);
    }
}

void tone(uint16_t hertz) {
    static_assert(pin_buzzer.bit % 2 == 0, "on output A of its slice");
    constexpr uint32_t slice = pwm + 0x14 * (pin_buzzer.bit / 2 % 8);
    if (hertz == 0) {
        at(slice) = 0;
        use(pin_buzzer, as_sio);
        return;
    }
    const uint32_t wave = 1000000 / hertz;
    at(slice + 0x04) = 48U << 4;  // counts microseconds
    at(slice + 0x10) = wave - 1;
    at(slice + 0x0C) = wave / 2;
    at(slice) = 1;
    use(pin_buzzer, as_pwm);
}

}  // namespace hal
}  // namespace reader

extern "C" void millisecond_over() {
    using namespace reader::hal;
    at(timer + 0x34) = 1U << 0;
    next_millisecond();
    ++clock_ms;
    serial_tick();
    reader::tick();
}

extern "C" void pause_over() {
    using namespace reader::hal;
    at(timer + 0x34) = 1U << 1;
    paused = false;
}

// There is no library: what src/ and the compiler itself call. Volatile, or the compiler would make of each a call of itself.
void* memmove(void* to, const void* from, size_t count) {
    const bool down = to > from;  // the last byte first, where the two places overlap so
    for (size_t i = 0; i < count; ++i) {
        const size_t n = down ? count - 1 - i : i;
        static_cast<volatile uint8_t*>(to)[n] = static_cast<const uint8_t*>(from)[n];
    }
    return to;
}
void* memcpy(void* to, const void* from, size_t count) { return memmove(to, from, count); }
void* memset(void* to, int value, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        static_cast<volatile uint8_t*>(to)[i] = static_cast<uint8_t>(value);
    }
    return to;
}
int memcmp(const void* one, const void* other, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const int differs = static_cast<const uint8_t*>(one)[i] - static_cast<const uint8_t*>(other)[i];
        if (differs != 0) {
            return differs;
        }
    }
    return 0;
}
extern "C" void __cxa_pure_virtual() {
    for (;;) {
    }
}
