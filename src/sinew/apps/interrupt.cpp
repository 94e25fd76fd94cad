#include "sinew/apps/interrupt.h"

#include <spawn.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>

#include "sinew/io/temporary_file.h"

extern char** environ;

namespace sinew {

namespace {

constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> isCaught = false;
std::atomic<int> raised = 0;  // the first one
timespec raisedAt = {};
std::atomic<pid_t> groups[8];
std::atomic<bool> hasFolder = false;
char folder[PATH_MAX];

// timeout(1) sends its signal to us and, in the same moment, to our group, which we are in.
bool isEcho(int number)
{
    constexpr long enough = 50'000'000;  // ns; no hand is that quick
    timespec now = {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const long seconds = static_cast<long>(now.tv_sec - raisedAt.tv_sec);
    return number == raised && seconds <= 1 &&
           seconds * 1'000'000'000 + now.tv_nsec - raisedAt.tv_nsec < enough;
}

// posix_spawn takes no locks in the C libraries we run on, so that a signal handler may call it. What was
// killed a moment ago may still be writing its last file.
void removeFolder()
{
    char shell[] = "sh", option[] = "-c", line[] = "rm -rf -- \"$0\" || { sleep 0.3; rm -rf -- \"$0\"; }";
    char* const words[] = {shell, option, line, folder, nullptr};
    pid_t id = 0;
    ::posix_spawn(&id, "/bin/sh", nullptr, nullptr, words, environ);
}

extern "C" void onEnding(int number)
{
    if (isCaught && raised == 0) {
        ::clock_gettime(CLOCK_MONOTONIC, &raisedAt);
        raised = number;
        return;
    }
    if (raised != 0 && isEcho(number)) return;
    for (const std::atomic<pid_t>& group : groups)
        if (group > 0) ::kill(-group, SIGKILL);
    removeTemporaryFiles();
    if (hasFolder) removeFolder();
    std::signal(number, SIG_DFL);
    ::raise(number);  // it waits until we return
}

// A handler and not SIG_IGN, which programs that we start would inherit.
extern "C" void onLimit(int) {}

void handle(int number, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int other : endings) sigaddset(&action.sa_mask, other);
    sigaction(number, &action, nullptr);
}

}  // namespace

void handleSignals()
{
    for (const int number : endings) {
        struct sigaction before = {};
        sigaction(number, nullptr, &before);
        if (number == SIGHUP && before.sa_handler == SIG_IGN) continue;  // nohup
        handle(number, onEnding);
    }
    handle(SIGXFSZ, onLimit);
}

void catchInterrupts()
{
    isCaught = true;
}

bool interrupted()
{
    return raised != 0;
}

void endWithGroup(pid_t leader, bool still)
{
    for (std::atomic<pid_t>& group : groups) {
        pid_t expected = still ? 0 : leader;
        if (group.compare_exchange_strong(expected, still ? leader : 0)) return;
    }
}

void endWithFolder(const std::string& path)
{
    hasFolder = false;
    if (path.empty() || path.size() >= sizeof folder) return;
    std::memcpy(folder, path.c_str(), path.size() + 1);
    hasFolder = true;
}

}  // namespace sinew
