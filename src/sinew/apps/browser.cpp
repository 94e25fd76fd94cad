#include "sinew/apps/browser.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <vector>

extern char** environ;

namespace sinew {

namespace {

using Words = std::vector<std::string>;

#ifdef __APPLE__
constexpr const char* systemOpener = "open";
#else
constexpr const char* systemOpener = "xdg-open";
#endif

// A browser that finds no display says so within this; one that is still there then has come up.
constexpr std::chrono::milliseconds patience{1000};
constexpr std::chrono::milliseconds glance{20};

Words split(std::string_view text, char separator)
{
    Words parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

// One command of $BROWSER: a program, or words of which %s stands for the address.
Words commandOf(const std::string& entry, const std::string& url)
{
    Words words = ::access(entry.c_str(), X_OK) == 0 ? Words{entry} : split(entry, ' ');
    bool placed = false;
    for (std::string& word : words) {
        const std::size_t place = word.find("%s");
        if (place == std::string::npos) continue;
        word.replace(place, 2, url);
        placed = true;
    }
    if (!placed && !words.empty()) words.push_back(url);
    return words;
}

// Whether the process is still there after a while, or ended well.
bool came(pid_t id)
{
    for (auto waited = glance; waited <= patience; waited += glance) {
        int status = 0;
        if (::waitpid(id, &status, WNOHANG) == id) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        std::this_thread::sleep_for(glance);
    }
    return true;
}

// No shell is in between: whatever stands in a path, it is one word. A session of its own lets the browser
// live on when the terminal closes; what it says goes nowhere.
bool start(Words words)
{
    if (words.empty()) return false;
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t id = 0;
    const int fault = ::posix_spawnp(&id, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return fault == 0 && came(id);
}

}  // namespace

std::string fileUrl(const std::string& path)
{
    std::error_code code;
    std::string url = "file://";
    for (char c : std::filesystem::absolute(path, code).lexically_normal().string()) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("/-._~").find(c) != std::string_view::npos;
        url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return url;
}

bool openInBrowser(const std::string& path)
{
    const std::string url = fileUrl(path);
    const char* wish = std::getenv("BROWSER");
    if (!wish || *wish == '\0') return start({systemOpener, url});
    for (const std::string& entry : split(wish, ':')) {
        if (start(commandOf(entry, url))) return true;
    }
    return false;
}

}  // namespace sinew
