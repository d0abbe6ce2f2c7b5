#include "intel_hex.hpp"

#include <fstream>
#include <stdexcept>
#include <vector>

namespace {

enum Kind : uint8_t { data = 0, end = 1, segment = 2, linear = 4 };

// One line: its bytes from the count to the check byte.
std::vector<uint8_t> record_of(const std::string& line) {
    std::vector<uint8_t> bytes;
    uint8_t sum = 0;
    for (size_t i = 1; i + 1 < line.size() && line[i] > ' '; i += 2) {
        bytes.push_back(static_cast<uint8_t>(std::stoul(line.substr(i, 2), nullptr, 16)));
        sum = static_cast<uint8_t>(sum + bytes.back());
    }
    if (line[0] != ':' || bytes.size() < 5 || bytes.size() != bytes[0] + 5U || sum != 0) {
        throw std::invalid_argument(line);
    }
    return bytes;
}

}  // namespace

std::map<uint32_t, uint8_t> read_intel_hex(const std::string& file) {
    std::ifstream in(file);
    std::map<uint32_t, uint8_t> found;
    uint32_t base = 0;
    std::string line;
    try {
        while (std::getline(in, line)) {
            const std::vector<uint8_t> record = record_of(line);
            const uint32_t first = static_cast<uint32_t>(record[1] << 8 | record[2]);
            const uint32_t value = static_cast<uint32_t>(record[4] << 8 | record[5 % record.size()]);
            switch (record[3]) {
                case end: return found;
                case segment: base = value << 4; break;
                case linear: base = value << 16; break;
                case data:
                    for (uint32_t i = 0; i < record[0]; ++i) {
                        found[base + first + i] = record[4 + i];
                    }
                    break;
                default: break;  // a start address, which no AVR has
            }
        }
    } catch (const std::logic_error&) {
        throw std::runtime_error("no line of an Intel HEX file in " + file + ": " + line);
    }
    throw std::runtime_error("no whole Intel HEX file: " + file);
}
