// The hardware layer on an ATmega328P at 16 MHz, with avr-libc and nothing else.
#if defined(__AVR__)

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "hal.hpp"
#include "pins.hpp"
#include "protocol.hpp"

extern uint8_t __heap_start;  // the linker's: first byte of RAM that no variable uses

namespace reader {
namespace hal {

namespace {

volatile uint32_t clock_ms = 0;
volatile bool pause_over = true;
uint8_t cause = cause_unknown;
uint8_t mcusr_at_start __attribute__((section(".noinit")));
constexpr uint16_t bitten_mark = 0xB17E;
uint16_t bitten __attribute__((section(".noinit")));  // bitten_mark: the watchdog has started the program anew

template <uint8_t size>
struct Ring {
    volatile uint8_t bytes[size];
    volatile uint8_t head;  // next to take
    volatile uint8_t tail;  // next free
    uint8_t used() const { return static_cast<uint8_t>((tail - head) & (size - 1)); }
    uint8_t room() const { return static_cast<uint8_t>(size - 1 - used()); }
};
Ring<128> incoming = {{0}, 0, 0};
Ring<128> outgoing = {{0}, 0, 0};

// The three registers of a port, one after another: PINx, DDRx, PORTx.
volatile uint8_t* port_of(char letter) {
    switch (letter) {
        case 'B': return &PINB;
        case 'C': return &PINC;
        default: return &PIND;
    }
}

uint8_t mask(const Pin& pin) { return static_cast<uint8_t>(1 << pin.bit); }

void set(const Pin& pin, bool high) {
    volatile uint8_t* port = port_of(pin.port) + 2;
    *port = static_cast<uint8_t>(high ? *port | mask(pin) : *port & ~mask(pin));
}

void output(const Pin& pin, bool high) {
    set(pin, high);
    volatile uint8_t* ddr = port_of(pin.port) + 1;
    *ddr = static_cast<uint8_t>(*ddr | mask(pin));
}

void input_pulled_up(const Pin& pin) { set(pin, true); }

// Where chip selects and keys live, looked up once: these are the most frequent things the board does.
struct Place {
    volatile uint8_t* port;
    uint8_t bit;
    uint8_t spi;  // SPCR for this reader
};
// Mode 0 at 4 MHz: the chip takes 10, the level shifter does not. 1 MHz for what does not take 4 either.
constexpr uint8_t spi_quick = _BV(SPE) | _BV(MSTR), spi_with_care = spi_quick | _BV(SPR0);
Place selects[pad_count];
Place keys[2][seat_count];  // accept, refuse

}  // namespace

void begin() {
    cause = bitten == bitten_mark         ? cause_watchdog
            : mcusr_at_start & _BV(WDRF)  ? cause_watchdog
            : mcusr_at_start & _BV(BORF)  ? cause_brown_out
            : mcusr_at_start & _BV(PORF)  ? cause_power
            : mcusr_at_start & _BV(EXTRF) ? cause_pin
                                          : cause_unknown;  // some boot loaders clear the flags
    bitten = 0;
    for (uint8_t i = 0; i < pad_count; ++i) {
        output(pins_select[i], true);
        selects[i].port = port_of(pins_select[i].port) + 2;
        selects[i].bit = mask(pins_select[i]);
        selects[i].spi = spi_quick;
    }
    for (uint8_t i = 0; i < seat_count; ++i) {
        input_pulled_up(pins_accept[i]);
        input_pulled_up(pins_refuse[i]);
        keys[0][i].port = port_of(pins_accept[i].port);
        keys[0][i].bit = mask(pins_accept[i]);
        keys[1][i].port = port_of(pins_refuse[i].port);
        keys[1][i].bit = mask(pins_refuse[i]);
    }
    output(pin_ss, true);
    output(pin_sck, false);
    output(pin_mosi, false);
    input_pulled_up(pin_miso);
    output(pin_reset, false);
    output(pin_lights, false);
    output(pin_buzzer, false);
    SPCR = spi_quick;

    TCCR0A = _BV(WGM01);  // the millisecond
    OCR0A = 249;
    TIMSK0 = _BV(OCIE0A);
    TCCR0B = _BV(CS01) | _BV(CS00);
    TCCR1A = 0;  // half microseconds, running free
    TCCR1B = _BV(CS11);
    TIMSK1 = 0;
    tone(0);

    UCSR0A = 0;
    UBRR0 = static_cast<uint16_t>(F_CPU / 16 / baud - 1);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXCIE0) | _BV(RXEN0) | _BV(TXEN0);

