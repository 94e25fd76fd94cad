#include "sinew/apps/run_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

#include "sinew/io/file_error.h"
#include "sinew/io/whole_file.h"

namespace sinew {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinishedName = ".sinew-unfinished-";  // and a number, larger for newer ones

std::string finishedPlace(const std::string& directory)
{
    return directory + "/.sinew-finished";
}

bool isThere(const std::string& path)
{
    std::error_code code;
    return fs::exists(fs::symlink_status(path, code));
}

bool isSameFile(const std::string& one, const std::string& other)
{
    std::error_code code;
    return !other.empty() && fs::equivalent(one, other, code);
}

// The hidden folders of runs that were not finished, the oldest first.
std::map<int, std::string> unfinishedRuns(const std::string& directory)
{
    std::map<int, std::string> found;
    std::error_code code;
    for (fs::directory_iterator entry(directory, code), end; !code && entry != end; entry.increment(code)) {
        const std::string name = entry->path().filename();
        if (!name.starts_with(unfinishedName) || !fs::is_directory(entry->symlink_status(code))) continue;
        int number = 0;
        const char* const last = name.data() + name.size();
        const auto read = std::from_chars(name.data() + unfinishedName.size(), last, number);
        if (read.ec == std::errc() && read.ptr == last) found[number] = directory + "/" + name;
    }
    return found;
}

// A page, a table, a scene or a recording that somebody else put into the folder, or empty.
std::string ownFile(const RunFiles& files, const RunFolder::Sources& sources)
{
    if (isThere(files.trajectory)) return {};
    for (const std::string& path : {files.page, files.contacts, files.velocities})
        if (isThere(path)) return path;
    if (isThere(files.scene) && !isSameFile(files.scene, sources.scene)) return files.scene;
    return isThere(files.interaction) && !isSameFile(files.interaction, sources.recording)
               ? files.interaction
               : std::string();
}

// Moves the files of a finished run to their places; an empty folder stands for a file that goes.
std::string moveFinished(const std::string& directory)
{
    const RunFiles from(finishedPlace(directory)), to(directory);
    for (const auto file : allRunFiles) {
        std::error_code code;
        const fs::file_status status = fs::symlink_status(from.*file, code);
        if (!fs::exists(status)) continue;
        if (fs::is_directory(status)) fs::remove(to.*file, code);
        if (!code && fs::is_directory(status))
            fs::remove(from.*file, code);
        else if (!code)
            fs::rename(from.*file, to.*file, code);
        if (code) return to.*file + ": cannot be replaced: " + code.message();
    }
    std::error_code code;
    fs::remove_all(finishedPlace(directory), code);
    return {};
}

std::string systemFault(const std::string& path)
{
    return path + ": cannot be written: " + std::strerror(errno);
}

}  // namespace

