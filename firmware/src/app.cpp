#include "app.hpp"

namespace reader {

void App::begin() {
    hal::begin();
    const uint32_t now = hal::millis();
    lights_.begin();
    link_.begin(hal::boot_id(), now);
    scanner_.begin(*this, now);
}

void App::work() {
    hal::watchdog_fed();
    talk();
    scanner_.work(hal::millis());
    hal::rest();
}

__attribute__((noinline)) void App::talk() {
    const uint32_t now = hal::millis();
    uint8_t byte;
    while (hal::serial_get(byte)) {
        link_.receive(byte, now);
    }
    tell_keys();
    link_.work(now);
    lights_.work(now, link_.host_present(now), dead_pads_);
    buzzer_.work(now);
}

void App::report(uint8_t what, uint8_t a, uint8_t b, const uint8_t* id, uint8_t id_size) {
    Event event = {hal::millis(), what, a, b, id_size, {0}};
    for (uint8_t i = 0; i < id_size; ++i) {
        event.id[i] = id[i];
    }
    if (what == what_left && scanner_.pad(a).tags() == 0) {
        lights_.card_gone(a);
    }
    if (what == what_fault && a != whole_board) {
        const uint16_t bit = static_cast<uint16_t>(1U << a);
        const bool dead = b >= health_absent && b <= health_mute;
        dead_pads_ = static_cast<uint16_t>(dead ? dead_pads_ | bit : dead_pads_ & ~bit);
    }
    link_.post(event);
}

void App::tell_keys() {
    for (uint8_t which = 0; which < 2; ++which) {
        const uint8_t held = keys_[which].held();
        const uint8_t changed = held ^ told_[which];
        told_[which] = held;
        for (uint8_t seat = 0; seat < seat_count; ++seat) {
            if (changed >> seat & 1) {
                const uint8_t pressed = (held >> seat & 1) ? 0x80 : 0;
                report(what_button, static_cast<uint8_t>(seat + 1), static_cast<uint8_t>(pressed | which), nullptr, 0);
            }
        }
    }
}

uint8_t App::command(uint8_t op, uint8_t a, uint8_t b) {
    const bool pad_known = a < pad_count || a == whole_board;
    switch (op) {
        case op_light: return lights_.set(a, b) ? result_ok : result_bad_argument;
        case op_buzz: return buzzer_.play(a, hal::millis()) ? result_ok : result_bad_argument;
        case op_gain:
        case op_drive:
            if (!pad_known || b > (op == op_gain ? 7 : 1)) {
                return result_bad_argument;
            }
            for (uint8_t i = 0; i < pad_count; ++i) {
                if (a != i && a != whole_board) {
                    continue;
                }
                if (op == op_gain) {
                    scanner_.pad(i).set_gain(b);
                } else {
                    scanner_.pad(i).set_drive(b != 0);
                }
            }
            return result_ok;
        case op_self_test:
            if (a >= pad_count) {
                return result_bad_argument;
            }
            scanner_.pad(a).test();
            return result_ok;
        case op_scan:
            if (b != 0 && (b < 3 || b > 50)) {
                return result_bad_argument;
            }
            for (uint8_t i = 0; i < pad_count; ++i) {
                scanner_.pad(i).set_enabled((a >> i & 1) != 0);
                if (b != 0) {
                    scanner_.pad(i).set_patience(b);
                }
            }
            return result_ok;
        default: return result_unknown_op;
    }
}

}  // namespace reader
