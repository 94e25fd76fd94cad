// Runs the built command the way a script does, in a folder of its own per test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sinew/io/json/json.h"

namespace sinew::testing {

namespace fs = std::filesystem;

struct Outcome {
    int exitCode = -1;  // 128 + n after signal n, as a shell has it
    std::string out, err;

    int errorLines() const;
};

std::string readText(const fs::path& path);
void writeText(const fs::path& path, const std::string& text);

std::vector<std::string> lines(const std::string& text);

// Every file of a folder by its name, hidden ones and those in folders below too.
std::map<std::string, std::string> contentOf(const fs::path& directory);

// JSON that must be good, and members that must be there.
json::Value parsed(const std::string& text);
double number(const json::Value& object, const std::string& key);
std::string word(const json::Value& object, const std::string& key);

// A running command, which can be sent signals, and lines if it is to have them.
class Process {
public:
    enum class Input { none, lines };
    // `inChild` is done by the new process just before the command starts: limits, descriptors.
    Process(const fs::path& folder, const std::vector<std::string>& arguments, Input input = Input::none,
            const std::function<void()>& inChild = {});
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    void signal(int number) const;
    void say(const std::string& text) const;
    void hangUp();  // its standard input ends
    Outcome wait();

private:
    fs::path folder_;
    int id_ = -1;
    int input_ = -1;
};

// An empty folder that is also the command's working directory.
class CommandTest : public ::testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;
    Outcome run(const std::vector<std::string>& arguments, const std::function<void()>& inChild = {}) const;
    // The same, and it must end well, without a word on stderr.
    void good(const std::vector<std::string>& arguments) const;
    // It must end with exit code 2 and one line that holds every part of `says`.
    void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& says) const;
    fs::path at(const std::string& name) const { return folder / name; }
    // Of glTF files, for tools that look at what the tests wrote (tests/gltf, tests/blender).
    void keep(const std::string& name) const;
    // Writes a scene of one hinged rod, with changes: each first text is replaced by the second.
    void writeRod(const std::string& name,
                  const std::vector<std::pair<std::string, std::string>>& changes) const;

    // Writes chain.json: a chain that swings for as long as the options say.
    void makeChain() const;
    json::Value summary(const std::string& folderName) const;
    // Waits until the file is there and has at least `size` bytes.
    bool grows(const std::string& name, std::uintmax_t size) const;

    fs::path folder;
};

}  // namespace sinew::testing
