// The wire MISO. Each reader is modelled with a line of its own behind a gate that its SDA opens, as circuits with a 74HCT125 have it.
// hardware/circuit.py joins the lines directly, so a reader's shorted line silences all of them there, which this model does not show.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "rc522.hpp"

namespace model {

class Miso {
 public:
    Miso(std::size_t readers, uint32_t seed) : lines_(readers), noise_(seed) {}

    // One byte over SPI: to every reader that is selected, and what the board sees on the bus.
    uint8_t exchange(std::vector<Rc522Model>& readers, uint8_t mosi, unsigned hertz, Nanoseconds now);

    // Faults, by the reader's number.
    void short_line(std::size_t reader, bool shorted) { lines_[reader].shorted = shorted; }
    void pull_up(std::size_t reader, bool there) { lines_[reader].pulled_up = there; }
    void slow_leads(std::size_t reader, unsigned hertz) { lines_[reader].hertz_most = hertz; }
    void short_bus(bool shorted) { bus_shorted_ = shorted; }

 private:
    struct Line {
        bool shorted = false;    // to ground; or the reader never lets it go
        unsigned hertz_most = 10000000;  // the chip's own; less with long leads, or a clone
        bool pulled_up = true;   // boards built before the resistors were drawn have none: the gate's input floats
    };
    uint8_t undriven(const Line& line) { return line.pulled_up ? 0xFF : static_cast<uint8_t>(noise_()); }

    std::vector<Line> lines_;
    std::mt19937 noise_;
    bool bus_shorted_ = false;
};

}  // namespace model
