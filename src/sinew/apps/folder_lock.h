// One program at a time in a folder. The lock goes with the program, however that ends.
#pragma once

#include <string>

#include "sinew/base/result.h"

namespace sinew {

class FolderLock {
public:
    enum class Kind { alone, withReaders };
    // Does not wait: a folder that somebody else writes is an error.
    static Result<FolderLock> take(const std::string& directory, Kind kind = Kind::alone);
    ~FolderLock();
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&&) = delete;

private:
    explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
};

}  // namespace sinew
