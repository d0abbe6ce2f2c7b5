// The whole board: pads, panel and the line to the program.
#pragma once

#include <stdint.h>

#include "link.hpp"
#include "panel.hpp"
#include "scanner.hpp"

namespace reader {

class App : private Board, private Port, private Reports {
 public:
    App() : link_(*this, *this) {}
    void begin();
    void work();     // one turn of the main loop
    void talk();     // the serial line and the panel only
    void sample(bool refuse) { keys_[refuse ? 1 : 0].sample(hal::keys_down(refuse)); }

 private:
    // Port
    uint8_t room() const override { return hal::serial_room(); }
    void put(uint8_t byte) override { hal::serial_put(byte); }
    // Reports
    void report(uint8_t what, uint8_t a, uint8_t b, const uint8_t* id, uint8_t id_size) override;
    // Board
    uint8_t board_code() const override { return ::reader::board_code; }
    uint8_t reset_cause() const override { return hal::reset_cause(); }
    uint8_t pads() const override { return pad_count; }
    uint8_t seats() const override { return seat_count; }
    uint8_t tags_per_pad() const override { return Pad::tags_most; }
    uint8_t health(uint8_t pad) const override { return pad == whole_board ? scanner_.health() : scanner_.pad(pad).health(); }
    uint8_t version(uint8_t pad) const override { return scanner_.pad(pad).version(); }
    uint8_t tags(uint8_t pad) const override { return scanner_.pad(pad).tags(); }
    void tag(uint8_t pad, uint8_t index, Event& into) const override { scanner_.pad(pad).tag(index, into); }
    uint8_t buttons(bool refuse) const override { return told_[refuse ? 1 : 0]; }
    uint16_t sweep_us() override { return scanner_.take_longest_us(); }
    uint8_t command(uint8_t op, uint8_t a, uint8_t b) override;

    void tell_keys();

    Scanner scanner_;
    Lights lights_;
    Buzzer buzzer_;
    Debouncer keys_[2];         // accept, refuse
    uint8_t told_[2] = {0, 0}; // keys held, as the program has been told
    uint16_t dead_pads_ = 0;
    Link link_;
};

}  // namespace reader
