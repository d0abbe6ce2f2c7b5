#include "link.hpp"

namespace reader {

namespace {

// These are promises to the program (PROTOCOL.md, "Opening" and "Events"): change them there too.
constexpr uint32_t greeting_every_ms = 250;
constexpr uint32_t beat_every_ms = 500;
constexpr uint32_t host_gone_after_ms = 3000;
constexpr uint8_t patience_first_ms = 25;
constexpr uint8_t patience_most_ms = 50;
constexpr uint8_t quick_resend_ms = 8;
constexpr uint8_t window = 8;
constexpr uint8_t reserve = 8;  // places a snapshot leaves free, so that what happens meanwhile does not overflow again

// Bodies of requests, by kind: their exact size. Anything else is no request.
uint8_t request_size(uint8_t kind) {
    switch (kind) {
        case kind_ask: return 3;
        case kind_resume: return 10;
        case kind_ack: return 5;
        case kind_command: return 5;
        default: return 0;
    }
}

}  // namespace

void Link::begin(uint32_t boot_id, uint32_t now) {
    boot_id_ = boot_id;
    beat_at_ = now - greeting_every_ms;  // greet at once
}

bool Link::host_present(uint32_t now) const {
    return session_ != 0 && now - heard_at_ < host_gone_after_ms;
}

void Link::receive(uint8_t byte, uint32_t now) {
    if (unframer_.take(byte)) {
        const uint8_t* body = unframer_.data();
        if (unframer_.size() == request_size(body[0])) {
            handle(body, now);
        }
    }
}

void Link::handle(const uint8_t* body, uint32_t now) {
    switch (body[0]) {
        case kind_ask: greet(); beat_at_ = now; break;
        case kind_resume: resume(body, now); break;
        case kind_ack: acknowledged(body, now); break;
        default: heard_at_ = now; command(body); break;
    }
}

void Link::resume(const uint8_t* body, uint32_t now) {
    const uint16_t session = get_u16(body + 1);
    if (session == 0 || get_u32(body + 3) != boot_id_) {
        greet();
        return;
    }
    heard_at_ = now;
    ready_due_ = true;
    if (session == session_) {
        return;  // our READY was lost: say it again, change nothing
    }
    session_ = session;
    // Commands are numbered anew: one with an old number must not be taken for a repeated one.
    last_command_ = -1;
    in_flight_ = 0;
    patience_ms_ = patience_first_ms;
    const bool known = body[7] != 0 && outbox_.acknowledge(get_u16(body + 8));
    fresh_ = !known;
    if (!known) {
        start_snapshot(snapshot_fresh);
    }
}

void Link::acknowledged(const uint8_t* body, uint32_t now) {
    if (session_ == 0 || get_u16(body + 1) != session_) {
        return;
    }
    heard_at_ = now;
    const uint16_t before = outbox_.first();
    if (!outbox_.acknowledge(get_u16(body + 3))) {
        return;
    }
    const uint16_t count = static_cast<uint16_t>(outbox_.first() - before);
    if (count != 0) {
        in_flight_ = count < in_flight_ ? static_cast<uint8_t>(in_flight_ - count) : 0;
        patience_ms_ = patience_first_ms;
        sent_at_ = now;
    } else if (in_flight_ != 0 && now - sent_at_ >= quick_resend_ms) {
        in_flight_ = 0;  // the host repeats itself: the next one did not arrive
    }
}

void Link::command(const uint8_t* body) {
    if (session_ == 0) {
        return;
    }
    // The same number again: our DONE was lost. It is said once more, and nothing is done twice.
    if (body[1] != last_command_) {
        last_command_ = body[1];
        if (body[2] == op_snapshot) {
            start_snapshot(snapshot_asked);
            last_result_ = result_ok;
        } else {
            last_result_ = board_.command(body[2], body[3], body[4]);
        }
    }
    Body done(kind_done);
    done.u8(body[1]);
    done.u8(last_result_);
    send(done, port_);
}

void Link::greet() {
    Body hello(kind_hello);
    hello.u8(protocol_major);
    hello.u8(protocol_minor);
    hello.bytes(firmware_version, 3);
    hello.u32(boot_id_);
    hello.u8(board_.board_code());
    hello.u8(board_.reset_cause());
    hello.u16(capability_colour | capability_tone | capability_gain | capability_several | capability_drive);
    hello.u8(board_.seats());
    hello.u8(board_.tags_per_pad());
    hello.u8(OUTBOX_EVENTS);
    hello.u8(board_.pads());
    for (uint8_t pad = 0; pad < board_.pads(); ++pad) {
        hello.u8(board_.health(pad));
        hello.u8(board_.version(pad));
    }
    send(hello, port_);
}

void Link::work(uint32_t now) {
    const bool present = host_present(now);
    if (now - beat_at_ >= (present ? beat_every_ms : greeting_every_ms)) {
        beat_at_ = now;
        if (present) {
            Body beat(kind_beat);
            beat.u32(now);
            beat.u16(static_cast<uint16_t>(outbox_.next() - 1));
            beat.u16(board_.sweep_us());
            send(beat, port_);
        } else {
            greet();
        }
    }
    if (ready_due_) {
        Body ready(kind_ready);
        ready.u16(session_);
        ready.u32(boot_id_);
        ready.u8(fresh_ ? 1 : 0);
        ready_due_ = !send(ready, port_);
    }
    if (present && !ready_due_) {
        build_snapshot(now);
        send_events(now);
    }
}

void Link::send_events(uint32_t now) {
    if (in_flight_ != 0 && now - sent_at_ >= patience_ms_) {
        in_flight_ = 0;
        patience_ms_ = patience_ms_ > patience_most_ms / 2 ? patience_most_ms : static_cast<uint8_t>(patience_ms_ * 2);
    }
    while (in_flight_ < outbox_.size() && in_flight_ < window && send_event(in_flight_)) {
        if (in_flight_ == 0) {
            sent_at_ = now;
        }
        ++in_flight_;
    }
}

bool Link::send_event(uint8_t offset) {
    const Event& event = outbox_.at(offset);
    Body body(kind_event);
    body.u16(static_cast<uint16_t>(outbox_.first() + offset));
    body.u32(event.ms);
    body.u8(event.what);
    body.u8(event.a);
    body.u8(event.b);
    body.u8(event.id_size);
    body.bytes(event.id, event.id_size);
    return send(body, port_);
}

void Link::post(const Event& event) {
    const bool covered = covered_by_snapshot(event);
    if (!covered && outbox_.room() != 0) {
        outbox_.add(event);
        return;
    }
    if (!covered) {
        start_snapshot(snapshot_overflow);
    }
    count_lost(1);
}

void Link::count_lost(uint8_t more) {
    lost_ = lost_ > 0xFF - more ? 0xFF : static_cast<uint8_t>(lost_ + more);
}

// While a snapshot is being built, what happens on a pad whose turn is still to come will be part of it: what lies there
// in the end is told by the snapshot, that something happened in between is told by its count of lost events.
bool Link::covered_by_snapshot(const Event& event) const {
    if (snapshot_step_ == snapshot_idle) {
        return false;
    }
    return snapshot_step_ == 0 || (event.what != what_button && event.a + 1 >= snapshot_step_);
}

void Link::start_snapshot(uint8_t reason) {
    if (reason != snapshot_asked) {
        count_lost(outbox_.drop());
        in_flight_ = 0;
    } else if (snapshot_step_ != snapshot_idle) {
        return;  // one is under way already; it may be one that jumps
    }
    snapshot_reason_ = reason;
    snapshot_step_ = 0;
}

// Step 0 is BEGIN with the buttons, step n is pad n - 1, whole or not at all, and the last step is END.
void Link::build_snapshot(uint32_t now) {
    while (snapshot_step_ != snapshot_idle) {
        Event event = {now, 0, 0, 0, 0, {0}};
        if (snapshot_step_ == 0) {
            if (outbox_.room() < 2 + reserve) {
                return;
            }
            event.what = what_snapshot_begin;
            event.a = snapshot_reason_;
            outbox_.add(event);
            event.what = what_snapshot_buttons;
            event.a = board_.buttons(false);
            event.b = board_.buttons(true);
            outbox_.add(event);
        } else if (snapshot_step_ <= board_.pads()) {
            const uint8_t pad = static_cast<uint8_t>(snapshot_step_ - 1);
            const uint8_t count = board_.tags(pad);
            if (outbox_.room() < count + 1 + reserve) {
                return;
            }
            event.what = what_snapshot_pad;
            event.a = pad;
            event.b = board_.health(pad);
            event.id_size = 1;
            event.id[0] = board_.version(pad);
            outbox_.add(event);
            for (uint8_t i = 0; i < count; ++i) {
                event.what = what_snapshot_tag;
                event.b = 0;
                board_.tag(pad, i, event);
                outbox_.add(event);
            }
        } else {
            if (outbox_.room() < 1 + reserve) {
                return;
            }
            event.what = what_snapshot_end;
            event.a = whole_board;
            event.b = board_.health(whole_board);
            event.id_size = 1;
            event.id[0] = lost_;
            outbox_.add(event);
            lost_ = 0;
            snapshot_step_ = snapshot_idle;
            return;
        }
        ++snapshot_step_;
    }
}

}  // namespace reader
