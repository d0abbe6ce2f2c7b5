// Driver of one RC522 (MFRC522 data sheet, rev. 3.9): registers over SPI, and one exchange of frames with tags.
#pragma once

#include <stdint.h>

namespace reader {

// How an exchange with tags ended.
enum Outcome : uint8_t {
    silence,    // nobody answered
    answer,     // whole and right
    collision,  // several answered and differ at bit Reply::collision
    garbled,    // something answered, but parity or framing is wrong: a tag is there
    mute,       // the chip itself did not come to an end
};

constexpr uint8_t reply_most = 5;

struct Reply {
    uint8_t size;       // bytes in `data`, the last one perhaps not whole; more than were expected are not read
    uint8_t collision;  // bit of the first collision, counted from bit 0 of data[0]
    uint8_t data[reply_most];
};

constexpr uint8_t request_most = 9;

// A frame for tags: `size` bytes (at most request_most) of which the last has `last_bits` bits (0: all eight). The reply's first bit goes to bit `align`.
struct Request {
    const uint8_t* data;
    uint8_t size;
    uint8_t last_bits;
    uint8_t align;
    uint8_t reply_size;     // bytes that the expected reply has, at most reply_most; 0: none is expected
};

class Rc522 {
 public:
    explicit Rc522(uint8_t pad) : pad_(pad) {}

    void soft_reset();                 // begins a reset, which takes up to 50 ms (data sheet 10.5.1: crystal start)
    bool reset_done() const;
    void set_slow(bool slow) const;    // for leads or clones that do not take the usual clock
    bool wires_sound() const;          // whether what is written reads back, time and again
    uint16_t self_test() const;        // right after a reset, which must follow again: CRC-16 of what the chip answers (16.1.1)
    bool set_up();                     // registers after a reset; false if they do not read back
    void set_gain(uint8_t gain);       // RFCfgReg, 0 to 7
    void set_drive(bool full);         // how strongly the antenna is driven: all the chip has, or as after a reset
    void field(bool on);
    uint8_t version() const;
    void remember_settings();          // reads back all that was set up, once range and field are set too
    bool settings_kept();              // looks at one of them each time; false after the chip has lost its supply for a moment,
                                       // or has switched its antenna's driver off by itself

    void start(const Request& request);  // begins an exchange
    Outcome finish();                    // waits for its end
    Outcome exchange(const Request& request) {
        start(request);
        return finish();
    }
    const Reply& reply() const { return reply_; }  // of the exchange that ended last

 private:
    void wait() const;
    uint8_t read(uint8_t reg) const;
    void write(uint8_t reg, uint8_t value) const;

    static constexpr uint8_t settings_count = 11;

    Reply reply_;
    uint8_t pad_;
    uint8_t kept_[settings_count] = {};  // what the chip answered for each setting; clones leave some bits out
    uint8_t turn_ = 0;                   // the setting to look at next
    uint16_t started_at_ = 0;  // hal::ticks()
    uint16_t ended_at_ = 0;    // when the last reply had been heard
    uint8_t reply_size_ = 0;   // bytes expected
    uint16_t requested_at_ = 0;  // when the last REQA or WUPA began
    uint16_t air_us_ = 0;      // from the start to the end of the reply that is expected
};

}  // namespace reader
