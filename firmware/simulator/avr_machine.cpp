// The real firmware in simavr, with its SPI, serial line and pins connected to the models.
#include <algorithm>
#include <random>
#include <stdexcept>

extern "C" {
#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
}

#include "avr_serial.hpp"
#include "intel_hex.hpp"
#include "machine.hpp"
#include "model/pixel_strip.hpp"

namespace {

constexpr uint64_t hertz = 16000000;
// Fuses of both boards: after a reset the chip waits 65 ms for its crystal (data sheets, "Low Power Crystal Oscillator", SUT 11).
constexpr uint64_t start_up_cycles = hertz * 65 / 1000;

void no_sleep(avr_t*, avr_cycle_count_t) {}    // simulated time is paced by the caller, not here

class AvrMachine final : public Machine {
 public:
    AvrMachine(const BoardMap& board, const std::string& file, const std::string& loader, uint32_t seed)
        : Machine(board, seed), random_(seed), strip_(board.pads.size()) {
        elf_firmware_t firmware = {};
        if (elf_read_firmware(file.c_str(), &firmware) != 0) {
            throw std::runtime_error("cannot read the firmware " + file);
        }
        avr_ = avr_make_mcu_by_name(board.mcu.c_str());
        if (avr_ == nullptr) {
            throw std::runtime_error("simavr does not know the chip " + board.mcu);
        }
        avr_init(avr_);
        avr_load_firmware(avr_, &firmware);
        if (!loader.empty()) {
            load(loader);
        }
        avr_->frequency = hertz;
        avr_->sleep = no_sleep;
        avr_->log = LOG_NONE;
        scramble_ram();
        connect_spi();
        serial_.reset(new AvrSerial(avr_, [this](uint8_t byte) { on_byte(byte); }));
        connect_pins();
        // A low pin that could be a level interrupt (the Nano's buzzer) makes simavr look at it every cycle: tenfold work.
        for (uint8_t number = 0; number < EXTINT_COUNT; ++number) {
            if (avr_extint_is_strict_lvl_trig(avr_, number) > 0) {
                avr_extint_set_strict_lvl_trig(avr_, number, 0);
            }
        }
        power_flags(true);
    }
    ~AvrMachine() override { avr_terminate(avr_); }

    void run_until(model::Nanoseconds when) override {
        const uint64_t until = when * 2 / 125;
        while (avr_->cycle < until) {
            const int state = avr_run(avr_);
            if (state == cpu_Crashed || state == cpu_Done) {
                throw std::runtime_error("the firmware crashed");
            }
        }
        end_of_lights();
        look_at_tone();
    }
    model::Nanoseconds now() const override { return avr_->cycle * 125 / 2; }
    uint64_t cycles() const override { return avr_->cycle; }

    void press(unsigned seat, bool refuse, bool down) override {
        const PinAt& pin = (refuse ? map_.refuses : map_.accepts)[seat - 1];
        avr_raise_irq(pin_irq(pin), down ? 0 : 1);
    }

    void reset(bool power) override {
        if (power) {
            scramble_ram();
        }
        avr_reset(avr_);
        power_flags(power);
        release_keys();
        serial_->restarted();
        avr_->cycle += start_up_cycles;
    }

    // The main loop does not come round any more: what the watchdog is for. `deaf`: interrupts have stopped as well.
    bool hang(bool deaf) override {
        const uint32_t at = (avr_->reset_pc != 0 ? avr_->reset_pc : avr_->flashend + 1) - 2;
        avr_->flash[at] = 0xFF;  // rjmp to itself
        avr_->flash[at + 1] = 0xCF;
        avr_->pc = at;
        avr_->sreg[S_I] = deaf ? 0 : 1;
        return true;
    }

    // As a chip comes from the boot loader's programmer.
    bool wipe() override {
        std::fill(avr_->flash, avr_->flash + (avr_->reset_pc != 0 ? avr_->reset_pc : avr_->flashend + 1), 0xFF);
        return true;
    }

    void receive(const uint8_t* bytes, size_t count) override { serial_->receive(bytes, count); }
    void line_speed(unsigned baud) override { serial_->program_speed(baud); }

 private:
    static AvrMachine* self(void* param) { return static_cast<AvrMachine*>(param); }

    avr_irq_t* pin_irq(const PinAt& pin) {
        return avr_io_getirq(avr_, AVR_IOCTL_IOPORT_GETIRQ(pin.port), static_cast<int>(IOPORT_IRQ_PIN0) + pin.bit);
    }

    // A boot loader lives at the end of flash, and every reset starts there (fuse BOOTRST).
    void load(const std::string& file) {
        const std::map<uint32_t, uint8_t> bytes = read_intel_hex(file);
        for (const auto& byte : bytes) {
            if (byte.first <= avr_->flashend) {
                avr_->flash[byte.first] = byte.second;
            }
        }
        avr_->reset_pc = avr_->pc = bytes.begin()->first;
    }

