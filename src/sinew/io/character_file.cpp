#include "sinew/io/character_file.h"

#include <algorithm>

#include "sinew/io/file_error.h"
#include "sinew/io/format.h"

namespace sinew {

Result<CharacterFile> readCharacter(const std::string& path)
{
    const FileFormat* format = formatOf(path);
    const auto isOne = [](const FileFormat& each) { return each.readCharacter != nullptr; };
    if (!format || !isOne(*format))
        return fileError(path, "is not a character; known are " + endingsOf(isOne, Endings::all, "and"));
    Result<CharacterFile> file = format->readCharacter(path);
    if (!file) return file;
    file.value().path = path;
    const std::vector<Bone>& bones = file.value().rig.bones;
    if (std::none_of(bones.begin(), bones.end(), [](const Bone& bone) { return bone.joint; }))
        return fileError(path, "has no bones");
    return file;
}

}  // namespace sinew
