// Springs between points of a scene's bodies, and the world, as a seed has it.
#pragma once

#include <string>

#include "sinew/model/springs.h"
#include "support/random_tree.h"

namespace sinew::test {

template <class Random>
void addRandomSprings(Random& random, double stiffness, double damping, Description& scene)
{
    const int bodies = static_cast<int>(scene.bodies.size());
    for (int k = 0; k < 2; ++k) {
        SpringDescription& spring = scene.springs.emplace_back();
        spring.name = "spring" + std::to_string(k);
        spring.first.body = scene.bodies[random.below(bodies)].name;
        spring.second.body = k || bodies == 1 ? "world" : scene.bodies[random.below(bodies)].name;
        if (spring.second.body == spring.first.body) spring.second.body = "world";
        spring.first.form = SpringPoint{randomVector(random)};
        spring.second.form = SpringPoint{randomVector(random, 2)};
        spring.stiffness = stiffness;
        spring.damping = damping;
        spring.length = 0.3;
    }
}

}  // namespace sinew::test
