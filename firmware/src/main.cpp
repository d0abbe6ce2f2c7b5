// The board's program: one object, one loop, one interrupt a millisecond.
#include "app.hpp"

#if !defined(__AVR__) && !defined(READER_RP2040)
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

#if defined(__AVR__) || defined(READER_RP2040)
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
