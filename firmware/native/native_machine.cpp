// The firmware compiled for this computer, with sanitizers, in the place of simavr.
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "../simulator/machine.hpp"
#include "hal_native.hpp"

namespace {

class NativeMachine final : public Machine {
 public:
    NativeMachine(const BoardMap& board, uint32_t seed) : Machine(board, seed), random_(seed) {
        native_board.selected = [this](unsigned pad, bool low) { reader(pad).select(low, now()); };
        native_board.exchange = [this](uint8_t mosi) { return exchange(mosi, native_board.spi_hertz, now()); };
        native_board.readers_reset = [this](bool held) {
            for (model::Rc522Model& reader : readers_) {
                reader.reset_wire(held, now());
            }
        };
        native_board.sent = [this](uint8_t byte) { on_byte(byte); };
        native_board.showed = [this](const std::vector<uint32_t>& pixels) {
            if (pixels != shown_) {
                shown_ = pixels;
                on_lights(shown_);
            }
        };
        native_board.tuned = [this](unsigned hertz) { on_tone(hertz); };
        if (const char* offset = std::getenv("READER_CLOCK_OFFSET")) {
            native_board.clock_offset = static_cast<uint32_t>(std::strtoul(offset, nullptr, 0));
        }
        reset(true);
    }

    void run_until(model::Nanoseconds when) override {
        while (native_board.now < when) {
            board_work();
        }
    }
    model::Nanoseconds now() const override { return native_board.now; }
    uint64_t cycles() const override { return native_board.now * 2 / 125; }

    void press(unsigned seat, bool refuse, bool down) override {
        const uint8_t bit = static_cast<uint8_t>(1U << (seat - 1));
        uint8_t& keys = native_board.keys[refuse ? 1 : 0];
        keys = static_cast<uint8_t>(down ? keys | bit : keys & ~bit);
    }

    void reset(bool power) override {
        native_board.boot_id = static_cast<uint32_t>(random_() | 1);
        native_board.cause = power ? 1 : 2;
        native_board.started = native_board.now;
        board_begin();
    }

    void receive(const uint8_t* bytes, size_t count) override {
        native_board.incoming.insert(native_board.incoming.end(), bytes, bytes + count);
    }

 private:
    std::mt19937 random_;
    std::vector<uint32_t> shown_ = std::vector<uint32_t>(map_.pads.size(), 0);
};

}  // namespace

std::unique_ptr<Machine> make_machine(const BoardMap& map, const std::string&, const std::string&, uint32_t seed) {
    if (map.pads.size() != native_board.pads) {
        throw std::runtime_error("this program has another board's pins");
    }
    return std::unique_ptr<Machine>(new NativeMachine(map, seed));
}