    set_sleep_mode(SLEEP_MODE_IDLE);
    wdt_reset();
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = _BV(WDIE) | _BV(WDP2) | _BV(WDP1);  // an interrupt after a second, no reset: see ISR(WDT_vect)
    sei();
}

uint8_t reset_cause() { return cause; }

// What RAM happens to hold at power-on differs from board to board and a little from start to start; a counter in the
// EEPROM differs for certain.
uint32_t boot_id() {
    uint32_t hash = 2166136261UL;
    const uint8_t* ram = &__heap_start;
    for (uint16_t i = 0; i < 256; ++i) {
        hash = (hash ^ ram[i]) * 16777619UL;
    }
    uint16_t* const counter = nullptr;  // the EEPROM's first word
    const uint16_t starts = static_cast<uint16_t>(eeprom_read_word(counter) + 1);
    eeprom_update_word(counter, starts);
    hash = (hash ^ (starts & 0xFF)) * 16777619UL;
    hash = (hash ^ (starts >> 8)) * 16777619UL;
    return hash == 0 ? 1 : hash;
}

Lock::Lock() : was(SREG) { cli(); }
Lock::~Lock() { SREG = was; }

uint32_t millis() {
    Lock lock;
    return clock_ms;
}

uint16_t ticks() {
    Lock lock;  // the timer's high byte is shared with the interrupt
    return TCNT1;
}

void pause(uint16_t us) {
    {
        Lock lock;
        pause_over = false;
        OCR1A = static_cast<uint16_t>(TCNT1 + 2 * us);
        TIFR1 = _BV(OCF1A);
        TIMSK1 = _BV(OCIE1A);
    }
    for (;;) {
        cli();
        if (pause_over) {
            break;
        }
        sleep_enable();
        sei();  // takes effect after the next instruction: no interrupt slips in between
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

void rest() {
    cli();
    if (incoming.used() != 0) {
        sei();
        return;
    }
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
}

void watchdog_fed() { wdt_reset(); }

void transfer(uint8_t pad, const uint8_t* out, uint8_t* in, uint8_t count) {
    volatile uint8_t* const port = selects[pad].port;
    const uint8_t bit = selects[pad].bit;
    SPCR = selects[pad].spi;
    *port = static_cast<uint8_t>(*port & ~bit);
    SPDR = *out++;
    while (--count != 0) {
        // Fetched while the byte before is on the wire, so that this one follows without a gap.
        const uint8_t next = *out++;
        while ((SPSR & _BV(SPIF)) == 0) {
        }
        const uint8_t came = SPDR;
        SPDR = next;
        if (in != nullptr) {
            *in++ = came;
        }
    }
    while ((SPSR & _BV(SPIF)) == 0) {
    }
    const uint8_t last = SPDR;
    if (in != nullptr) {
        *in = last;
    }
    *port = static_cast<uint8_t>(*port | bit);
}

void transfer_two(uint8_t pad, uint8_t first, uint8_t second) {
    volatile uint8_t* const port = selects[pad].port;
    const uint8_t bit = selects[pad].bit;
    SPCR = selects[pad].spi;
    *port = static_cast<uint8_t>(*port & ~bit);
    SPDR = first;
    while ((SPSR & _BV(SPIF)) == 0) {
    }
    SPDR = second;
    while ((SPSR & _BV(SPIF)) == 0) {
    }
    *port = static_cast<uint8_t>(*port | bit);
}

void spi_slow(uint8_t pad, bool slow) { selects[pad].spi = slow ? spi_with_care : spi_quick; }

uint8_t idle_miso() {
    SPDR = 0;
    while ((SPSR & _BV(SPIF)) == 0) {
    }
    return SPDR;
}

void readers_reset(bool held) { set(pin_reset, !held); }

bool serial_get(uint8_t& byte) {
    if (incoming.used() == 0) {
        return false;
    }
    byte = incoming.bytes[incoming.head];
    incoming.head = static_cast<uint8_t>((incoming.head + 1) & 127);
    return true;
}

uint8_t serial_room() { return outgoing.room(); }

void serial_put(uint8_t byte) {
    Lock lock;
    outgoing.bytes[outgoing.tail] = byte;
    outgoing.tail = static_cast<uint8_t>((outgoing.tail + 1) & 127);
    UCSR0B |= _BV(UDRIE0);
}

uint8_t keys_down(bool refuse) {
    const Place* place = keys[refuse ? 1 : 0];
    uint8_t down = 0;
    for (uint8_t seat = 1; seat != 1 << seat_count; seat = static_cast<uint8_t>(seat << 1), ++place) {
        if ((*place->port & place->bit) == 0) {
            down = static_cast<uint8_t>(down | seat);
        }
    }
    return down;
}

// WS2812B: 1.25 us a bit, 0.4 us high for 0 and 0.8 us for 1 (data sheet: 0.25 to 0.55, 0.65 to 0.95). Interrupts are off
// for one pixel, 30 us; between pixels the line may rest up to 50 us before the strip takes that for the end.
static void show_byte(volatile uint8_t* port, uint8_t high, uint8_t low, uint8_t value) {
    uint8_t bits = 8;
    asm volatile(
        "1: st %a[port], %[high]  \n\t"  // 2 cycles: the line goes up
        "   nop                   \n\t"
        "   nop                   \n\t"
        "   nop                   \n\t"
        "   sbrs %[value], 7      \n\t"  // 1, or 2 when the bit is 1 and the next is left out
        "   st %a[port], %[low]   \n\t"  // down after 6 cycles (0.38 us) for a 0
        "   lsl %[value]          \n\t"
        "   nop                   \n\t"
        "   nop                   \n\t"
        "   nop                   \n\t"
        "   nop                   \n\t"
        "   st %a[port], %[low]   \n\t"  // down after 13 cycles (0.81 us) for a 1
        "   nop                   \n\t"
        "   dec %[bits]           \n\t"
        "   brne 1b               \n\t"
        : [value] "+r"(value), [bits] "+r"(bits)
        : [port] "e"(port), [high] "r"(high), [low] "r"(low));
}

void show(const Colour* pixels, uint8_t count) {
    volatile uint8_t* port = port_of(pin_lights.port) + 2;
    for (uint8_t i = 0; i < count; ++i) {
        Lock lock;
        const uint8_t low = static_cast<uint8_t>(*port & ~mask(pin_lights));
        const uint8_t high = static_cast<uint8_t>(low | mask(pin_lights));
        show_byte(port, high, low, pixels[i].green);
        show_byte(port, high, low, pixels[i].red);
        show_byte(port, high, low, pixels[i].blue);
    }
}

// Timer 2 counts to OCR2A and turns OC2B over there: half a wave every (OCR2A + 1) * 128 cycles.
void tone(uint16_t hertz) {
    if (hertz == 0) {
        TCCR2A = 0;
        TCCR2B = 0;
        set(pin_buzzer, false);
        return;
    }
    OCR2A = static_cast<uint8_t>(F_CPU / 2 / 128 / hertz - 1);
    OCR2B = 0;
    TCCR2A = _BV(COM2B0) | _BV(WGM21);
    TCCR2B = _BV(CS22) | _BV(CS20);
}

}  // namespace hal
}  // namespace reader

// Before anything else: keep the cause of the reset, and stop the watchdog, which keeps running after it has bitten.
void keep_cause(void) __attribute__((naked, used, section(".init3")));
void keep_cause(void) {
    reader::hal::mcusr_at_start = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

// The watchdog has bitten. It must not reset the chip: the boot loader of older boards (Nanos until 2018) does not know
// that the watchdog then goes on with 16 ms, and is reset by it again and again until the power goes. So the program starts itself
// anew. Where even interrupts have stopped, the program on the other side hears nothing, opens the port again, and DTR resets the board.
ISR(WDT_vect, ISR_NAKED) {
    asm volatile("clr __zero_reg__");
    WDTCSR = _BV(WDCE) | _BV(WDE);
    WDTCSR = 0;
    reader::hal::bitten = reader::hal::bitten_mark;
    asm volatile("jmp 0");
}

// Reading the keys takes about as long as a byte on the line, whose interrupt must not wait for it.
ISR(TIMER0_COMPA_vect, ISR_NOBLOCK) {
    ++reader::hal::clock_ms;
    reader::tick();
}

ISR(TIMER1_COMPA_vect) {
    TIMSK1 = 0;
    reader::hal::pause_over = true;
}

ISR(USART_RX_vect) {
    const uint8_t byte = UDR0;
    using reader::hal::incoming;
    if (incoming.room() != 0) {
        incoming.bytes[incoming.tail] = byte;
        incoming.tail = static_cast<uint8_t>((incoming.tail + 1) & 127);
    }
}

ISR(USART_UDRE_vect) {
    using reader::hal::outgoing;
    if (outgoing.used() == 0) {
        UCSR0B &= static_cast<uint8_t>(~_BV(UDRIE0));
        return;
    }
    UDR0 = outgoing.bytes[outgoing.head];
    outgoing.head = static_cast<uint8_t>((outgoing.head + 1) & 127);
}

#endif
