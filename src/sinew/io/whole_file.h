// Files as wholes: there in full, or not there.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace sinew {

// A file that is written beside its place and moved there by finish(), so that it is whole or not there at
// all. Without finish() nothing is left of it.
class WholeFile {
public:
    explicit WholeFile(const std::string& path);
    ~WholeFile();
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;

    void write(std::string_view bytes);
    std::string finish();  // an empty string, or the line that says why it could not be written

    std::uint64_t size() const { return size_; }  // so far

private:
    void check(bool good);

    std::string path_, temporary_;
    std::FILE* file_ = nullptr;
    std::uint64_t size_ = 0;
    int fault_ = 0;  // the first errno
};

// All of it at once. Gives an empty string, or the line that says why not.
std::string writeWhole(const std::string& path, std::string_view bytes);

}  // namespace sinew
