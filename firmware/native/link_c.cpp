// The board's side of the protocol behind a C interface, for the loss test and the vectors: no hardware, no readers.
#include <deque>
#include <vector>

#include "../src/link.hpp"

namespace {

using namespace reader;

struct Bench final : Board, Port {
    std::vector<std::vector<Event>> lying;
    std::deque<uint8_t> out;
    std::vector<uint8_t> done;  // commands carried out: op, a, b each
    uint8_t held[2] = {0, 0};
    Link link;

    explicit Bench(uint8_t pads) : lying(pads), link(*this, *this) {}

    uint8_t room() const override { return out.size() < 200 ? static_cast<uint8_t>(255 - out.size()) : 0; }
    void put(uint8_t byte) override { out.push_back(byte); }

    uint8_t board_code() const override { return 3; }
    uint8_t reset_cause() const override { return cause_power; }
    uint8_t pads() const override { return static_cast<uint8_t>(lying.size()); }
    uint8_t seats() const override { return 6; }
    uint8_t tags_per_pad() const override { return 12; }
    uint8_t health(uint8_t) const override { return health_ok; }
    uint8_t version(uint8_t) const override { return 0x92; }
    uint8_t tags(uint8_t pad) const override { return static_cast<uint8_t>(lying[pad].size()); }
    void tag(uint8_t pad, uint8_t index, Event& into) const override {
        into.id_size = lying[pad][index].id_size;
        for (uint8_t i = 0; i < id_max; ++i) {
            into.id[i] = lying[pad][index].id[i];
        }
    }
    uint8_t buttons(bool refuse) const override { return held[refuse ? 1 : 0]; }
    uint16_t sweep_us() override { return 0; }
    uint8_t command(uint8_t op, uint8_t a, uint8_t b) override {
        done.insert(done.end(), {op, a, b});
        return result_ok;
    }
};

Event event_of(uint32_t ms, uint8_t what, uint8_t a, uint8_t b, const uint8_t* id, uint8_t size) {
    Event event = {ms, what, a, b, size, {0}};
    for (uint8_t i = 0; i < size && i < id_max; ++i) {
        event.id[i] = id[i];
    }
    return event;
}

}  // namespace

extern "C" {

Bench* bench_new(uint8_t pads) { return new Bench(pads); }
void bench_free(Bench* bench) { delete bench; }
void bench_begin(Bench* bench, uint32_t boot, uint32_t now) { bench->link.begin(boot, now); }

void bench_receive(Bench* bench, const uint8_t* bytes, uint32_t count, uint32_t now) {
    for (uint32_t i = 0; i < count; ++i) {
        bench->link.receive(bytes[i], now);
    }
}

// Lets the link work and moves what it sends to `into`; returns how many bytes.
uint32_t bench_work(Bench* bench, uint32_t now, uint8_t* into, uint32_t most) {
    bench->link.work(now);
    uint32_t count = 0;
    while (count < most && !bench->out.empty()) {
        into[count++] = bench->out.front();
        bench->out.pop_front();
    }
    return count;
}

void bench_arrive(Bench* bench, uint32_t now, uint8_t pad, const uint8_t* id, uint8_t size) {
    const Event event = event_of(now, what_arrived, pad, 0, id, size);
    bench->lying[pad].push_back(event);
    bench->link.post(event);
}

void bench_leave(Bench* bench, uint32_t now, uint8_t pad) {
    const Event gone = bench->lying[pad].front();
    bench->lying[pad].erase(bench->lying[pad].begin());
    bench->link.post(event_of(now, what_left, pad, 0, gone.id, gone.id_size));
}

void bench_button(Bench* bench, uint32_t now, uint8_t seat, uint8_t refuse, uint8_t pressed) {
    const uint8_t bit = static_cast<uint8_t>(1U << (seat - 1));
    bench->held[refuse] = static_cast<uint8_t>(pressed ? bench->held[refuse] | bit : bench->held[refuse] & ~bit);
    bench->link.post(event_of(now, what_button, seat, static_cast<uint8_t>(refuse | (pressed ? 0x80 : 0)), nullptr, 0));
}

uint32_t bench_commands(Bench* bench, uint8_t* into, uint32_t most) {
    uint32_t count = 0;
    for (; count < most && count < bench->done.size(); ++count) {
        into[count] = bench->done[count];
    }
    bench->done.clear();
    return count;
}

// For the vectors: frames a body, or returns the size of the body in a frame (0: none).
uint32_t bench_frame(const uint8_t* body, uint32_t size, uint8_t* into) {
    struct Into : Port {
        uint8_t* at;
        uint32_t count = 0;
        uint8_t room() const override { return 255; }
        void put(uint8_t byte) override { at[count++] = byte; }
    } port;
    port.at = into;
    Body made(body[0]);
    made.bytes(body + 1, static_cast<uint8_t>(size - 1));
    return send(made, port) ? port.count : 0;
}

uint32_t bench_unframe(const uint8_t* wire, uint32_t size, uint8_t* into) {
    Unframer unframer;
    uint32_t found = 0;
    for (uint32_t i = 0; i < size; ++i) {
        if (unframer.take(wire[i])) {
            found = unframer.size();
            for (uint32_t k = 0; k < found; ++k) {
                into[k] = unframer.data()[k];
            }
        }
    }
    return found;
}
}
