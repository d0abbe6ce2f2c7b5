#include "pixel_strip.hpp"

namespace model {

namespace {
// High for 0.25 to 0.55 us is a 0, for 0.65 to 0.95 us a 1 (data sheet); anything else is nothing that a strip need understand.
constexpr Nanoseconds zero_least = 250, zero_most = 550, one_least = 650, one_most = 950;
constexpr Nanoseconds latch_time = 50000;  // low for longer: the end
}  // namespace

void PixelStrip::level(bool high, Nanoseconds now) {
    if (high) {
        rose_at_ = now;
    } else if (rose_at_ != 0) {
        const Nanoseconds lasted = now - rose_at_;
        garbled_ = garbled_ || lasted < zero_least || (lasted > zero_most && lasted < one_least) || lasted > one_most;
        bits_.push_back(lasted >= one_least);
        fell_at_ = now;
    }
}

bool PixelStrip::latch(Nanoseconds now) {
    if (bits_.empty() || now - fell_at_ < latch_time) {
        return false;
    }
    std::vector<uint32_t> shown = pixels_;
    for (std::size_t i = 0; !garbled_ && i < shown.size() && bits_.size() >= (i + 1) * 24; ++i) {
        uint32_t grb = 0;
        for (std::size_t bit = 0; bit < 24; ++bit) {
            grb = grb << 1 | (bits_[i * 24 + bit] ? 1 : 0);
        }
        shown[i] = (grb >> 8 & 0xFF) << 16 | grb >> 16 << 8 | (grb & 0xFF);
    }
    bits_.clear();
    garbled_ = false;
    const bool changed = shown != pixels_;
    pixels_ = shown;
    return changed;
}

}  // namespace model
