#include "sinew/apps/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "sinew/apps/interrupt.h"
#include "sinew/io/file_error.h"

extern char** environ;

namespace sinew {

namespace {

namespace fs = std::filesystem;

// An interrupt that comes just before a wait is seen after this at the latest.
constexpr std::chrono::milliseconds pollEvery{50};

bool isProgram(const std::string& path)
{
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

// As a shell finds it: a name with a slash is a path.
std::string onPath(const std::string& name)
{
    if (name.find('/') != std::string::npos) return isProgram(name) ? name : std::string();
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (isProgram(candidate)) return candidate;
    }
    return {};
}

// A pipe whose ends are out of the way of the numbers that a program is promised, and closed in all others.
class Pipe {
public:
    Pipe()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return;
        constexpr int firstFree = 10;
        read = ::fcntl(ends[0], F_DUPFD_CLOEXEC, firstFree);
        write = ::fcntl(ends[1], F_DUPFD_CLOEXEC, firstFree);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Pipe()
    {
        if (read >= 0) ::close(read);
        if (write >= 0) ::close(write);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    bool isGood() const { return read >= 0 && write >= 0; }

    int read = -1, write = -1;
};

// What posix_spawn wants to know.
class SpawnSettings {
public:
    SpawnSettings()
    {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
        // A group of its own: Ctrl-C at a terminal reaches only us, and all of it can be killed at once.
        posix_spawnattr_setflags(&attributes,
                                 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setpgroup(&attributes, 0);
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setsigmask(&attributes, &none);
    }
    ~SpawnSettings()
    {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
};

// The environment with another TMPDIR.
std::vector<std::string> environmentWith(const std::string& temporary)
{
    std::vector<std::string> variables{"TMPDIR=" + temporary};
    for (char** entry = environ; *entry; ++entry) {
        if (!std::string_view(*entry).starts_with("TMPDIR=")) variables.emplace_back(*entry);
    }
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

Result<std::string> findProgram(const char* variable, const std::vector<std::string>& names,
                                const std::string& package)
{
    const char* wish = std::getenv(variable);
    if (wish && *wish != '\0') {
        const std::string path = onPath(wish);
        if (!path.empty()) return path;
        return fileError(variable, fmt::format("there is no program {}; set it right, or unset it and "
                                               "install Debian's package {}",
                                               wish, package));
    }
    for (const std::string& name : names) {
        const std::string path = onPath(name);
        if (!path.empty()) return path;
    }
    return fileError("sinew render",
                     fmt::format("{0} is missing; install Debian's package {0}, or name the "
                                 "program by the environment variable {1}",
                                 package, variable));
}

Result<ChildProcess> ChildProcess::start(const ChildCommand& command)
{
    // A program that ends early shall be an answer of write(), not our end.
    std::signal(SIGPIPE, SIG_IGN);
    Pipe in, out;
    if (!in.isGood() || !out.isGood())
        return fileError(command.program, std::string("no pipe: ") + std::strerror(errno));
    SpawnSettings settings;
    if (command.reads != STDIN_FILENO)
        posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&settings.files, STDOUT_FILENO, command.log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&settings.files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&settings.files, in.read, command.reads);
    if (command.writes >= 0) posix_spawn_file_actions_adddup2(&settings.files, out.write, command.writes);

    std::vector<std::string> words{command.program}, variables = environmentWith(command.temporary);
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    ChildProcess child;
    const int fault =
        ::posix_spawn(&child.id_, command.program.c_str(), &settings.files, &settings.attributes,
                      pointersTo(words).data(), pointersTo(variables).data());
    if (fault != 0) {
        child.id_ = -1;
        return fileError(command.program, std::string("cannot be started: ") + std::strerror(fault));
    }
    endWithGroup(child.id_, true);
    child.log_ = command.log;
    child.input_ = std::exchange(in.write, -1);
    child.output_ = std::exchange(out.read, -1);
    ::fcntl(child.input_, F_SETFL, O_NONBLOCK);
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      log_(std::move(other.log_))
{
}

ChildProcess::~ChildProcess()
{
    if (id_ > 0) {
        ::kill(-id_, SIGKILL);
        endWithGroup(id_, false);
        ::waitpid(id_, nullptr, 0);
    }
    closeInput();
    if (output_ >= 0) ::close(output_);
}

Wait ChildProcess::waitFor(int descriptor, short event, Clock::time_point deadline)
{
    while (!interrupted()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) return Wait::late;
        pollfd wanted{descriptor, event, 0};
        const int found = ::poll(&wanted, 1, static_cast<int>(std::min(left, pollEvery).count()));
        if (found > 0) return Wait::done;
        if (found < 0 && errno != EINTR) return Wait::ended;
    }
    return Wait::interrupted;
}

Wait ChildProcess::send(std::string_view bytes, Clock::time_point deadline)
{
    while (!bytes.empty()) {
        const Wait room = waitFor(input_, POLLOUT, deadline);
        if (room != Wait::done) return room;
        const ssize_t count = ::write(input_, bytes.data(), bytes.size());
        if (count >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(count));
        else if (errno != EAGAIN && errno != EINTR)
            return Wait::ended;
    }
    return Wait::done;
}

Wait ChildProcess::receive(std::string& buffer, Clock::time_point deadline)
{
    char bytes[65536];
    while (true) {
        const Wait there = waitFor(output_, POLLIN, deadline);
        if (there != Wait::done) return there;
        const ssize_t count = ::read(output_, bytes, sizeof bytes);
        if (count > 0) {
            buffer.append(bytes, static_cast<std::size_t>(count));
            return Wait::done;
        }
        if (count == 0 || errno != EINTR) return Wait::ended;
    }
}

void ChildProcess::stop() const
{
    if (id_ > 0) ::kill(-id_, SIGKILL);
}

void ChildProcess::closeInput()
{
    if (input_ >= 0) ::close(std::exchange(input_, -1));
}

Wait ChildProcess::finish(Clock::time_point deadline)
{
    while (!interrupted()) {
        siginfo_t end = {};
        if (::waitid(P_PID, static_cast<id_t>(id_), &end, WEXITED | WNOHANG | WNOWAIT) != 0)
            return Wait::ended;
        if (end.si_pid != 0)
            return end.si_code == CLD_EXITED && end.si_status == 0 ? Wait::done : Wait::ended;
        if (Clock::now() >= deadline) return Wait::late;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return Wait::interrupted;
}

std::string ChildProcess::obituary(std::string_view mark) const
{
    std::string how = "ended";
    // It stays to be waited for, so that its group can still be killed.
    siginfo_t end = {};
    for (int i = 0; i < 20 && end.si_pid == 0; ++i) {
        if (i > 0) std::this_thread::sleep_for(pollEvery);
        if (id_ < 0 || ::waitid(P_PID, static_cast<id_t>(id_), &end, WEXITED | WNOHANG | WNOWAIT) != 0)
            break;
    }
    if (end.si_pid != 0)
        how = fmt::format("ended by {} {}", end.si_code == CLD_EXITED ? "exit code" : "signal",
                          end.si_status);

    std::ifstream file(log_);
    std::string last, marked;
    for (std::string line; std::getline(file, line);) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        last = line;
        if (!mark.empty() && line.find(mark) != std::string::npos) marked = line;
    }
    const std::string& words = marked.empty() ? last : marked;
    constexpr std::size_t enough = 300;
    return words.empty() ? how : how + "; its last words: " + words.substr(0, enough);
}

}  // namespace sinew
