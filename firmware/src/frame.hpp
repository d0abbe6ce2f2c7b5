// Frames on the serial line: CRC-16/CCITT-FALSE, COBS, and the bytes of a body (PROTOCOL.md, "Frames").
#pragma once

#include <stdint.h>

namespace reader {

// Longest body a board may send (HELLO of seven pads: 38 bytes) and longest it accepts, CRC included (RESUME: 12 bytes).
constexpr uint8_t body_max = 40;
constexpr uint8_t request_max = 18;

// CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF, nothing reflected) of one more byte.
uint16_t crc16(uint16_t crc, uint8_t byte);
constexpr uint16_t crc16_start = 0xFFFF;

// A body being written: little-endian numbers, at most body_max bytes; what does not fit is left out and `fits` says so.
class Body {
 public:
    explicit Body(uint8_t kind) { u8(kind); }
    void u8(uint8_t value);
    void u16(uint16_t value);
    void u32(uint32_t value);
    void bytes(const uint8_t* from, uint8_t count);

    const uint8_t* data() const { return data_; }
    uint8_t size() const { return size_; }
    bool fits() const { return fits_; }

 private:
    uint8_t data_[body_max];
    uint8_t size_ = 0;
    bool fits_ = true;
};

// Where bytes for the host go. A frame is put only whole: `room` is asked first.
struct Port {
    virtual uint8_t room() const = 0;  // how many more bytes may be put now without waiting
    virtual void put(uint8_t byte) = 0;
};

// Sends a body as one frame: CRC added, COBS-coded, zero at the end. False, and nothing sent, if the port has no room.
bool send(const Body& body, Port& port);

// Finds frames in the bytes that arrive, one byte at a time.
class Unframer {
 public:
    // True when `byte` ended a frame whose COBS and CRC are right: then data() and size() are its body without the CRC.
    bool take(uint8_t byte);
    const uint8_t* data() const { return data_; }
    uint8_t size() const { return body_size_; }

 private:
    void restart();

    uint8_t data_[request_max] = {};
    uint8_t size_ = 0;
    uint8_t body_size_ = 0;    // of the last whole frame, until the next begins
    uint8_t block_left_ = 0;   // bytes of the present COBS block still to come
    bool zero_due_ = false;    // the block before stood for a zero
    bool broken_ = false;      // too long: wait for the next zero
};

// Little-endian numbers out of a body.
inline uint16_t get_u16(const uint8_t* at) { return static_cast<uint16_t>(at[0] | (at[1] << 8)); }
inline uint32_t get_u32(const uint8_t* at) {
    return get_u16(at) | (static_cast<uint32_t>(get_u16(at + 2)) << 16);
}

}  // namespace reader
