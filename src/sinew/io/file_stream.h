// A stream of the C library that closes itself.
#pragma once

#include <cstdio>
#include <memory>

namespace sinew {

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileStream = std::unique_ptr<std::FILE, FileCloser>;

}  // namespace sinew
