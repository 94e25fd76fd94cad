// Files as wholes: there in full, or not there.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/io/temporary_file.h"

namespace sinew {

// A file that is written beside its place and moved there by finish(), so that it is whole or not there at
// all. Without finish() nothing is left of it, and what lies in its place stays.
class WholeFile {
public:
    explicit WholeFile(const std::string& path);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    void write(std::string_view bytes);
    // Each gives an empty string, or the line that says why it could not be written.
    std::string
    close();  // everything that takes room on the disk; for files that come together or not at all
    std::string finish();  // close(), and into its place

    std::uint64_t size() const { return size_; }  // so far

private:
    void check(bool good);
    std::string line() const;

    std::string path_;
    std::optional<TemporaryFile> temporary_;  // none where the place is a device or a pipe
    std::FILE* file_ = nullptr;
    std::uint64_t size_ = 0;
    int fault_ = 0;  // the first errno
};

// All of it at once. Gives an empty string, or the line that says why not.
std::string writeWhole(const std::string& path, std::string_view bytes);

// A device or a pipe has no place beside it: it is written directly, and nothing takes its place.
bool isSpecialFile(const std::string& path);

}  // namespace sinew
