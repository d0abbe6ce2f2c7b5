#include "miso.hpp"

namespace model {

uint8_t Miso::exchange(std::vector<Rc522Model>& readers, uint8_t mosi, Nanoseconds now) {
    uint8_t bus = 0xFF;
    for (std::size_t i = 0; i < readers.size(); ++i) {
        if (!readers[i].selected()) {
            continue;  // its gate is closed, whatever it does with its line
        }
        const uint8_t driven = readers[i].drives() ? readers[i].exchange(mosi, now) : undriven(lines_[i]);
        bus = static_cast<uint8_t>(bus & (lines_[i].shorted ? 0 : driven));  // where two gates are open, the lower wins
    }
    return bus_shorted_ ? 0 : bus;
}

}  // namespace model
