// Blender as a reader that is not ours. Tests that use it lie in tests/blender, a Python script beside
// each.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace sinew {

inline constexpr const char* blenderMissing =
    "blender is not installed: whether it reads our files is not tested";

inline bool blenderIsThere()
{
    return std::system("command -v blender >/dev/null 2>&1") == 0;
}

// Runs a script of tests/blender on files, without a window and without the user's settings. Empty if the
// script ends with a line "fine"; otherwise all that Blender said.
inline std::string blenderSays(const std::string& script, const std::string& arguments)
{
    const std::string command = "blender --background --factory-startup --python-exit-code 1 --python '" +
                                std::string(SINEW_TEST_DIR "/blender/") + script + "' -- " + arguments +
                                " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return "blender could not be started";
    std::string said;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
    const bool well = pclose(pipe) == 0 && said.find("\nfine\n") != std::string::npos;
    return well ? "" : command + "\n" + said;
}

}  // namespace sinew
