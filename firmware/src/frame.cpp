#include "frame.hpp"

namespace reader {

uint16_t crc16(uint16_t crc, uint8_t byte) {
    crc = static_cast<uint16_t>((crc >> 8) | (crc << 8));
    crc = static_cast<uint16_t>(crc ^ byte);
    crc = static_cast<uint16_t>(crc ^ ((crc & 0xFF) >> 4));
    crc = static_cast<uint16_t>(crc ^ (crc << 12));
    return static_cast<uint16_t>(crc ^ ((crc & 0xFF) << 5));
}

void Body::u8(uint8_t value) {
    if (size_ < body_max) {
        data_[size_++] = value;
    } else {
        fits_ = false;
    }
}

void Body::u16(uint16_t value) {
    u8(static_cast<uint8_t>(value));
    u8(static_cast<uint8_t>(value >> 8));
}

void Body::u32(uint32_t value) {
    u16(static_cast<uint16_t>(value));
    u16(static_cast<uint16_t>(value >> 16));
}

void Body::bytes(const uint8_t* from, uint8_t count) {
    for (uint8_t i = 0; i < count; ++i) {
        u8(from[i]);
    }
}

bool send(const Body& body, Port& port) {
    // A body is far shorter than 254 bytes, so COBS adds exactly one byte, and the final zero is another.
    const uint8_t length = static_cast<uint8_t>(body.size() + 2);
    if (!body.fits() || port.room() < length + 2) {
        return false;
    }
    uint16_t crc = crc16_start;
    for (uint8_t i = 0; i < body.size(); ++i) {
        crc = crc16(crc, body.data()[i]);
    }
    const uint8_t tail[2] = {static_cast<uint8_t>(crc), static_cast<uint8_t>(crc >> 8)};
    const auto at = [&](uint8_t i) { return i < body.size() ? body.data()[i] : tail[i - body.size()]; };
    uint8_t start = 0;
    while (start <= length) {
        uint8_t end = start;
        while (end < length && at(end) != 0) {
            ++end;
        }
        port.put(static_cast<uint8_t>(end - start + 1));
        for (uint8_t i = start; i < end; ++i) {
            port.put(at(i));
        }
        start = static_cast<uint8_t>(end + 1);
    }
    port.put(0);
    return true;
}

void Unframer::restart() {
    size_ = 0;
    block_left_ = 0;
    zero_due_ = false;
    broken_ = false;
}

bool Unframer::take(uint8_t byte) {
    if (byte == 0) {
        const bool whole = !broken_ && block_left_ == 0 && size_ >= 3;
        uint16_t crc = crc16_start;
        for (uint8_t i = 0; whole && i + 2 < size_; ++i) {
            crc = crc16(crc, data_[i]);
        }
        const bool good = whole && crc == get_u16(data_ + size_ - 2);
        const uint8_t length = static_cast<uint8_t>(size_ - 2);
        restart();
        if (good) {
            body_size_ = length;
        }
        return good;
    }
    if (broken_) {
        return false;
    }
    uint8_t decoded = byte;
    if (block_left_ == 0) {
        block_left_ = static_cast<uint8_t>(byte - 1);
        const bool zero = zero_due_;
        zero_due_ = byte != 0xFF;
        if (!zero) {
            return false;
        }
        decoded = 0;
    } else {
        --block_left_;
    }
    if (size_ < request_max) {
        data_[size_++] = decoded;
    } else {
        broken_ = true;
    }
    return false;
}

}  // namespace reader
