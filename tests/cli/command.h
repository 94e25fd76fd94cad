// Runs the built command the way a script does, in a folder of its own per test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace sinew::testing {

namespace fs = std::filesystem;

struct Outcome {
    int exitCode = -1;  // 128 + n after signal n, as a shell has it
    std::string out, err;

    int errorLines() const;
};

std::string readText(const fs::path& path);
void writeText(const fs::path& path, const std::string& text);

// A running command, which can be sent signals.
class Process {
public:
    Process(const fs::path& folder, const std::vector<std::string>& arguments);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    void signal(int number) const;
    Outcome wait();

private:
    fs::path folder_;
    int id_ = -1;
};

// An empty folder that is also the command's working directory.
class CommandTest : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;
    Outcome run(const std::vector<std::string>& arguments) const;
    fs::path at(const std::string& name) const { return folder / name; }
    // Writes a scene of one hinged rod, with changes: each first text is replaced by the second.
    void writeRod(const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& changes) const;

    fs::path folder;
};

}  // namespace sinew::testing
