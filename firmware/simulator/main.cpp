// The reader's simulator: a board with models of its readers, keys, lights and buzzer; its serial line is a pseudo-terminal.
//
//     simulate BOARDS.txt BOARD FIRMWARE.elf [--seed N] [--boot-loader FILE.hex] [--reset-on-open] [--link PATH]
//
// Reads commands from standard input, one a line, and answers each with a line of JSON; other lines of JSON tell what the
// board does (lights, tones). Ends with `quit` or when standard input ends. See firmware/README.md.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "control.hpp"

namespace {

model::Nanoseconds wall_clock() {
    timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return static_cast<model::Nanoseconds>(at.tv_sec) * 1000000000ULL + static_cast<model::Nanoseconds>(at.tv_nsec);
}

// The board's end of a pseudo-terminal that programs open like a serial port.
class Terminal {
 public:
    Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
        if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) {
            throw std::runtime_error("no pseudo-terminal can be had");
        }
        termios mode;
        tcgetattr(master_, &mode);
        cfmakeraw(&mode);
        tcsetattr(master_, TCSANOW, &mode);
        fcntl(master_, F_SETFL, O_NONBLOCK);
        // Opened and closed once, so that "nobody has it open" can be told from now on.
        ::close(open(ptsname(master_), O_RDWR | O_NOCTTY));
    }
    ~Terminal() { close(master_); }

    std::string name() const { return ptsname(master_); }
    int descriptor() const { return master_; }

    bool opened() const {
        pollfd look = {master_, POLLIN, 0};
        poll(&look, 1, 0);
        return (look.revents & POLLHUP) == 0;
    }
    // What the program that has it open has set, in baud; 0: none of the speeds that boards speak at.
    unsigned speed() const {
        static const struct { speed_t code; unsigned baud; } known[] = {{B57600, 57600}, {B115200, 115200}, {B500000, 500000}};
        termios mode;
        const speed_t set = tcgetattr(master_, &mode) == 0 ? cfgetospeed(&mode) : B0;
        for (const auto& one : known) {
            if (one.code == set) {
                return one.baud;
            }
        }
        return 0;
    }
    size_t read(uint8_t* into, size_t most) {
        const ssize_t count = ::read(master_, into, most);
        return count > 0 ? static_cast<size_t>(count) : 0;
    }
    void write(uint8_t byte) {
        // A full buffer loses bytes, as a serial line does.
        if (::write(master_, &byte, 1) < 0) {
            return;
        }
    }

 private:
    int master_;
};

class Simulation {
 public:
    Simulation(Machine& machine, bool reset_on_open)
        : machine_(machine), control_(machine), reset_on_open_(reset_on_open) {
        control_.on_byte = [this](uint8_t byte) {
            if (is_open_) {
                terminal_.write(byte);
            }
        };
        std::printf("{\"port\": \"%s\", \"board\": \"%s\", \"pads\": %zu}\n", terminal_.name().c_str(),
                    machine.map().name.c_str(), machine.map().pads.size());
        std::fflush(stdout);
    }

    std::string port() const { return terminal_.name(); }

    void work() {
        bool paced = false;
        while (commands()) {
            if (!control_.real_time()) {
                paced = false;
                continue;
            }
            if (!paced) {
                paced = true;
                wall_from_ = wall_clock();
                simulated_from_ = machine_.now();
            }
            keep_pace();
        }
    }

 private:
    static constexpr model::Nanoseconds millisecond = 1000000;
    // So much is simulated at a time: a table has a process for each tray, and waking a thousand times a second cost more than
    // what was simulated.
    static constexpr model::Nanoseconds step = 4 * millisecond;
    static constexpr model::Nanoseconds too_far_behind = 200 * millisecond;

    // Reads commands; waits for one while simulated time stands still. False: the end.
    bool commands() {
        pollfd look = {STDIN_FILENO, POLLIN, 0};
        if (poll(&look, 1, control_.real_time() ? 0 : -1) <= 0) {
            return true;
        }
        char bytes[4096];
        const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
        if (count <= 0) {
            return false;
        }
        input_.append(bytes, static_cast<size_t>(count));
        for (size_t end; (end = input_.find('\n')) != std::string::npos;) {
            const std::string line = input_.substr(0, end);
            input_.erase(0, end + 1);
            if (!control_.obey(line)) {
                return false;
            }
        }
        return true;
    }

    void keep_pace() {
        serve_terminal();
        const model::Nanoseconds wall = wall_clock() - wall_from_;
        const model::Nanoseconds simulated = machine_.now() - simulated_from_;
        if (wall > simulated + too_far_behind) {
            // This computer cannot keep up, or it slept: let the board be late rather than race.
            wall_from_ += wall - simulated;
        }
        if (simulated < wall + step) {
            control_.run_until(machine_.now() + step);
            return;
        }
        // Idle: asleep until there is something to do, but for commands.
        pollfd look = {STDIN_FILENO, POLLIN, 0};
        poll(&look, 1, static_cast<int>((simulated - wall) / millisecond));
    }

    void serve_terminal() {
        const bool open_now = terminal_.opened();
        if (open_now && !is_open_ && reset_on_open_) {
            machine_.reset(false);  // DTR pulls the reset key
        }
        is_open_ = open_now;
        if (const unsigned baud = terminal_.speed()) {
            machine_.line_speed(baud);
        }
        uint8_t bytes[256];
        const size_t count = is_open_ ? terminal_.read(bytes, sizeof bytes) : 0;
        machine_.receive(bytes, count);
    }

    Machine& machine_;
    Terminal terminal_;
    Control control_;
    bool reset_on_open_;
    bool is_open_ = false;
    std::string input_;
    model::Nanoseconds wall_from_ = 0, simulated_from_ = 0;
};

}  // namespace

int main(int count, char** words) {
    if (count < 4) {
        std::fprintf(stderr, "usage: simulate BOARDS.txt BOARD FIRMWARE.elf [--seed N] [--boot-loader FILE.hex] [--reset-on-open] [--link PATH]\n");
        return 2;
    }
    uint32_t seed = 1;
    bool reset_on_open = false;
    std::string link, loader;
    for (int i = 4; i < count; ++i) {
        if (std::strcmp(words[i], "--reset-on-open") == 0) {
            reset_on_open = true;
        } else if (std::strcmp(words[i], "--seed") == 0 && i + 1 < count) {
            seed = static_cast<uint32_t>(std::strtoul(words[++i], nullptr, 0));
        } else if (std::strcmp(words[i], "--boot-loader") == 0 && i + 1 < count) {
            loader = words[++i];
        } else if (std::strcmp(words[i], "--link") == 0 && i + 1 < count) {
            link = words[++i];
        } else {
            std::fprintf(stderr, "what is %s?\n", words[i]);
            return 2;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    try {
        const std::unique_ptr<Machine> machine = make_machine(read_board(words[1], words[2]), words[3], loader, seed);
        Simulation simulation(*machine, reset_on_open);
        if (!link.empty()) {
            unlink(link.c_str());
            if (symlink(simulation.port().c_str(), link.c_str()) != 0) {
                throw std::runtime_error("cannot make the link " + link);
            }
        }
        simulation.work();
        if (!link.empty()) {
            unlink(link.c_str());
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "simulate: %s\n", error.what());
        return 1;
    }
    return 0;
}
