// Random scenes that are valid by construction: what a person could have written, of all features, with
// numbers from a class.
//
// Lengths are drawn about one length L, accelerations about one gravity g, so the scene's own time is
// T = √(L/g), its speeds are about √(g L) and its turns about 1/T. Steps are those of films and games, and
// not longer than a tenth of T or so. A scene is described with its loops closed, its bodies apart and its
// velocities fitting its joints; where the description alone cannot promise that, the generator tries
// again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random/scene_class.h"
#include "sinew/model/description.h"

namespace sinew::test {

struct RandomScene {
    Description description;  // with step and duration in `run`
    std::vector<std::string> features;
    double length = 1;   // L
    double gravity = 1;  // g, also where the scene has none
    int attempts = 1;    // until it was valid
    std::string fault;   // why not, after the last one
};

// The same class and seed give the same scene on every machine.
RandomScene randomScene(const SceneClass& sceneClass, std::uint64_t seed);

// The features in one word: "tree+contact+spring".
std::string featureText(const RandomScene& scene);

// The length, gravity and time that oracles measure a scene by. Those of a random scene are known; of any
// other they are read off its bodies.
struct SceneScale {
    double length = 1, gravity = 1;
};
SceneScale scaleOf(const Description& description);

}  // namespace sinew::test
