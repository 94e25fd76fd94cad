// Another program that works for this one: started without a shell, spoken to through pipes, and never
// left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.h"

namespace sinew {

// Where a program is: what the environment's `variable` says, else the first of `names` that is on the
// path. The error names the Debian package that has it.
Result<std::string> findProgram(const char* variable, const std::vector<std::string>& names,
                                const std::string& package);

struct ChildCommand {
    std::string program;
    std::vector<std::string> arguments;
    int reads = 0;          // the descriptor on which the program hears us
    int writes = -1;        // the descriptor on which we hear the program; -1: none
    std::string log;        // a file for whatever else it says
    std::string temporary;  // its own TMPDIR
};

// How waiting for a program ended. Of an interrupt (interrupt.h) every function tells within a moment.
enum class Wait { done, ended, late, interrupted };

class ChildProcess {
public:
    using Clock = std::chrono::steady_clock;

    static Result<ChildProcess> start(const ChildCommand& command);
    ~ChildProcess();  // kills it, and all that it started
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&&) = delete;

    Wait send(std::string_view bytes, Clock::time_point deadline);
    // Appends what is there to `buffer`, at least one byte.
    Wait receive(std::string& buffer, Clock::time_point deadline);
    void closeInput();
    // Waits for its end; `done` if it ended well.
    Wait finish(Clock::time_point deadline);

    // Kills it and all that it started; it may be told by any thread while others wait for the program.
    void stop() const;

    // How it ended, and the last line that it said, or the last with `mark` in it: for a message.
    std::string obituary(std::string_view mark = {}) const;

private:
    ChildProcess() = default;
    static Wait waitFor(int descriptor, short event, Clock::time_point deadline);

    pid_t id_ = -1;
    int input_ = -1, output_ = -1;
    std::string log_;
};

}  // namespace sinew
