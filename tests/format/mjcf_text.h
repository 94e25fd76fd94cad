// MJCF from memory, for tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sinew/io/mjcf/mjcf.h"

namespace sinew::mjcf_test {

constexpr double rounding = 1e-12;

using Files = std::map<std::string, std::string>;

inline Result<Imported> import(const std::string& text, const Files& files = {})
{
    return parseMjcf(text, "m.xml", [&](const std::string& path) -> Result<std::string> {
        const auto found = files.find(path);
        if (found == files.end()) return Diagnostic{"there is no such file", "", ""};
        return found->second;
    });
}

inline Imported read(const std::string& text, const Files& files = {})
{
    Result<Imported> imported = import(text, files);
    EXPECT_TRUE(imported) << imported.error().text();
    return imported ? imported.value() : Imported();
}

// The inside of <worldbody>.
inline Imported readWorld(const std::string& world, const std::string& before = "")
{
    return read("<mujoco>" + before + "<worldbody>" + world + "</worldbody></mujoco>");
}

inline std::string refusal(const std::string& text, const Files& files = {})
{
    const Result<Imported> imported = import(text, files);
    return imported ? "was read" : imported.error().text();
}

inline std::string refuseWorld(const std::string& world, const std::string& before = "")
{
    return refusal("<mujoco>" + before + "<worldbody>\n" + world + "</worldbody></mujoco>");
}

inline bool hasNote(const Imported& imported, const std::string& words)
{
    for (const Diagnostic& note : imported.notes)
        if (note.text().find(words) != std::string::npos) return true;
    return false;
}

inline void expectNear(const Vec3& a, const Vec3& b)
{
    EXPECT_LT((a - b).norm(), rounding) << a.transpose() << " and " << b.transpose();
}

}  // namespace sinew::mjcf_test
