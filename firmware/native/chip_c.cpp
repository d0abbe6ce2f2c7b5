// The simulated RC522 alone behind a C interface, as one SPI device: for drivers that others wrote, and for tests of the chip.
#include <string>

#include "../simulator/model/rc522.hpp"

namespace {

struct Chip {
    explicit Chip(uint32_t seed) : model(seed) {}
    model::Rc522Model model;
    model::Nanoseconds now = 0;
    std::string unknown;  // what the model was asked and does not know
};

}  // namespace

extern "C" {

Chip* chip_new(uint32_t seed) { return new Chip(seed); }
void chip_free(Chip* chip) { delete chip; }
void chip_wait(Chip* chip, uint64_t nanoseconds) { chip->now += nanoseconds; }
void chip_version(Chip* chip, uint8_t version) { chip->model.set_version(version); }
void chip_put(Chip* chip, const uint8_t* id, uint32_t size) { chip->model.put(model::Bytes(id, id + size), chip->now); }
bool chip_field(Chip* chip) { return chip->model.field(); }

// One transfer with the chip selected, each byte of which takes `byte_ns`. Returns what the model does not know, or null.
const char* chip_transfer(Chip* chip, const uint8_t* out, uint8_t* in, uint32_t count, uint64_t byte_ns) {
    try {
        chip->model.select(true, chip->now);
        for (uint32_t i = 0; i < count; ++i) {
            chip->now += byte_ns;
            in[i] = chip->model.exchange(out[i], chip->now);
        }
        chip->model.select(false, chip->now);
    } catch (const model::NotModelled& what) {
        chip->model.select(false, chip->now);
        chip->unknown = what.what();
        return chip->unknown.c_str();
    }
    return nullptr;
}
}
