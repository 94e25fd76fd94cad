#include "sinew/io/format.h"
#include "sinew/io/mjcf/mjcf.h"

namespace sinew {
namespace {

constexpr std::string_view mjcfEndings[] = {".xml", ".mjcf"};

}  // namespace

const FileFormat mjcfFormat = {
    .name = "a model (MJCF)",
    .endings = mjcfEndings,
    .readScene = [](const std::string& path) { return readMjcf(path); },
};

}  // namespace sinew
