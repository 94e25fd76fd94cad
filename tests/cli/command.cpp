#include "cli/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace sinew::testing {

int Outcome::errorLines() const
{
    return static_cast<int>(std::count(err.begin(), err.end(), '\n'));
}

std::string readText(const fs::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

void writeText(const fs::path& path, const std::string& text)
{
    std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> lines(const std::string& text)
{
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(line);
    return all;
}

std::map<std::string, std::string> contentOf(const fs::path& directory)
{
    std::map<std::string, std::string> content;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
        content[entry.path().lexically_relative(directory)] =
            entry.is_regular_file() ? readText(entry.path()) : "no plain file";
    return content;
}

json::Value parsed(const std::string& text)
{
    Result<json::Value> value = json::parse(text, "output");
    EXPECT_TRUE(value) << text;
    return value ? value.value() : json::Value::object();
}

double number(const json::Value& object, const std::string& key)
{
    const json::Value* value = object.find(key);
    EXPECT_TRUE(value && value->isNumber()) << key;
    return value && value->isNumber() ? value->number() : 0;
}

std::string word(const json::Value& object, const std::string& key)
{
    const json::Value* value = object.find(key);
    EXPECT_TRUE(value && value->isString()) << key;
    return value && value->isString() ? value->string() : "";
}

Process::Process(const fs::path& folder, const std::vector<std::string>& arguments, Input input,
                 const std::function<void()>& inChild)
    : folder_(folder)
{
    std::vector<std::string> words{SINEW_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string out = folder / "stdout.txt", err = folder / "stderr.txt", where = folder;

    int ends[2] = {-1, -1};
    if (input == Input::lines) EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    id_ = ::fork();
    if (id_ != 0) {
        if (ends[0] >= 0) ::close(ends[0]);
        input_ = ends[1];
        return;
    }
    if (ends[0] >= 0) ::dup2(ends[0], 0);
    const int outFile = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int errFile = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (::chdir(where.c_str()) == 0 && ::dup2(outFile, 1) == 1 && ::dup2(errFile, 2) == 2) {
        ::close(outFile);
        ::close(errFile);
        if (inChild) inChild();
        ::execv(pointers[0], pointers.data());
    }
    ::_exit(127);
}

Process::~Process()
{
    hangUp();
    if (id_ > 0) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
}

void Process::signal(int number) const
{
    if (id_ > 0) ::kill(id_, number);
}

void Process::say(const std::string& text) const
{
    EXPECT_EQ(::write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

void Process::hangUp()
{
    if (input_ >= 0) ::close(input_);
    input_ = -1;
}

Outcome Process::wait()
{
    int status = 0;
    ::waitpid(id_, &status, 0);
    id_ = -1;
    Outcome outcome;
    outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = readText(folder_ / "stdout.txt");
    outcome.err = readText(folder_ / "stderr.txt");
    fs::remove(folder_ / "stdout.txt");
    fs::remove(folder_ / "stderr.txt");
    return outcome;
}

void CommandTest::SetUp()
{
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(SINEW_TEST_OUTPUT_DIR) /
             ("cli_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder);
}

void CommandTest::TearDown()
{
    if (!HasFailure()) fs::remove_all(folder);  // a failure leaves its files to look at
}

Outcome CommandTest::run(const std::vector<std::string>& arguments,
                         const std::function<void()>& inChild) const
{
    return Process(folder, arguments, Process::Input::none, inChild).wait();
}

void CommandTest::good(const std::vector<std::string>& arguments) const
{
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
}

void CommandTest::refused(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& says) const
{
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << outcome.err;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const std::string& part : says)
        EXPECT_NE(outcome.err.find(part), std::string::npos) << "'" << part << "' not in: " << outcome.err;
}

void CommandTest::makeChain() const
{
    good({"make", "chain", "--links", "10", "--start", "horizontal", "-o", "chain.json"});
}

json::Value CommandTest::summary(const std::string& folderName) const
{
    return parsed(readText(at(folderName) / "summary.json"));
}

bool CommandTest::grows(const std::string& name, std::uintmax_t size) const
{
    for (int i = 0; i < 120000; ++i) {  // ten minutes: sanitizers are slow
        std::error_code code;
        const auto now = fs::file_size(at(name), code);
        if (!code && now >= size) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

void CommandTest::keep(const std::string& name) const
{
    const char* wanted = std::getenv("SINEW_TEST_GLTF_OUT");
    if (!wanted) return;
    fs::create_directories(wanted);
    fs::copy_file(at(name), fs::path(wanted) / name, fs::copy_options::overwrite_existing);
}

void CommandTest::writeRod(const std::string& name,
                           const std::vector<std::pair<std::string, std::string>>& changes) const
{
    std::string text = R"({
  "sinew": 1,
  "name": "rod",
  "bodies": [
    {"name": "rod", "position": [0, -0.5, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]},
    {"name": "tip", "position": [0, -1.5, 0], "mass": 1, "inertia": [0.1, 0.1, 0.1]}
  ],
  "joints": [
    {"name": "pin", "type": "hinge", "first": "world", "second": "rod", "position": [0, 0, 0], "axis": [0, 0, 1]},
    {"name": "ball", "type": "spherical", "first": "rod", "second": "tip", "position": [0, -1, 0]}
  ]
})";
    for (const auto& [before, after] : changes) {
        const auto where = text.find(before);
        ASSERT_NE(where, std::string::npos) << before;
        text.replace(where, before.size(), after);
    }
    writeText(at(name), text);
}

}  // namespace sinew::testing
