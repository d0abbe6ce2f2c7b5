// The board's program: one object, one loop, one interrupt a millisecond.
#include "app.hpp"

// An RP2040's program is freestanding; on a computer it is started by hal_native.cpp.
#if defined(__AVR__) || !__STDC_HOSTED__
#define READER_STARTS_HERE
#else
#include <new>
#endif

namespace {
reader::App app;
}

namespace reader {

// The two rows of keys take turns.
void tick() {
    static bool refuse = false;
    refuse = !refuse;
    app.sample(refuse);
}
void service() { app.talk(); }

}  // namespace reader

#if defined(READER_STARTS_HERE)
int main() {
    app.begin();
    for (;;) {
        app.work();
    }
}
#else
// A start of the board in one process may be its tenth.
void board_begin() {
    app.~App();
    new (&app) reader::App();
    app.begin();
}
void board_work() { app.work(); }
#endif
