// How firmly a joint has to hold. What may hang on it is the weight W of all that is beyond it, or in a
// robot that floats, and so may stand on any of its limbs, of all; its lever is the size L of that. With
//
//     k = W L / 0.01 rad  (W / (0.01 L) of a slide),  d = k · 0.05 s
//
// the robot sags by a hundredth under its own weight and comes to rest within some tenths of a second.
// Integrators that take springs implicitly do not mind how stiff that is.
#include <algorithm>
#include <limits>

#include "sinew/io/urdf/parts.h"

namespace sinew::urdf {
namespace {

constexpr double sag = 0.01;       // rad, or of the size
constexpr double settling = 0.05;  // s

struct Load {
    double mass = 0;
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;

    void add(const BodyDescription& body)
    {
        mass += body.mass.value_or(0);
        const Vec3 place = body.pose * body.center.value_or(Vec3::Zero());
        low = low.cwiseMin(place);
        high = high.cwiseMax(place);
    }
    void add(const Load& other)
    {
        mass += other.mass;
        low = low.cwiseMin(other.low);
        high = high.cwiseMax(other.high);
    }
    // From a joint to the farthest corner.
    double leverAt(const Vec3& joint) const { return (high - joint).cwiseMax(joint - low).norm(); }
};

}  // namespace

std::size_t holdPose(const std::unordered_map<std::string, std::optional<double>>& efforts,
                     Description& scene)
{
    // Joints come after those that lead to them, so what is beyond adds up from the end.
    std::unordered_map<std::string, Load> loads;
    for (const BodyDescription& body : scene.bodies) loads[body.name].add(body);
    Load all;
    for (const BodyDescription& body : scene.bodies) all.add(body);
    for (auto joint = scene.joints.rbegin(); joint != scene.joints.rend(); ++joint)
        if (joint->first != "world") loads[joint->first].add(loads[joint->second]);
    const bool floats = !scene.roots.empty();
    const double gravity = scene.gravity.norm();
    std::size_t held = 0;
    for (const JointDescription& joint : scene.joints) {
        const auto effort = efforts.find(joint.name);
        const bool isSlide = joint.type == JointType::slide;
        if (effort == efforts.end() || (joint.type != JointType::hinge && !isSlide)) continue;
        const Load& load = floats ? all : loads[joint.second];
        const double weight = load.mass * gravity, lever = load.leverAt(joint.position);
        if (!(weight > 0) || !(lever > 0)) continue;
        ControllerDescription controller;
        controller.joint = joint.name;
        controller.stiffness = isSlide ? weight / (sag * lever) : weight * lever / sag;
        controller.damping = settling * controller.stiffness;
        if (!joint.coordinate.empty()) controller.target = {Signal(joint.coordinate[0])};
        controller.limit = effort->second;
        scene.controllers.push_back(std::move(controller));
        ++held;
    }
    return held;
}

}  // namespace sinew::urdf
