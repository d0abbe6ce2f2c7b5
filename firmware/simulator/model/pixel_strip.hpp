// A strip of WS2812B pixels: what its data wire's level makes them show.
#pragma once

#include <cstdint>
#include <vector>

#include "rc522.hpp"

namespace model {

class PixelStrip {
 public:
    explicit PixelStrip(std::size_t pixels) : pixels_(pixels, 0) {}

    void level(bool high, Nanoseconds now);  // the wire goes up or down
    // Takes over what was sent, once the wire has been low for long enough; true if the pixels show something else now.
    bool latch(Nanoseconds now);
    const std::vector<uint32_t>& pixels() const { return pixels_; }  // 0xRRGGBB

 private:
    std::vector<uint32_t> pixels_;
    std::vector<bool> bits_;
    bool garbled_ = false;
    Nanoseconds rose_at_ = 0, fell_at_ = 0;
};

}  // namespace model
