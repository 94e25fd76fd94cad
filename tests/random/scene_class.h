// How far apart the numbers of a random scene may lie.
#pragma once

#include <array>
#include <string_view>

namespace sinew::test {

struct SceneClass {
    const char* name;
    double massRatio;                // of the heaviest and the lightest body, at most
    double leastLength, mostLength;  // m: the length of the scene, from which all others are drawn
    double sizeRatio;                // of the largest and the smallest body, at most
    double leastThickness;           // of a link: its radius over its length
    bool isSolvable = true;          // false: there need not be a motion that obeys the scene
};

inline constexpr std::array<SceneClass, 4> sceneClasses = {{
    {"mild", 1e2, 1e-1, 1e1, 3, 0.05},
    {"wide", 1e6, 1e-2, 1e2, 10, 0.01},
    {"extreme", 1e12, 1e-3, 1e3, 30, 0.002},
    {"unsolvable", 1e2, 1e-1, 1e1, 3, 0.005, false},
}};

inline const SceneClass* findSceneClass(std::string_view name)
{
    for (const SceneClass& c : sceneClasses)
        if (name == c.name) return &c;
    return nullptr;
}

}  // namespace sinew::test