RunFolder::RunFolder(const std::string& directory, const std::string& place, Sources sources,
                     FolderLock lock)
    : directory_(directory),
      place_(place),
      files_(place),
      sources_(std::move(sources)),
      lock_(std::move(lock))
{
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : directory_(std::move(other.directory_)),
      place_(std::move(other.place_)),
      files_(std::move(other.files_)),
      sources_(std::move(other.sources_)),
      lock_(std::move(other.lock_)),
      names_(std::move(other.names_)),
      isLost_(std::exchange(other.isLost_, false))
{
}

RunFolder::~RunFolder()
{
    std::error_code code;
    if (isLost_) fs::remove_all(place_, code);
}

Result<RunFolder> RunFolder::create(const std::string& directory, Sources sources,
                                    std::optional<FolderLock> lock)
{
    std::error_code code;
    fs::create_directories(directory, code);
    if (code || !fs::is_directory(directory, code))
        return fileError(directory,
                         "this folder cannot be made: " + (code ? code.message() : "a file is there"));
    if (!lock) {
        Result<FolderLock> taken = lockRun(directory);
        if (!taken) return taken.error();
        lock.emplace(std::move(taken.value()));
    }
    const RunFiles files(directory);
    if (const std::string own = ownFile(files, sources); !own.empty())
        return fileError(own, "is not of an earlier run and would be lost; choose another folder");

    for (const auto& [number, place] : unfinishedRuns(directory))
        if (!isThere(RunFiles(place).checkpoint)) fs::remove_all(place, code);  // nobody can resume it
    const std::map<int, std::string> unfinished = unfinishedRuns(directory);
    RunFolder folder(directory, directory, std::move(sources), std::move(*lock));
    bool isEmpty = unfinished.empty();
    for (const auto file : allRunFiles)
        isEmpty = isEmpty && (!isThere(files.*file) || folder.staysInPlace(file));
    if (isEmpty) return folder;

    // Nobody looks into it: what is there now may be secret, and gives its mode to what comes.
    const int number = unfinished.empty() ? 1 : unfinished.rbegin()->first + 1;
    folder.place_ = directory + "/" + std::string(unfinishedName) + std::to_string(number);
    if (::mkdir(folder.place_.c_str(), 0700) != 0) return Diagnostic{systemFault(folder.place_)};
    folder.isLost_ = true;
    folder.files_ = RunFiles(folder.place_);
    folder.names_.emplace_back(folder.place_);
    for (const auto file : allRunFiles) {
        if (isSpecialFile(files.*file))
            folder.files_.*file = files.*file;
        else
            folder.names_.emplace_back(folder.files_.*file);
    }
    return folder;
}

RunFolder RunFolder::reopen(const std::string& directory, const std::string& place, Sources sources,
                            FolderLock lock)
{
    return RunFolder(directory, place, std::move(sources), std::move(lock));
}

bool RunFolder::hasOwnScene() const
{
    return isSameFile(RunFiles(directory_).scene, sources_.scene);
}

bool RunFolder::hasOwnRecording() const
{
    return isSameFile(RunFiles(directory_).interaction, sources_.recording);
}

bool RunFolder::staysInPlace(std::string RunFiles::*file) const
{
    return (file == &RunFiles::scene && hasOwnScene()) ||
           (file == &RunFiles::interaction && hasOwnRecording());
}

void RunFolder::keep()
{
    isLost_ = false;
    names_.clear();
}

// What replaces a file gets its mode, and what is replaced by nothing is marked.
std::string RunFolder::prepareMove() const
{
    const RunFiles targets(directory_);
    for (const auto file : allRunFiles) {
        const std::string &from = files_.*file, &to = targets.*file;
        if (from == to || !isThere(to) || staysInPlace(file)) continue;
        struct stat old = {};
        const bool exists = ::stat(to.c_str(), &old) == 0;
        if (exists && S_ISDIR(old.st_mode)) return to + ": cannot be replaced: a folder is there";
        constexpr mode_t permissions = 0777;
        if (!isThere(from)) {
            if (::mkdir(from.c_str(), 0700) != 0) return systemFault(from);
        } else if (exists) {
            ::chmod(from.c_str(), old.st_mode & permissions);  // where the disk knows modes
        }
    }
    return {};
}

std::string RunFolder::finish()
{
    std::error_code code;
    if (place_ != directory_) {
        std::string fault = prepareMove();
        if (!fault.empty()) return fault;
        fs::rename(place_, finishedPlace(directory_), code);
        if (code) return place_ + ": cannot be moved: " + code.message();
        keep();
        fault = moveFinished(directory_);
        if (!fault.empty()) return fault;
    }
    for (const auto& [number, place] : unfinishedRuns(directory_)) fs::remove_all(place, code);
    return {};
}

Result<FolderLock> lockRun(const std::string& directory, FolderLock::Kind kind)
{
    if (kind == FolderLock::Kind::withReaders)
        if (const auto fault = settleRun(directory)) return *fault;
    Result<FolderLock> lock = FolderLock::take(directory, kind);
    if (!lock || kind == FolderLock::Kind::withReaders || !isThere(finishedPlace(directory))) return lock;
    const std::string fault = moveFinished(directory);
    if (!fault.empty()) return Diagnostic{fault};
    return lock;
}

std::optional<Diagnostic> settleRun(const std::string& directory)
{
    // Whoever is moving files right now will be done in a moment.
    for (int attempts = 200; isThere(finishedPlace(directory)); --attempts) {
        Result<FolderLock> lock = lockRun(directory);
        if (lock) break;
        if (attempts == 0) return lock.error();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {};
}

std::string newestRun(const std::string& directory)
{
    std::string newest = directory;
    for (const auto& [number, place] : unfinishedRuns(directory))
        if (isThere(RunFiles(place).checkpoint)) newest = place;
    return newest;
}

}  // namespace sinew
