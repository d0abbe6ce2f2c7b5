#include "panel.hpp"

#include "protocol.hpp"

namespace reader {

namespace {

constexpr uint8_t redraw_every_ms = 40;

// A quarter of full brightness: bright enough beside a card, and a Nano's three pixels stay below 55 mA.
constexpr hal::Colour dark = {0, 0, 0}, green = {0, 64, 0}, red = {64, 0, 0}, amber = {56, 24, 0}, blue = {0, 12, 64},
                      white = {40, 40, 40};

struct Note {
    uint16_t hertz;         // 0: a pause
    uint16_t centiseconds;  // 0: the end
};

constexpr uint8_t longest_tune = 6;
const Note tunes[][longest_tune] FLASH = {
    {{0, 0}},                                                            // silence
    {{1760, 6}, {2637, 9}, {0, 0}},                                      // accepted: up
    {{440, 14}, {0, 6}, {330, 22}, {0, 0}},                              // unknown: down, low
    {{1319, 8}, {0, 8}, {1319, 8}, {0, 0}},                              // hurry
    {{1047, 25}, {784, 25}, {523, 50}, {0, 0}},                          // time is up
    {{523, 20}, {1047, 20}, {2093, 20}, {0, 0}},                         // test
};
constexpr uint8_t tune_count = sizeof tunes / sizeof tunes[0];

hal::Colour breathing(uint32_t now) {
    const uint8_t phase = static_cast<uint8_t>(now >> 4);  // 4.1 s a breath
    const uint8_t level = static_cast<uint8_t>((phase < 128 ? phase : 255 - phase) >> 2);
    return {level, static_cast<uint8_t>(level >> 1), 0};
}

bool same(const hal::Colour& a, const hal::Colour& b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

}  // namespace

void Debouncer::sample(uint8_t down) {
    const uint8_t differs = static_cast<uint8_t>(down ^ held_);
    // Counters of keys that agree with what is held start again; the others count one up.
    const uint8_t carry1 = static_cast<uint8_t>(count_[0] & differs);
    const uint8_t carry2 = static_cast<uint8_t>(count_[1] & carry1);
    const uint8_t full = static_cast<uint8_t>(count_[2] & carry2);
    count_[0] = static_cast<uint8_t>((count_[0] ^ differs) & differs);
    count_[1] = static_cast<uint8_t>((count_[1] ^ carry1) & differs);
    count_[2] = static_cast<uint8_t>((count_[2] ^ carry2) & differs);
    held_ = static_cast<uint8_t>(held_ ^ full);
}

bool Lights::set(uint8_t pad, uint8_t state) {
    if (state >= light_states || (pad >= pad_count && pad != whole_board)) {
        return false;
    }
    for (uint8_t i = 0; i < pad_count; ++i) {
        if (pad == i || pad == whole_board) {
            state_[i] = state;
        }
    }
    return true;
}

void Lights::card_gone(uint8_t pad) {
    if (state_[pad] == light_accepted || state_[pad] == light_unknown) {
        state_[pad] = light_off;
    }
}

hal::Colour Lights::colour(uint8_t pad, uint32_t now, bool host_present, bool dead) const {
    if (dead && (!host_present || state_[pad] == light_off)) {
        return (now & 0x7FF) < 160 ? red : dark;
    }
    if (!host_present) {
        return breathing(now);
    }
    switch (state_[pad]) {
        case light_accepted: return green;
        case light_unknown: return red;
        case light_look: return (now & 0x200) ? amber : dark;
        case light_turn: return blue;
        case light_hurry: return amber;
        case light_white: return white;
        default: return dark;
    }
}

void Lights::begin() { hal::show(shown_, pad_count); }

void Lights::work(uint32_t now, bool host_present, uint16_t dead_pads) {
    if (now - drawn_at_ < redraw_every_ms) {
        return;
    }
    drawn_at_ = now;
    bool changed = false;
    for (uint8_t i = 0; i < pad_count; ++i) {
        const hal::Colour wanted = colour(i, now, host_present, (dead_pads >> i & 1) != 0);
        changed = changed || !same(wanted, shown_[i]);
        shown_[i] = wanted;
    }
    if (changed) {
        hal::show(shown_, pad_count);
    }
}

bool Buzzer::play(uint8_t tune, uint32_t now) {
    if (tune >= tune_count) {
        return false;
    }
    tune_ = tune;
    step_ = 0;
    until_ = now;
    if (tune == 0) {
        hal::tone(0);
    }
    return true;
}

void Buzzer::work(uint32_t now) {
    if (tune_ == 0 || static_cast<int32_t>(now - until_) < 0) {
        return;
    }
    const Note& note = tunes[tune_][step_++];
    const uint16_t centiseconds = from_flash(note.centiseconds);
    hal::tone(from_flash(note.hertz));
    if (centiseconds == 0) {
        tune_ = 0;
    }
    until_ = now + centiseconds * 10U;
}

}  // namespace reader
