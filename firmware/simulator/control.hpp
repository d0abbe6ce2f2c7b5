// The simulator's command channel: a line of words in, a line of JSON out.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "machine.hpp"

class Control {
 public:
    explicit Control(Machine& machine);

    // Carries one line out and prints its answer. False: the line said quit.
    bool obey(const std::string& line);
    // Lets simulated time pass, with everything that is planned for then.
    void run_until(model::Nanoseconds when);
    bool real_time() const { return real_time_; }

    std::function<void(uint8_t)> on_byte;  // where the board's bytes go when they do not go to this channel

 private:
    using Words = std::vector<std::string>;
    using Handler = void (Control::*)(const Words&);
    struct Command {
        Handler handler;
        size_t least;  // words after the command's name
        const char* usage;
    };
    static const std::map<std::string, Command>& commands();

    void put(const Words& words);
    void take(const Words& words);
    void noise(const Words& words);
    void weak(const Words& words);
    void counterfeit(const Words& words);
    void kill(const Words& words);
    void revive(const Words& words);
    void version(const Words& words);
    void mute(const Words& words);
    void crystal(const Words& words);
    void miso(const Words& words);
    void leads(const Words& words);
    void pullup(const Words& words);
    void change_register(const Words& words);
    void brownout(const Words& words);
    void press(const Words& words);
    void release(const Words& words);
    void bounce(const Words& words);
    void click(const Words& words);
    void reset(const Words& words);
    void hang(const Words& words);
    void wipe(const Words& words);
    void run(const Words& words);
    void realtime(const Words& words);
    void receive(const Words& words);
    void serial(const Words& words);
    void trace(const Words& words);

    size_t pad(const std::string& word) const;
    unsigned seat(const std::string& word) const;
    void say(const std::string& fields) const;
    void sent(uint8_t byte);
    void tell_frame();

    Machine& machine_;
    std::multimap<model::Nanoseconds, std::function<void()>> planned_;
    std::string frame_;
    bool real_time_ = false;
    enum { terminal, here, raw } serial_ = terminal;
};
