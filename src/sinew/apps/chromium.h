// Chromium without a window, driven through its DevTools protocol over a pipe.
#pragma once

#include <string>

#include "sinew/apps/child_process.h"
#include "sinew/apps/temporary_folder.h"
#include "sinew/io/json/json.h"

namespace sinew {

// The browser, or what is wrong: it is looked for, not started.
Result<std::string> findChromium();

class Chromium {
public:
    struct Settings {
        std::string program;
        std::string name;  // among others in the same folder
        bool gpu = false;  // draw with a graphics card where there is one
    };

    // Starts it with a profile of its own in `folder`, which must outlive it. No answer may take longer
    // than `patience`.
    static Result<Chromium> start(const Settings& settings, const TemporaryFolder& folder,
                                  std::chrono::duration<double> patience);

    // Opens a file and waits until it is loaded.
    Result<bool> open(const std::string& path);

    // The value of a JavaScript expression in the page, awaited if it is a promise. An exception becomes an
    // error with its message. It may take `allowance` times as long as any other answer.
    Result<json::Value> evaluate(const std::string& expression, double allowance = 1);

    // From any thread: ends it, and whoever waits for its answer gets an error.
    void stop() { process_.stop(); }

private:
    Chromium(ChildProcess process, std::chrono::duration<double> patience)
        : process_(std::move(process)), patience_(patience)
    {
    }
    // Sends a command and gives the `result` of its answer.
    Result<json::Value> call(const std::string& method, const json::Value& parameters,
                             double allowance = 1);
    Result<json::Value> nextMessage(ChildProcess::Clock::time_point deadline);
    Diagnostic trouble(Wait wait) const;
    ChildProcess::Clock::time_point deadline(double allowance = 1) const;

    ChildProcess process_;
    std::chrono::duration<double> patience_;
    std::string session_;  // of the page; empty: the browser itself is spoken to
    std::string received_;
    std::string loaded_;  // DevTools' name of the last load that is complete
    int lastId_ = 0;
};

}  // namespace sinew
