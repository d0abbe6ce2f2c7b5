// The board's side of the protocol: bytes in, bytes out, no hardware and no clock of its own (PROTOCOL.md).
#pragma once

#include <stdint.h>

#include "frame.hpp"
#include "outbox.hpp"
#include "protocol.hpp"

// How many events wait for the host: as many as the chip's RAM has room for.
#if defined(__AVR_ATmega328P__)
#define OUTBOX_EVENTS 24
#else
#define OUTBOX_EVENTS 64
#endif

namespace reader {

// What the link tells of the board, and whom it passes commands to.
struct Board {
    virtual uint8_t board_code() const = 0;
    virtual uint8_t reset_cause() const = 0;
    virtual uint8_t pads() const = 0;
    virtual uint8_t seats() const = 0;
    virtual uint8_t tags_per_pad() const = 0;
    virtual uint8_t health(uint8_t pad) const = 0;   // Health; pad may be whole_board
    virtual uint8_t version(uint8_t pad) const = 0;  // VersionReg as read
    virtual uint8_t tags(uint8_t pad) const = 0;     // how many are known to lie there
    virtual void tag(uint8_t pad, uint8_t index, Event& into) const = 0;  // fills id and id_size
    virtual uint8_t buttons(bool refuse) const = 0;  // bit 0 is seat 1
    virtual uint16_t sweep_us() = 0;                  // longest sweep since last asked
    virtual uint8_t command(uint8_t op, uint8_t a, uint8_t b) = 0;  // Result
};

class Link {
 public:
    // boot_id: differs at every start with high probability, never 0.
    Link(Board& board, Port& port) : board_(board), port_(port) {}
    void begin(uint32_t boot_id, uint32_t now);

    void receive(uint8_t byte, uint32_t now);
    // Sends what is due: greeting, events, resends, snapshot parts, heartbeat. To be called often.
    void work(uint32_t now);

    // Takes an event into the outbox. When that is full, everything in it is given up, and a snapshot follows that says so.
    void post(const Event& event);
    // True while a program talks to us.
    bool host_present(uint32_t now) const;

 private:
    void handle(const uint8_t* body, uint32_t now);
    void resume(const uint8_t* body, uint32_t now);
    void acknowledged(const uint8_t* body, uint32_t now);
    void command(const uint8_t* body);
    void greet();
    void send_events(uint32_t now);
    bool send_event(uint8_t offset);
    void start_snapshot(uint8_t reason);
    void build_snapshot(uint32_t now);
    void count_lost(uint8_t more);
    bool covered_by_snapshot(const Event& event) const;

    static constexpr uint8_t snapshot_idle = 0xFF;

    Board& board_;
    Port& port_;
    Outbox<OUTBOX_EVENTS> outbox_;
    Unframer unframer_;
    uint32_t boot_id_ = 0;
    uint32_t heard_at_ = 0;        // when the host was last heard
    uint32_t sent_at_ = 0;         // when the oldest event under way was sent, or was last known to make progress
    uint32_t beat_at_ = 0;         // when HELLO or BEAT was last sent
    uint16_t session_ = 0;         // 0: no session
    uint8_t in_flight_ = 0;        // events at the outbox's head that have been sent
    uint8_t patience_ms_ = 0;      // how long to wait for an acknowledgement before sending again
    uint8_t snapshot_step_ = snapshot_idle;
    uint8_t snapshot_reason_ = 0;
    uint8_t lost_ = 0;             // events given up, told at the end of the next snapshot (255: or more)
    int16_t last_command_ = -1;    // -1: none in this session
    uint8_t last_result_ = 0;
    bool ready_due_ = false;
    bool fresh_ = false;
};

}  // namespace reader
