// The tray's firmware in rp2040js, connected to the same models as the other boards': this file is loaded by node (tray.cjs), which
// hands over the emulated chip's pins and bytes, and runs it when the simulator says how far.
#include <node_api.h>

#include <stdexcept>

#include "../machine.hpp"
#include "../model/pixel_strip.hpp"

int simulate_main(int count, char** words);  // main of ../main.cpp

namespace {

napi_env env;
napi_value chip;  // tray.cjs's: load, run, reset, press, receive, hang

napi_value number(double value) {
    napi_value made;
    napi_create_double(env, value, &made);
    return made;
}

napi_value text(const std::string& value) {
    napi_value made;
    napi_create_string_utf8(env, value.c_str(), value.size(), &made);
    return made;
}

std::string string_of(napi_value value) {
    char bytes[1000];
    size_t size = 0;
    napi_get_value_string_utf8(env, value, bytes, sizeof bytes, &size);
    return std::string(bytes, size);
}

void call(const char* name, const std::vector<napi_value>& args) {
    napi_value function;
    napi_get_named_property(env, chip, name, &function);
    if (napi_call_function(env, chip, function, args.size(), args.data(), nullptr) != napi_ok) {
        napi_value thrown, said;
        napi_get_and_clear_last_exception(env, &thrown);
        napi_coerce_to_string(env, thrown, &said);
        throw std::runtime_error(string_of(said));
    }
}

// What is made for node while this lives may be forgotten afterwards.
struct Scope {
    Scope() { napi_open_handle_scope(env, &scope); }
    ~Scope() { napi_close_handle_scope(env, scope); }
    napi_handle_scope scope;
};

class PicoMachine final : public Machine {
 public:
    PicoMachine(const BoardMap& map, const std::string& file, uint32_t seed) : Machine(map, seed), strip_(map.pads.size()) {
        const Scope scope;
        const int pins[] = {map.selects[0].bit, map.reset.bit, map.lights.bit, map.accepts[0].bit, map.refuses[0].bit};
        std::vector<napi_value> args = {text(file), number(seed)};
        for (int pin : pins) {
            args.push_back(number(pin));
        }
        call("load", args);
    }

    void run_until(model::Nanoseconds when) override {
        const Scope scope;
        call("run", {number(static_cast<double>(when))});
        end_of_lights();
    }
    model::Nanoseconds now() const override { return now_; }
    uint64_t cycles() const override { return now_ * 2 / 125; }  // as the other boards count: 16 a microsecond

    void press(unsigned, bool refuse, bool down) override { order("press", {refuse ? 1.0 : 0.0, down ? 1.0 : 0.0}); }
    void reset(bool power) override { order("reset", {power ? 1.0 : 0.0}); }
    bool hang(bool deaf) override {
        order("hang", {deaf ? 1.0 : 0.0});
        return true;
    }
    void receive(const uint8_t* bytes, size_t count) override {
        for (size_t i = 0; i < count; ++i) {
            order("receive", {static_cast<double>(bytes[i])});
        }
    }

    // What the chip does, told by tray.cjs with its time.
    void at(double now) { now_ = static_cast<model::Nanoseconds>(now); }
    uint8_t spi(uint8_t mosi, unsigned hertz) { return exchange(mosi, hertz, now_); }
    void select(bool low) { readers_[0].select(low, now_); }
    void readers_reset(bool held) { readers_[0].reset_wire(held, now_); }
    void light(bool high) {
        if (high) {
            end_of_lights();
        }
        strip_.level(high, now_);
    }
    void tone(unsigned hertz) {
        if (hertz != hertz_) {
            hertz_ = hertz;
            on_tone(hertz);
        }
    }

 private:
    static void order(const char* name, const std::vector<double>& numbers) {
        const Scope scope;
        std::vector<napi_value> args;
        for (double one : numbers) {
            args.push_back(number(one));
        }
        call(name, args);
    }
    void end_of_lights() {
        if (strip_.latch(now_)) {
            on_lights(strip_.pixels());
        }
    }

    model::Nanoseconds now_ = 0;
    model::PixelStrip strip_;
};

PicoMachine* machine;

// Each is told the time in nanoseconds, then what happened.
enum Told : int { told_time, told_spi, told_select, told_reset, told_light, told_tone, told_byte };

napi_value tell(napi_env, napi_callback_info info) {
    napi_value values[4];
    size_t count = 4;
    void* what;
    napi_get_cb_info(env, info, &count, values, nullptr, &what);
    double args[4] = {};
    for (size_t i = 0; i < count; ++i) {
        napi_get_value_double(env, values[i], &args[i]);
    }
    machine->at(args[0]);
    switch (static_cast<Told>(reinterpret_cast<intptr_t>(what))) {
        case told_time: break;
        case told_spi: return number(machine->spi(static_cast<uint8_t>(args[1]), static_cast<unsigned>(args[2])));
        case told_select: machine->select(args[1] != 0); break;
        case told_reset: machine->readers_reset(args[1] != 0); break;
        case told_light: machine->light(args[1] != 0); break;
        case told_tone: machine->tone(static_cast<unsigned>(args[1])); break;
        case told_byte: machine->on_byte(static_cast<uint8_t>(args[1])); break;
    }
    return nullptr;
}

napi_value simulate(napi_env, napi_callback_info info) {
    napi_value values[2];
    size_t count = 2;
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    chip = values[1];
    uint32_t size;
    napi_get_array_length(env, values[0], &size);
    std::vector<std::string> words;
    for (uint32_t i = 0; i < size; ++i) {
        napi_value word;
        napi_get_element(env, values[0], i, &word);
        words.push_back(string_of(word));
    }
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(&word[0]);
    }
    return number(simulate_main(static_cast<int>(pointers.size()), pointers.data()));
}

void give(napi_value exports, const char* name, napi_callback callback, intptr_t data) {
    napi_value function;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, reinterpret_cast<void*>(data), &function);
    napi_set_named_property(env, exports, name, function);
}

}  // namespace

std::unique_ptr<Machine> make_machine(const BoardMap& map, const std::string& firmware, const std::string&, uint32_t seed) {
    machine = new PicoMachine(map, firmware, seed);
    return std::unique_ptr<Machine>(machine);
}

NAPI_MODULE_INIT(/* napi_env env, napi_value exports */) {
    ::env = env;
    const char* const names[] = {"time", "spi", "select", "reset", "light", "tone", "byte"};
    for (intptr_t i = 0; i < 7; ++i) {
        give(exports, names[i], tell, i);
    }
    give(exports, "simulate", simulate, 0);
    return exports;
}
