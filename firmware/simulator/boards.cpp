// Reads build/boards.txt, which tools/pins.py makes from pins.toml.
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "machine.hpp"

namespace {

PinAt pin_of(const std::string& text) { return {text.at(0), std::stoi(text.substr(1))}; }

}  // namespace

BoardMap read_board(const std::string& file, const std::string& name) {
    std::ifstream in(file);
    BoardMap map;
    std::string line;
    while (std::getline(in, line)) {
        std::istringstream words(line);
        std::string what, first, second;
        words >> what >> first >> second;
        if (what == "board" && !map.name.empty()) {
            break;
        }
        if (what == "board" && first == name) {
            map.name = first;
            map.mcu = second;
        } else if (map.name.empty()) {
            continue;
        } else if (what == "reset") {
            map.reset = pin_of(first);
        } else if (what == "lights") {
            map.lights = pin_of(first);
        } else if (what == "pad") {
            map.pads.push_back(first);
            map.selects.push_back(pin_of(second));
        } else if (what == "seat") {
            map.accepts.push_back(pin_of(first));
            map.refuses.push_back(pin_of(second));
        }
    }
    if (map.name.empty()) {
        throw std::runtime_error("no board " + name + " in " + file);
    }
    return map;
}
