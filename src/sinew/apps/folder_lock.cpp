#include "sinew/apps/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sinew/io/file_error.h"

namespace sinew {

Result<FolderLock> FolderLock::take(const std::string& directory, Kind kind)
{
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return fileError(directory, std::string("this folder cannot be opened: ") + std::strerror(errno));
    FolderLock lock(descriptor);
    // Some disks, over the network mostly, have no locks for folders; there nobody looks out for others.
    const int operation = (kind == Kind::alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
    if (::flock(descriptor, operation) != 0 && errno == EWOULDBLOCK)
        return fileError(directory,
                         "another sinew is at work in this folder; wait for it, or choose another folder");
    return lock;
}

FolderLock::~FolderLock()
{
    if (descriptor_ >= 0) ::close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace sinew
