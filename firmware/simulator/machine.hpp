// A board being simulated, whatever runs its firmware: simavr (avr_machine.cpp) or this computer (native_machine.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/miso.hpp"
#include "model/rc522.hpp"

struct PinAt {
    char port;
    int bit;
};

// Where a board's wires are, and what its chip is (from pins.toml, handed over by build/boards.txt).
struct BoardMap {
    std::string name, mcu;
    PinAt reset, lights;
    std::vector<std::string> pads;
    std::vector<PinAt> selects, accepts, refuses;
};

BoardMap read_board(const std::string& file, const std::string& name);

class Machine {
 public:
    Machine(const BoardMap& map, uint32_t seed) : map_(map), miso_(map.pads.size(), seed) {
        for (size_t i = 0; i < map.pads.size(); ++i) {
            readers_.emplace_back(seed + static_cast<uint32_t>(i));
        }
    }
    virtual ~Machine() = default;

    virtual void run_until(model::Nanoseconds when) = 0;
    virtual model::Nanoseconds now() const = 0;
    virtual void press(unsigned seat, bool refuse, bool down) = 0;
    virtual void reset(bool power) = 0;                  // the reset key, or the supply off and on
    virtual void receive(const uint8_t* bytes, size_t count) = 0;  // into the board's serial line
    virtual void line_speed(unsigned) {}                 // at which the other side sends and hears, in baud
    virtual uint64_t cycles() const = 0;
    virtual bool hang(bool) { return false; }            // the program runs astray; false: cannot be tried here
    virtual bool wipe() { return false; }                // no program but the boot loader; false: cannot be tried here

    const BoardMap& map() const { return map_; }
    model::Rc522Model& reader(size_t pad) { return readers_[pad]; }
    model::Miso& miso() { return miso_; }

    // Told as it happens, with the machine's own time.
    std::function<void(uint8_t)> on_byte = [](uint8_t) {};
    std::function<void(const std::vector<uint32_t>&)> on_lights = [](const std::vector<uint32_t>&) {};  // 0xRRGGBB
    std::function<void(unsigned)> on_tone = [](unsigned) {};

 protected:
    uint8_t exchange(uint8_t mosi, unsigned hertz, model::Nanoseconds when) { return miso_.exchange(readers_, mosi, hertz, when); }

    BoardMap map_;
    std::vector<model::Rc522Model> readers_;
    model::Miso miso_;
    unsigned hertz_ = 0;
};

// `loader`: the Intel HEX file of a boot loader; empty: the program starts at once.
std::unique_ptr<Machine> make_machine(const BoardMap& map, const std::string& firmware, const std::string& loader, uint32_t seed);
