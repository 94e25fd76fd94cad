#include "sinew/apps/temporary_folder.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "sinew/apps/interrupt.h"
#include "sinew/io/file_error.h"

namespace sinew {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make()
{
    std::error_code code;
    fs::path shared = fs::absolute(fs::temp_directory_path(code), code);
    if (code) return fileError("TMPDIR", "there is no temporary folder: " + code.message());
    // Programs put sockets there, and the path of a socket has at most 107 characters.
    constexpr std::size_t longest = 48;
    if (shared.native().size() > longest) shared = "/tmp";
    std::string path = shared / "sinew-XXXXXX";
    if (!::mkdtemp(path.data()))
        return fileError(shared, std::string("no folder can be made there: ") + std::strerror(errno));
    endWithFolder(path);
    return TemporaryFolder(path);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {}))
{
}

TemporaryFolder::~TemporaryFolder()
{
    if (path_.empty()) return;
    endWithFolder({});
    // Processes that were killed a moment ago may still be writing their last file.
    constexpr int attempts = 50;
    for (int i = 0; i < attempts; ++i) {
        std::error_code code;
        fs::remove_all(path_, code);
        if (!code) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

}  // namespace sinew