    // RAM holds noise when the power comes; the firmware makes its boot number from it.
    void scramble_ram() {
        for (unsigned i = 0x200; i < avr_->ramend; ++i) {
            avr_->data[i] = static_cast<uint8_t>(random_());
        }
    }

    void power_flags(bool power) {
        avr_regbit_setto(avr_, avr_->reset_flags.porf, power ? 1 : 0);
        avr_regbit_setto(avr_, avr_->reset_flags.extrf, power ? 0 : 1);
    }

    // simavr 1.6 gives each byte 100 us whatever the divider: this takes the divider's time.
    void connect_spi() {
        for (avr_io_t* io = avr_->io_port; io != nullptr; io = io->next) {
            if (std::string(io->kind) == "spi") {
                spi_ = reinterpret_cast<avr_spi_t*>(io);
            }
        }
        avr_->io[AVR_DATA_TO_IO(spi_->r_spdr)].w.c = spi_written;
        avr_->io[AVR_DATA_TO_IO(spi_->r_spdr)].w.param = this;
    }

    static void spi_written(avr_t* avr, avr_io_addr_t, uint8_t value, void* param) {
        AvrMachine* machine = self(param);
        avr_regbit_clear(avr, machine->spi_->spi.raised);
        static const unsigned dividers[8] = {4, 16, 64, 128, 2, 8, 32, 64};
        const unsigned setting = avr_regbit_get(avr, machine->spi_->spr[0]) | avr_regbit_get(avr, machine->spi_->spr[1]) << 1 |
                                 avr_regbit_get(avr, machine->spi_->spr[2]) << 2;
        machine->mosi_ = value;
        machine->spi_hertz_ = static_cast<unsigned>(hertz / dividers[setting & 7]);
        avr_cycle_timer_register(avr, dividers[setting & 7] * 8, spi_done, machine);
    }

    static avr_cycle_count_t spi_done(avr_t* avr, avr_cycle_count_t, void* param) {
        AvrMachine* machine = self(param);
        machine->spi_->input_data_register = machine->exchange(machine->mosi_, machine->spi_hertz_, machine->now());
        avr_raise_interrupt(avr, &machine->spi_->spi);
        return 0;
    }

    struct Select {
        AvrMachine* machine;
        size_t pad;
    };

    void connect_pins() {
        for (size_t i = 0; i < map_.selects.size(); ++i) {
            selects_.push_back({this, i});
        }
        for (size_t i = 0; i < map_.selects.size(); ++i) {
            avr_irq_register_notify(pin_irq(map_.selects[i]), selected, &selects_[i]);
        }
        avr_irq_register_notify(pin_irq(map_.reset), readers_reset, this);
        avr_irq_register_notify(pin_irq(map_.lights), light_edge, this);
        release_keys();
    }

    // A level that simavr was told before a reset is no news to it, though the reset has cleared the pin: both are told.
    void release_keys() {
        for (const bool down : {true, false}) {
            for (unsigned seat = 1; seat <= map_.accepts.size(); ++seat) {
                press(seat, false, down);
                press(seat, true, down);
            }
        }
    }

    static void selected(avr_irq_t*, uint32_t value, void* param) {
        const Select* select = static_cast<Select*>(param);
        select->machine->reader(select->pad).select(value == 0, select->machine->now());
    }

    static void readers_reset(avr_irq_t*, uint32_t value, void* param) {
        AvrMachine* machine = self(param);
        for (model::Rc522Model& reader : machine->readers_) {
            reader.reset_wire(value == 0, machine->now());
        }
    }

    static void light_edge(avr_irq_t*, uint32_t value, void* param) {
        AvrMachine* machine = self(param);
        if (value != 0) {
            machine->end_of_lights();
        }
        machine->strip_.level(value != 0, machine->now());
    }

    void end_of_lights() {
        if (strip_.latch(now())) {
            on_lights(strip_.pixels());
        }
    }

    // OC2B turns over when timer 2 reaches OCR2A; the prescaler's setting 5 is 128. Addresses are the same on both chips.
    void look_at_tone() {
        constexpr unsigned tccr2b = 0xB1, ocr2a = 0xB3;
        const bool on = (avr_->data[tccr2b] & 7) != 0;
        const unsigned found = on ? static_cast<unsigned>(hertz / 2 / 128 / (avr_->data[ocr2a] + 1U)) : 0;
        if (found != hertz_) {
            hertz_ = found;
            on_tone(found);
        }
    }

    std::mt19937 random_;
    avr_t* avr_ = nullptr;
    avr_spi_t* spi_ = nullptr;
    uint8_t mosi_ = 0;
    unsigned spi_hertz_ = 0;
    std::unique_ptr<AvrSerial> serial_;
    std::vector<Select> selects_;
    model::PixelStrip strip_;
};

}  // namespace

std::unique_ptr<Machine> make_machine(const BoardMap& map, const std::string& firmware, const std::string& loader, uint32_t seed) {
    return std::unique_ptr<Machine>(new AvrMachine(map, firmware, loader, seed));
}
