#include "cli/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

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

Process::Process(const fs::path& folder, const std::vector<std::string>& arguments) : folder_(folder)
{
    std::vector<std::string> words{SINEW_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string out = folder / "stdout.txt", err = folder / "stderr.txt", where = folder;

    id_ = ::fork();
    if (id_ != 0) return;
    const int outFile = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int errFile = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (::chdir(where.c_str()) == 0 && ::dup2(outFile, 1) == 1 && ::dup2(errFile, 2) == 2)
        ::execv(pointers[0], pointers.data());
    ::_exit(127);
}

Process::~Process()
{
    if (id_ > 0) {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
}

void Process::signal(int number) const
{
    if (id_ > 0) ::kill(id_, number);
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

Outcome CommandTest::run(const std::vector<std::string>& arguments) const
{
    return Process(folder, arguments).wait();
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
