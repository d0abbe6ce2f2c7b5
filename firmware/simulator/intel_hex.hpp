// Reads Intel HEX files, all kinds of records that avr-objcopy writes (simavr's own reader stops at a start address, kind 03).
#pragma once

#include <cstdint>
#include <map>
#include <string>

// Bytes by their address. Throws std::runtime_error when the file cannot be read or is not whole.
std::map<uint32_t, uint8_t> read_intel_hex(const std::string& file);
