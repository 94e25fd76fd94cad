#include "sinew/io/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace sinew {

namespace {

struct Slot {
    std::atomic<bool> isTaken = false, isReadable = false;
    char path[PATH_MAX];
};

// A command has a handful at once. A name that finds no room is only forgotten by signals.
Slot slots[32];

// No signal that ends the program comes between making a file and entering its name.
class SignalsWait {
public:
    SignalsWait()
    {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~SignalsWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

private:
    sigset_t before_;
};

// Short, so that it fits wherever the name of the file itself does.
std::string nameBeside(const std::string& path)
{
    static std::atomic<unsigned> count = 0;
    const std::size_t slash = path.rfind('/');
    return (slash == std::string::npos ? std::string() : path.substr(0, slash + 1)) + ".sinew-" +
           std::to_string(::getpid()) + "-" + std::to_string(count++);
}

}  // namespace

TemporaryName::TemporaryName(const std::string& path)
{
    if (path.size() >= sizeof Slot::path) return;
    for (Slot& slot : slots) {
        if (slot.isTaken.exchange(true)) continue;
        std::memcpy(slot.path, path.c_str(), path.size() + 1);
        slot.isReadable = true;
        slot_ = static_cast<int>(&slot - slots);
        return;
    }
}

TemporaryName::~TemporaryName()
{
    if (slot_ < 0) return;
    slots[slot_].isReadable = false;
    slots[slot_].isTaken = false;
}

TemporaryName::TemporaryName(TemporaryName&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

TemporaryName& TemporaryName::operator=(TemporaryName&& other) noexcept
{
    std::swap(slot_, other.slot_);
    return *this;
}

void removeTemporaryFiles()
{
    for (const Slot& slot : slots)
        if (slot.isReadable) ::unlink(slot.path);
    for (const Slot& slot : slots)
        if (slot.isReadable) ::rmdir(slot.path);
}

TemporaryFile::TemporaryFile(const std::string& path)
{
    struct stat old = {};
    const bool replaces = ::stat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
    constexpr mode_t permissions = 0777;
    const mode_t mode = replaces ? old.st_mode & permissions : 0666;  // 0666 is for the umask to narrow
    const SignalsWait wait;
    do {
        path_ = nameBeside(path);
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
        fault_ = errno;
        return;
    }
    isThere_ = true;
    name_ = TemporaryName(path_);
    if (replaces) ::fchmod(descriptor_, mode);
}

TemporaryFile::~TemporaryFile()
{
    if (descriptor_ >= 0) ::close(descriptor_);
    if (isThere_) ::unlink(path_.c_str());
}

int TemporaryFile::takeDescriptor()
{
    errno = fault_;
    return std::exchange(descriptor_, -1);
}

bool TemporaryFile::moveTo(const std::string& path)
{
    if (std::rename(path_.c_str(), path.c_str()) != 0) return false;
    isThere_ = false;
    name_ = {};
    return true;
}

}  // namespace sinew
