// What the native hardware layer is connected to.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

struct NativeBoard {
    explicit NativeBoard(unsigned how_many) : pads(how_many) {}

    const unsigned pads;
    uint64_t now = 0;          // nanoseconds, simulated
    uint64_t started = 0;      // when it was last reset
    uint32_t clock_offset = 0; // milliseconds that the board's clock shows at its start: to try its wrap
    uint32_t boot_id = 1;
    uint8_t cause = 1;
    std::deque<uint8_t> incoming;
    uint64_t line_used = 0, line_at = 0;
    unsigned spi_hertz = 4000000;
    uint8_t keys[2] = {0, 0};

    std::function<void(unsigned, bool)> selected;
    std::function<uint8_t(uint8_t)> exchange;
    std::function<void(bool)> readers_reset;
    std::function<void(uint8_t)> sent;
    std::function<void(const std::vector<uint32_t>&)> showed;
    std::function<void(unsigned)> tuned;
};

extern NativeBoard native_board;

// The firmware's program (src/main.cpp).
void board_begin();
void board_work();
