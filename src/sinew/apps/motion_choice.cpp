#include "sinew/apps/motion_choice.h"

#include <fmt/core.h>

#include "sinew/apps/text.h"

namespace sinew {

Result<std::string> addMotion(CharacterFile& file, const MotionChoice& choice)
{
    if (choice.file.empty()) return optionError("--map", "is for a motion of another file; say which");
    Result<MotionOnto> motion = motionOnto(choice, file.rig);
    if (!motion) return motion.error();
    for (const std::string& line : motion.value().notes())
        fmt::print(stderr, "note: {}\n", printable(line));
    file.rig.clips.push_back(std::move(motion.value().made.clip));
    return file.rig.clips.back().name;
}

}  // namespace sinew
