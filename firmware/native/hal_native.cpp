// The hardware layer on this computer, with simulated time: what the board does takes about as long as on an AVR.
#include "hal_native.hpp"

#include "../src/hal.hpp"
#include "../src/pins.hpp"
#include "../src/protocol.hpp"

NativeBoard native_board(reader::pad_count);

namespace reader {
namespace hal {

namespace {

constexpr uint64_t millisecond = 1000000;
bool locked = false;
uint16_t slow_readers = 0;  // bit 0 is pad 1

// Time passes; the clock's interrupt comes each millisecond.
void pass(uint64_t nanoseconds) {
    const uint64_t before = native_board.now / millisecond;
    native_board.now += nanoseconds;
    for (uint64_t ms = before; ms < native_board.now / millisecond; ++ms) {
        tick();
    }
}

}  // namespace

void begin() {
    native_board.incoming.clear();
    slow_readers = 0;
}
uint8_t reset_cause() { return native_board.cause; }
uint32_t boot_id() { return native_board.boot_id; }

uint32_t millis() {
    return static_cast<uint32_t>((native_board.now - native_board.started) / millisecond) + native_board.clock_offset;
}
uint16_t ticks() {
    pass(500);
    return static_cast<uint16_t>(native_board.now / 500);
}
void pause(uint16_t us) { pass(us * 1000ULL); }
void rest() { pass(millisecond - native_board.now % millisecond); }
void watchdog_fed() {}

void transfer(uint8_t pad, const uint8_t* out, uint8_t* in, uint8_t count) {
    native_board.selected(pad, true);
    const bool slow = (slow_readers >> pad & 1) != 0;
    native_board.spi_hertz = slow ? 1000000 : 4000000;
    for (uint8_t i = 0; i < count; ++i) {
        pass(slow ? 10000 : 4000);
        const uint8_t came = native_board.exchange(out[i]);
        if (in != nullptr) {
            in[i] = came;
        }
    }
    native_board.selected(pad, false);
}
void transfer_two(uint8_t pad, uint8_t first, uint8_t second) {
    const uint8_t out[2] = {first, second};
    transfer(pad, out, nullptr, 2);
}
void spi_slow(uint8_t pad, bool slow) {
    slow_readers = static_cast<uint16_t>(slow ? slow_readers | 1U << pad : slow_readers & ~(1U << pad));
}
uint8_t idle_miso() { return native_board.exchange(0); }
void readers_reset(bool held) { native_board.readers_reset(held); }

bool serial_get(uint8_t& byte) {
    if (native_board.incoming.empty()) {
        return false;
    }
    byte = native_board.incoming.front();
    native_board.incoming.pop_front();
    return true;
}

// 127 bytes wait at most, and 50 leave in a millisecond, as on the board.
uint8_t serial_room() {
    const uint64_t gone = (native_board.now - native_board.line_at) / 20000;
    native_board.line_used = native_board.line_used > gone ? native_board.line_used - gone : 0;
    native_board.line_at = native_board.now;
    return static_cast<uint8_t>(native_board.line_used < 127 ? 127 - native_board.line_used : 0);
}
void serial_put(uint8_t byte) {
    ++native_board.line_used;
    native_board.sent(byte);
}

uint8_t keys_down(bool refuse) { return native_board.keys[refuse ? 1 : 0]; }

void show(const Colour* pixels, uint8_t count) {
    std::vector<uint32_t> shown;
    for (uint8_t i = 0; i < count; ++i) {
        shown.push_back(static_cast<uint32_t>(pixels[i].red) << 16 | static_cast<uint32_t>(pixels[i].green) << 8 | pixels[i].blue);
    }
    pass(30000ULL * count);
    native_board.showed(shown);
}
void tone(uint16_t hertz) { native_board.tuned(hertz); }

Lock::Lock() : was(locked) { locked = true; }
Lock::~Lock() { locked = was != 0; }

}  // namespace hal
}  // namespace reader
