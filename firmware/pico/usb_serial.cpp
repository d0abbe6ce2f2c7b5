// The line to the program over the chip's own USB: a serial port as every system knows it (CDC ACM), bare registers
// (RP2040 data sheet, 4.1; USB 2.0, chapter 9; CDC PSTN 1.2).
//
// All of it runs in the interrupts, but for the bytes' two rings. A packet to the computer is never of 64 bytes, so that none of no
// bytes need follow it; a packet from the computer is taken only when the ring has room for 64, so that nothing is lost.
#include "../src/hal.hpp"
#include "../src/protocol.hpp"
#include "rp2040.hpp"

namespace reader {
namespace hal {
namespace {

constexpr uint32_t ram = 0x50100000, usb = 0x50110000;
constexpr uint32_t address_of_us = usb, sie_status = usb + 0x50, buffers_done = usb + 0x58, stall_armed = usb + 0x68, muxing = usb + 0x74;
constexpr uint32_t phy = usb + 0x7C, phy_override = usb + 0x80;
constexpr uint32_t in_control(uint8_t ep) { return ram + 8U * ep; }  // of endpoints 1 and up
constexpr uint32_t out_control(uint8_t ep) { return ram + 8U * ep + 4; }
constexpr uint32_t in_buffer(uint8_t ep) { return ram + 0x80 + 8U * ep; }
constexpr uint32_t out_buffer(uint8_t ep) { return ram + 0x84 + 8U * ep; }
constexpr uint32_t full = 1U << 15, data1 = 1U << 13, stalled = 1U << 11, available = 1U << 10, length_bits = 0x3FF;
constexpr uint32_t bytes_control = 0x100, bytes_notify = 0x180, bytes_in = 0x1C0, bytes_out = 0x200;
constexpr uint32_t on_setup = 1U << 16, on_bus_reset = 1U << 12, on_buffer = 1U << 4;
enum : uint8_t { ep_notify = 1, ep_data = 2 };
constexpr uint16_t packet = 64;

// 2e8a:000a is what Raspberry Pi gives out for any serial port of an RP2040; who we are is said by the names.
// EF 02 01: the interfaces belong together as the configuration says. So Windows 10 and later take their own driver for it.
const uint8_t device[] = {18, 1, 0x00, 0x02, 0xEF, 2, 1, packet, 0x8A, 0x2E, 0x0A, 0x00, firmware_version[1], firmware_version[0], 1, 2, 3, 1};
const uint8_t configuration[] = {
    9, 2, 75, 0, 2, 1, 0, 0x80, 250 / 2,             // from the bus, up to 250 mA (hardware/supply.py)
    8, 11, 0, 2, 2, 2, 0, 0,                         // two interfaces, one function: CDC, ACM; protocol 0: no AT commands
    9, 4, 0, 0, 1, 2, 2, 0, 0,                       // the port's control
    5, 0x24, 0, 0x10, 0x01, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1,
    7, 5, 0x80 | ep_notify, 3, 8, 0, 16,
    9, 4, 1, 0, 2, 10, 0, 0, 0,                      // its bytes
    7, 5, ep_data, 2, packet, 0, 0,
    7, 5, 0x80 | ep_data, 2, packet, 0, 0,
};
static_assert(sizeof configuration == 75, "it says its own length");

char serial_number[21] = "TRAY";  // by which programs know a tray, on every system; then the flash's number
const char* const texts[] = {"Card Table Companion", "Card tray", serial_number};
constexpr uint8_t text_max = 20;
uint8_t line_coding[7] = {0x20, 0xA1, 0x07, 0, 0, 0, 8};  // 500,000 8N1: kept for whoever asks, and without meaning

struct Ring {
    volatile uint8_t bytes[128];
    volatile uint8_t head, tail;
    uint8_t used() const { return static_cast<uint8_t>((tail - head) & 127); }
    uint8_t room() const { return static_cast<uint8_t>(127 - used()); }
    void put(uint8_t byte) {
        bytes[tail] = byte;
        tail = static_cast<uint8_t>((tail + 1) & 127);
    }
    uint8_t get() {
        const uint8_t byte = bytes[head];
        head = static_cast<uint8_t>((head + 1) & 127);
        return byte;
    }
};
Ring incoming, outgoing;
bool configured, in_busy, out_armed, open;
bool next_in, next_out;          // whether the next packet is DATA1
uint8_t new_address;             // to be taken once its request has been answered; 0: none
bool coding_due;                 // a line coding is on its way
const uint8_t* answer_left;      // what of an answer is still to be sent
uint16_t answer_size;
bool answering, answer_data1;
bool answer_ends_short;          // an empty packet tells its end

// Erratum RP2040-E5: after a reset of the bus older chips wait for 800 us of silence, which a hub with other devices never gives,
// and are never found. The way out that the data sheet names: once the reset is over, the controller is shown that silence by pin
// GP15, which is why nothing is wired there.
enum : uint8_t { e5_none, e5_reset, e5_shown, e5_shown_long, e5_mended } e5;
constexpr uint32_t e5_pin = io_bank + 8U * 15 + 4, e5_pad = pad_bank + 4 + 4U * 15;
uint32_t e5_pin_was, e5_pad_was;

void arm(uint32_t buffer, uint32_t value) {
    at(buffer) = value;
    // The controller wants the length a moment before AVAILABLE (4.1.2.5.1); it runs at our own clock, 48 MHz.
    asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
    at(buffer) = value | available;
}
volatile uint8_t& byte_at(uint32_t where) { return *reinterpret_cast<volatile uint8_t*>(ram + where); }

void send_answer() {
    const uint16_t now = answer_size < packet ? answer_size : packet;
    for (uint16_t i = 0; i < now; ++i) {
        byte_at(bytes_control + i) = *answer_left++;
    }
    answer_size = static_cast<uint16_t>(answer_size - now);
    arm(in_buffer(0), full | (answer_data1 ? data1 : 0) | now);
    answer_data1 = !answer_data1;
}
void answer(const uint8_t* bytes, uint16_t size, uint16_t wanted) {
    answer_left = bytes;
    answer_size = size < wanted ? size : wanted;
    answer_ends_short = size < wanted && size % packet == 0;
    answering = answer_data1 = true;
    send_answer();
}
void acknowledge() { arm(in_buffer(0), full | data1); }
void stall() {
    at(stall_armed) = 3;
    at(in_buffer(0)) = stalled;
    at(out_buffer(0)) = stalled;
}

void listen() {
    if (configured && !out_armed && incoming.room() >= packet) {
        out_armed = true;
        arm(out_buffer(ep_data), (next_out ? data1 : 0) | packet);
        next_out = !next_out;
    }
}
void speak() {
    if (!configured || in_busy || outgoing.used() == 0) {
        return;
    }
    uint8_t count = 0;
    while (count < packet - 1 && outgoing.used() != 0) {
        byte_at(bytes_in + count++) = outgoing.get();
    }
    in_busy = true;
    arm(in_buffer(ep_data), full | (next_in ? data1 : 0) | count);
    next_in = !next_in;
}

void configure(bool on) {
    configured = on;
    next_in = next_out = in_busy = out_armed = false;
    at(in_buffer(ep_data)) = at(out_buffer(ep_data)) = 0;  // what waited before a reset
    listen();
    speak();
}
// Its packets are counted from DATA0 again, also the one that waits.
void halt_cleared(uint8_t endpoint) {
    if (endpoint == ep_data) {
        next_out = out_armed = false;
        listen();
    } else if (endpoint == (0x80 | ep_data)) {
        next_in = in_busy;
        if (in_busy) {
            arm(in_buffer(ep_data), full | (at(in_buffer(ep_data)) & length_bits));
        }
    }
}
void opened(bool now) {
    if (now && !open) {
        outgoing.head = outgoing.tail;  // what was said to nobody
    }
    open = now;
}

void describe(uint8_t kind, uint8_t which, uint16_t wanted) {
    static uint8_t text[2 + 2 * text_max];
    if (kind == 1) {
        return answer(device, sizeof device, wanted);
    }
    if (kind == 2) {
        return answer(configuration, sizeof configuration, wanted);
    }
    if (kind != 3 || which > 3) {  // there is no other speed than full: none is described
        return stall();
    }
    uint8_t size = 2;
    if (which == 0) {
        text[size++] = 0x09;  // English
        text[size++] = 0x04;
    } else {
        for (const char* c = texts[which - 1]; *c != 0 && size < sizeof text; ++c) {
            text[size++] = static_cast<uint8_t>(*c);
            text[size++] = 0;
        }
    }
    text[0] = size;
    text[1] = 3;
    answer(text, size, wanted);
}

void setup() {
    static uint8_t told[2];
    const uint16_t request = static_cast<uint16_t>(byte_at(0) << 8 | byte_at(1));
    const uint8_t low = byte_at(2), high = byte_at(3), endpoint = byte_at(4);
    const uint16_t size = static_cast<uint16_t>(byte_at(6) | byte_at(7) << 8);
    new_address = 0;
    coding_due = answering = false;
    told[0] = told[1] = 0;
    switch (request) {
        case 0x8006: return describe(high, low, size);
        case 0x8000: case 0x8100: case 0x8200: return answer(told, 2, size);   // status: bus powered, not halted
        case 0x8008: told[0] = configured; return answer(told, 1, size);
        case 0x810A: return answer(told, 1, size);                             // interface: its only setting
        case 0xA121: return answer(line_coding, sizeof line_coding, size);
        case 0x0005: new_address = low; break;
        case 0x0009: configure(low != 0); break;
        case 0x0201: halt_cleared(endpoint); break;
        case 0x2122: opened((low & 1) != 0); break;                            // DTR
        case 0x2120: coding_due = true; return arm(out_buffer(0), data1 | packet);
        default:
            if ((request & 0x8000) != 0 || size != 0) {
                return stall();
            }
    }
    acknowledge();
}

void buffer_done(uint8_t which) {
    switch (which) {
        case 0:  // to the computer, control
            if (new_address != 0) {
                at(address_of_us) = new_address;
                new_address = 0;
            } else if (answer_size != 0 || (answering && answer_ends_short)) {
                answer_ends_short = answer_ends_short && answer_size != 0;
                send_answer();
            } else if (answering) {
                answering = false;
                arm(out_buffer(0), data1);  // the computer's empty packet ends it
            }
            return;
        case 1:  // from the computer, control
            if (coding_due) {
                coding_due = false;
                for (uint8_t i = 0; i < sizeof line_coding; ++i) {
                    line_coding[i] = byte_at(bytes_control + i);
                }
                acknowledge();
            }
            return;
        case 2 * ep_data:
            in_busy = false;
            return speak();
        case 2 * ep_data + 1:
            for (uint32_t i = 0, count = at(out_buffer(ep_data)) & length_bits; i < count; ++i) {
                incoming.put(byte_at(bytes_out + i));
            }
            out_armed = false;
            return listen();
        default: return;
    }
}

}  // namespace

void serial_begin() {
    const uint64_t id = flash_id();
    for (uint8_t i = 0; i < 16; ++i) {
        serial_number[4 + i] = "0123456789ABCDEF"[id >> (60 - 4 * i) & 15];
    }
    for (uint32_t i = 0; i < 0x100; i += 4) {
        at(ram + i) = 0;
    }
    e5 = (at(0x40000000) >> 28) == 1 ? e5_none : e5_mended;  // the chip's revision: 1 up to B1; B2 has it mended
    at(muxing) = 1U << 0 | 1U << 3;         // to the transceiver
    at(usb + 0x78) = 1U << 3 | 1U << 2;     // power from the bus is taken to be there: we live on it
    constexpr uint32_t in_use = 1U << 31 | 1U << 29;
    at(in_control(ep_notify)) = in_use | 3U << 26 | bytes_notify;
    at(in_control(ep_data)) = in_use | 2U << 26 | bytes_in;
    at(out_control(ep_data)) = in_use | 2U << 26 | bytes_out;
    at(usb + 0x90) = on_setup | on_bus_reset | on_buffer;
    at(usb + 0x40) = 1;
    at(usb + 0x4C) = 1U << 29 | 1U << 16;   // an interrupt a control packet; pull-up: the computer sees a device
    at(nvic_enable) = 1U << 5;
}

void serial_tick() {
    if (e5 == e5_reset && (at(sie_status) & 3U << 2) != 0) {  // the reset is over: the wires are not both low any more
        e5_pin_was = at(e5_pin);
        e5_pad_was = at(e5_pad);
        at(e5_pad) = 1U << 6 | 1U << 3 | 1U << 2;        // an input that keeps what it is
        at(e5_pin) = 3U << 16 | 2U << 12 | 8;            // reads high, drives nothing, is D+
        at(phy) = 1U << 1;                               // the pull-up stays
        at(phy_override) = 1U << 2;
        at(muxing) = 1U << 2 | 1U << 3;                  // D+ and D- are pins now
        e5 = e5_shown;
    } else if (e5 == e5_shown) {
        e5 = e5_shown_long;
    } else if (e5 == e5_shown_long) {  // for two milliseconds; the computer says nothing for ten
        at(muxing) = 1U << 0 | 1U << 3;
        at(phy_override) = 0;
        at(e5_pin) = e5_pin_was;
        at(e5_pad) = e5_pad_was;
        e5 = e5_none;
    }
}

bool serial_waiting() { return incoming.used() != 0; }

bool serial_get(uint8_t& byte) {
    Lock lock;
    if (incoming.used() == 0) {
        return false;
    }
    byte = incoming.get();
    listen();
    return true;
}

uint8_t serial_room() { return outgoing.room(); }

void serial_put(uint8_t byte) {
    Lock lock;
    outgoing.put(byte);
    speak();
}

}  // namespace hal
}  // namespace reader

extern "C" void usb_wants() {
    using namespace reader::hal;
    const uint32_t why = at(usb + 0x98);
    if ((why & on_bus_reset) != 0) {
        clear_bits(sie_status, 1U << 19);
        at(address_of_us) = 0;
        configure(false);
        opened(false);
        new_address = 0;
        coding_due = answering = false;
        e5 = e5 == e5_none ? e5_reset : e5;
    }
    if ((why & on_setup) != 0) {
        clear_bits(sie_status, 1U << 17);
        setup();
    }
    while (const uint32_t done = at(buffers_done)) {
        clear_bits(buffers_done, done);
        for (uint8_t i = 0; i < 6; ++i) {
            if ((done & 1U << i) != 0) {
                buffer_done(i);
            }
        }
    }
}
