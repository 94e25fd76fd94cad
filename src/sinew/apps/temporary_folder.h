// A folder for what nobody shall see: made at first, removed at last.
#pragma once

#include <string>

#include "sinew/base/result.h"

namespace sinew {

class TemporaryFolder {
public:
    // Below $TMPDIR, or /tmp where that is a very long path; nobody else can look into it.
    static Result<TemporaryFolder> make();
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    const std::string& path() const { return path_; }

private:
    explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

    std::string path_;
};

}  // namespace sinew
