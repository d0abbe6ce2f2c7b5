#include "miso.hpp"

namespace model {

uint8_t Miso::exchange(std::vector<Rc522Model>& readers, uint8_t mosi, unsigned hertz, Nanoseconds now) {
    uint8_t bus = 0xFF;
    for (std::size_t i = 0; i < readers.size(); ++i) {
        if (!readers[i].selected()) {
            continue;  // its gate is closed, whatever it does with its line
        }
        uint8_t driven = readers[i].drives() ? readers[i].exchange(mosi, now) : undriven(lines_[i]);
        if (readers[i].drives() && hertz > lines_[i].hertz_most) {
            driven = static_cast<uint8_t>(driven ^ (1U << noise_() % 8));  // an edge that comes too late
        }
        bus = static_cast<uint8_t>(bus & (lines_[i].shorted ? 0 : driven));  // where two gates are open, the lower wins
    }
    return bus_shorted_ ? 0 : bus;
}

}  // namespace model
