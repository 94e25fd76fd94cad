#include "sinew/io/format.h"
#include "sinew/io/mjcf/mjcf.h"

namespace sinew {
namespace {

constexpr std::string_view mjcfEndings[] = {".xml", ".mjcf"};

}  // namespace

const FileFormat mjcfFormat = {
    .name = "a model (MJCF)",
    .endings = mjcfEndings,
    .isModel = true,
    .readScene =
        [](const std::string& path, const ImportOptions& options) {
            return readMjcf(path, {options.keyframe, options.meshPaths});
        },
};

}  // namespace sinew
