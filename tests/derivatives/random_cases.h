// What the tests of derivatives make by a seed, and states beside others.
#pragma once

#include <string>

#include "sinew/model/springs.h"
#include "sinew/state/kinematics.h"
#include "support/random_tree.h"

namespace sinew::test {

// A tree of such joints with springs, dampers and armatures.
template <class Random, class Joints>
Description sprungTree(Random& random, int bodies, const Joints& joints)
{
    TreeOptions options;
    options.bodies = bodies;
    options.joints = joints;
    options.rootJoints = joints;
    Description scene = randomTree(random, options);
    for (JointDescription& joint : scene.joints) {
        if (!jointTypeInfo(joint.type).isArticulated()) continue;
        joint.stiffness = random.uniform(1, 20);
        joint.damping = random.uniform(0.1, 2);
        if (random.below(2)) joint.armature = random.uniform(0.1, 1);
    }
    return scene;
}

// Between points of its bodies, and the world.
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

inline State moved(const Model& model, const State& from, const VecX& dq, const VecX& du, double amount)
{
    State state = from;
    const VecX delta = amount * dq;
    for (const Joint& joint : model.joints)
        jointRetract(joint, from.q.data() + joint.q, delta.data() + joint.u, state.q.data() + joint.q);
    state.u = from.u + amount * du;
    bodiesFromJoints(model, state);
    return state;
}

}  // namespace sinew::test
