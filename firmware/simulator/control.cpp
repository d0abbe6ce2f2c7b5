#include "control.hpp"

#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace {

constexpr model::Nanoseconds millisecond = 1000000;
constexpr model::Nanoseconds byte_time = 20000;  // at 500,000 baud

model::Bytes bytes_of(const std::string& hex) {
    if (hex.empty() || hex.size() % 2 != 0) {
        throw std::runtime_error("not an even number of hexadecimal digits");
    }
    model::Bytes bytes;
    for (size_t i = 0; i < hex.size(); i += 2) {
        bytes.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

bool refuse_key(const std::string& word) {
    if (word != "accept" && word != "refuse") {
        throw std::runtime_error("a key is accept or refuse");
    }
    return word == "refuse";
}

std::string hex_of(const std::string& bytes) {
    std::string hex;
    char two[3];
    for (char byte : bytes) {
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
        hex += two;
    }
    return hex;
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

}  // namespace

const std::map<std::string, Control::Command>& Control::commands() {
    static const std::map<std::string, Command> table = {
        {"put", {&Control::put, 2, "put PAD ID...            lay tags on a pad, all in the same moment"}},
        {"take", {&Control::take, 2, "take PAD ID...|all       take tags away"}},
        {"noise", {&Control::noise, 2, "noise PAD PERCENT [LOST] garble so many replies, LOST percent of these wholly"}},
        {"weak", {&Control::weak, 2, "weak PAD DB              the coil hears tags only with so much more gain and drive"}},
        {"counterfeit", {&Control::counterfeit, 1, "counterfeit PAD          says it is NXP's chip, and fails its self-test"}},
        {"kill", {&Control::kill, 1, "kill PAD                 the reader is unplugged, or dead"}},
        {"revive", {&Control::revive, 1, "revive PAD               and is back"}},
        {"version", {&Control::version, 2, "version PAD HEX          the chip calls itself so: 92, 12 (a clone), ..."}},
        {"mute", {&Control::mute, 2, "mute PAD on|off          the chip's crystal has stopped"}},
        {"crystal", {&Control::crystal, 2, "crystal PAD MS           how long its crystal takes to start after the next reset"}},
        {"miso", {&Control::miso, 2, "miso PAD|bus low|free    a reader's MISO line is held down, or that of all"}},
        {"leads", {&Control::leads, 2, "leads PAD MHZ            long leads or a clone: no more is read right than at so much"}},
        {"pullup", {&Control::pullup, 2, "pullup PAD on|off        the resistor of a reader's MISO line"}},
        {"register", {&Control::change_register, 3, "register PAD HEX HEX    a register of its chip changes by itself: its number and its value"}},
        {"brownout", {&Control::brownout, 1, "brownout PAD             the supply dipped: the chip forgets its settings"}},
        {"press", {&Control::press, 2, "press SEAT accept|refuse"}},
        {"release", {&Control::release, 2, "release SEAT accept|refuse"}},
        {"bounce", {&Control::bounce, 2, "bounce SEAT accept|refuse  press it with five milliseconds of chatter"}},
        {"click", {&Control::click, 2, "click SEAT accept|refuse  press it for a tenth of a second"}},
        {"reset", {&Control::reset, 0, "reset [power]            the reset key, or the supply off and on"}},
        {"hang", {&Control::hang, 0, "hang [deaf]              the program runs astray, also without interrupts: the watchdog's case"}},
        {"run", {&Control::run, 1, "run MS                   let so much simulated time pass"}},
        {"realtime", {&Control::realtime, 1, "realtime on|off          let simulated time keep pace with the clock"}},
        {"serial", {&Control::serial, 1, "serial here|raw|pty [BAUD]  where the board's bytes go, and at which speed the other side speaks"}},
        {"wipe", {&Control::wipe, 0, "wipe                     erases the program, all but a boot loader"}},
        {"rx", {&Control::receive, 1, "rx HEX                   bytes into the board's serial line"}},
        {"trace", {&Control::trace, 2, "trace PAD on|off         tell each exchange on air"}},
    };
    return table;
}

Control::Control(Machine& machine) : machine_(machine) {
    machine_.on_byte = [this](uint8_t byte) { sent(byte); };
    machine_.on_lights = [this](const std::vector<uint32_t>& pixels) {
        std::string list;
        char text[16];
        for (uint32_t pixel : pixels) {
            std::snprintf(text, sizeof text, "%s\"#%06x\"", list.empty() ? "" : ", ", static_cast<unsigned>(pixel));
            list += text;
        }
        say("\"lights\": [" + list + "]");
    };
    machine_.on_tone = [this](unsigned hertz) { say("\"tone\": " + std::to_string(hertz)); };
}

bool Control::obey(const std::string& line) {
    std::istringstream in(line);
    std::string name, word;
    Words words;
    in >> name;
    while (in >> word) {
        words.push_back(word);
    }
    if (name == "quit") {
        say("\"done\": \"quit\"");
        return false;
    }
    try {
        const auto found = commands().find(name);
        if (found == commands().end() || words.size() < found->second.least) {
            std::string usage = found == commands().end() ? "commands are:" : "";
            for (const auto& entry : commands()) {
                if (found == commands().end() || entry.first == name) {
                    usage += std::string(usage.empty() ? "" : " ") + entry.second.usage + ";";
                }
            }
            throw std::runtime_error(usage);
        }
        (this->*found->second.handler)(words);
        say("\"done\": " + quoted(name));
    } catch (const std::logic_error&) {
        say("\"error\": \"not a number\"");
    } catch (const std::runtime_error& error) {
        say("\"error\": " + quoted(error.what()));
    }
    return true;
}

void Control::run_until(model::Nanoseconds when) {
    while (!planned_.empty() && planned_.begin()->first <= when) {
        const auto next = planned_.begin();
        const std::function<void()> act = next->second;
        machine_.run_until(next->first);
        planned_.erase(next);
        act();
    }
    machine_.run_until(when);
}

void Control::put(const Words& words) {
    for (size_t i = 1; i < words.size(); ++i) {
        const model::Bytes id = bytes_of(words[i]);
        if (id.size() != 4 && id.size() != 7) {
            throw std::runtime_error("a tag has 4 or 7 bytes");
        }
        machine_.reader(pad(words[0])).put(id, machine_.now());
    }
}

void Control::take(const Words& words) {
    model::Rc522Model& reader = machine_.reader(pad(words[0]));
    if (words[1] == "all") {
        reader.take_all();
        return;
    }
    for (size_t i = 1; i < words.size(); ++i) {
        if (!reader.take(bytes_of(words[i]))) {
            throw std::runtime_error("no such tag lies there");
        }
    }
}

void Control::noise(const Words& words) {
    const unsigned lost = words.size() > 2 ? static_cast<unsigned>(std::stoul(words[2])) : 0;
    machine_.reader(pad(words[0])).set_noise(static_cast<unsigned>(std::stoul(words[1])), lost);
}

void Control::weak(const Words& words) { machine_.reader(pad(words[0])).set_weakness(static_cast<unsigned>(std::stoul(words[1]))); }
void Control::counterfeit(const Words& words) { machine_.reader(pad(words[0])).set_counterfeit(true); }
void Control::kill(const Words& words) { machine_.reader(pad(words[0])).set_dead(true, machine_.now()); }
void Control::revive(const Words& words) { machine_.reader(pad(words[0])).set_dead(false, machine_.now()); }
void Control::version(const Words& words) { machine_.reader(pad(words[0])).set_version(bytes_of(words[1])[0]); }
void Control::mute(const Words& words) { machine_.reader(pad(words[0])).set_mute(words[1] == "on"); }
void Control::crystal(const Words& words) { machine_.reader(pad(words[0])).set_start_up(std::stoul(words[1]) * millisecond); }
void Control::miso(const Words& words) {
    if (words[0] == "bus") {
        machine_.miso().short_bus(words[1] == "low");
    } else {
        machine_.miso().short_line(pad(words[0]), words[1] == "low");
    }
}
void Control::leads(const Words& words) {
    machine_.miso().slow_leads(pad(words[0]), static_cast<unsigned>(std::stod(words[1]) * 1e6));
}
void Control::pullup(const Words& words) { machine_.miso().pull_up(pad(words[0]), words[1] == "on"); }
void Control::change_register(const Words& words) {
    machine_.reader(pad(words[0]))
        .change_register(static_cast<uint8_t>(std::stoul(words[1], nullptr, 16)), static_cast<uint8_t>(std::stoul(words[2], nullptr, 16)), machine_.now());
}
void Control::brownout(const Words& words) { machine_.reader(pad(words[0])).brown_out(machine_.now()); }
void Control::press(const Words& words) { machine_.press(seat(words[0]), refuse_key(words[1]), true); }
void Control::release(const Words& words) { machine_.press(seat(words[0]), refuse_key(words[1]), false); }

void Control::bounce(const Words& words) {
    const unsigned at = seat(words[0]);
    const bool refuse = refuse_key(words[1]);
    // Contacts of a cheap key: makes and breaks for five milliseconds, then holds.
    const unsigned chatter[] = {0, 300, 700, 900, 1600, 1800, 2600, 3300, 4100, 4300, 5000};
    bool down = true;
    for (unsigned us : chatter) {
        planned_.emplace(machine_.now() + us * 1000ULL, [this, at, refuse, down] { machine_.press(at, refuse, down); });
        down = !down;
    }
}

void Control::click(const Words& words) {
    const unsigned at = seat(words[0]);
    const bool refuse = refuse_key(words[1]);
    machine_.press(at, refuse, true);
    planned_.emplace(machine_.now() + 100 * millisecond, [this, at, refuse] { machine_.press(at, refuse, false); });
}

void Control::reset(const Words& words) {
    machine_.reset(!words.empty() && words[0] == "power");
    frame_.clear();
}

void Control::hang(const Words& words) {
    if (!machine_.hang(!words.empty() && words[0] == "deaf")) {
        throw std::runtime_error("only the real firmware can be made to hang");
    }
}

void Control::run(const Words& words) {
    run_until(machine_.now() + static_cast<model::Nanoseconds>(std::stod(words[0]) * static_cast<double>(millisecond)));
    if (serial_ == raw && !frame_.empty()) {
        tell_frame();
    }
}

void Control::realtime(const Words& words) { real_time_ = words[0] == "on"; }

void Control::serial(const Words& words) {
    serial_ = words[0] == "pty" ? terminal : words[0] == "raw" ? raw : here;
    machine_.line_speed(words.size() > 1 ? static_cast<unsigned>(std::stoul(words[1])) : 500000);
}

void Control::wipe(const Words&) {
    if (!machine_.wipe()) {
        throw std::runtime_error("only a chip's flash can be wiped");
    }
}

void Control::receive(const Words& words) {
    const model::Bytes bytes = bytes_of(words[0]);
    machine_.receive(bytes.data(), bytes.size());
}

void Control::trace(const Words& words) {
    const size_t number = pad(words[0]);
    if (words[1] != "on") {
        machine_.reader(number).on_air = nullptr;
        return;
    }
    machine_.reader(number).on_air = [this, number](uint8_t command, model::Nanoseconds from, model::Nanoseconds to) {
        say("\"air\": " + std::to_string(number) + ", \"command\": " + std::to_string(command) + ", \"from\": " +
            std::to_string(from * 2 / 125) + ", \"to\": " + std::to_string(to * 2 / 125));
    };
}

size_t Control::pad(const std::string& word) const {
    const std::vector<std::string>& names = machine_.map().pads;
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == word || std::to_string(i) == word) {
            return i;
        }
    }
    throw std::runtime_error("no pad " + word);
}

unsigned Control::seat(const std::string& word) const {
    const unsigned long number = std::stoul(word);
    if (number < 1 || number > machine_.map().accepts.size()) {
        throw std::runtime_error("no keys at seat " + word);
    }
    return static_cast<unsigned>(number);
}

void Control::say(const std::string& fields) const {
    std::printf("{\"cycle\": %llu, %s}\n", static_cast<unsigned long long>(machine_.cycles()), fields.c_str());
    std::fflush(stdout);
}

// A byte has begun to leave the board. Told frame by frame, with the cycle at which the last byte is through; `raw`: all at the
// end of a `run`.
void Control::sent(uint8_t byte) {
    if (serial_ == terminal) {
        if (on_byte) {
            on_byte(byte);
        }
        return;
    }
    frame_ += static_cast<char>(byte);
    if (serial_ == here && byte == 0) {
        tell_frame();
    }
}

void Control::tell_frame() {
    const model::Nanoseconds through = machine_.now() + byte_time;
    say("\"tx\": \"" + hex_of(frame_) + "\", \"through\": " + std::to_string(through * 2 / 125));
    frame_.clear();
}
