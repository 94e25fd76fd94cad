// Files that must not outlive the program: named so that nobody else's is met, and removed by signals too.
#pragma once

#include <string>

namespace sinew {

// A name in a table that a signal handler can read. Entering it makes no file, taking it out removes none.
class TemporaryName {
public:
    TemporaryName() = default;
    explicit TemporaryName(const std::string& path);
    ~TemporaryName();
    TemporaryName(TemporaryName&& other) noexcept;
    TemporaryName& operator=(TemporaryName&& other) noexcept;

private:
    int slot_ = -1;
};

// Removes the files and then the empty folders of all names in the table. For signal handlers.
void removeTemporaryFiles();

// A new file in the folder of `path`, where nothing of that name was before, with the mode of the file at
// `path` if there is one. Removed at the end, unless moved.
class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& path);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }
    int takeDescriptor();  // open for writing; −1, and errno says why, where the file could not be made
    bool moveTo(const std::string& path);  // false: errno says why

private:
    std::string path_;
    TemporaryName name_;
    int descriptor_ = -1, fault_ = 0;
    bool isThere_ = false;
};

}  // namespace sinew
