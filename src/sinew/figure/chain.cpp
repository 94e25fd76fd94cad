#include "sinew/figure/chain.h"

#include <cmath>

namespace sinew {
namespace {

// A solid cylinder's, about its centre, long axis y.
Mat3 linkInertia(double mass, double radius, double length)
{
    const double along = mass * radius * radius / 2;
    const double across = mass * (3 * radius * radius + length * length) / 12;
    return Vec3(across, along, across).asDiagonal();
}

// For looks: mass and inertia are given outright. As long as the link, caps included.
ShapeDescription linkShape(const ChainOptions& options)
{
    const double straight = options.length - 2 * options.radius;
    if (straight > 0) return {Capsule{options.radius, straight}, {}, {}, {}};
    return {Cylinder{options.radius, options.length}, {}, {}, {}};
}

}  // namespace

Description makeChain(const ChainOptions& options)
{
    SINEW_ASSERT(options.links >= 1);

    // The horizontal chain is the hanging one swung up about z, so that every link's long axis is
    // still the body's y and the root's end still the upper one.
    const Vec3 along = options.horizontal ? Vec3(1, 0, 0) : Vec3(0, -1, 0);
    const double half = std::sqrt(0.5);
    const Quat turn = options.horizontal ? Quat(half, 0, 0, half) : Quat::Identity();
    const Vec3 axes[2] = {Vec3(0, 0, 1), options.horizontal ? Vec3(0, 1, 0) : Vec3(1, 0, 0)};

    Description chain;
    chain.name = "chain";
    chain.about = std::to_string(options.links) + " links with " + jointTypeName(options.joint) +
                  " joints, " + (options.pinned ? "pinned to the world" : "floating");
    chain.bodies.reserve(static_cast<std::size_t>(options.links));
    for (int i = 0; i < options.links; ++i) {
        const bool isTip = i + 1 == options.links;
        BodyDescription link;
        link.name = "link" + std::to_string(i + 1);
        link.pose = {along * ((i + 0.5) * options.length), turn};
        link.mass = options.mass * (isTip ? options.tipRatio : 1);
        link.inertia = linkInertia(*link.mass, options.radius, options.length);
        link.shapes = {linkShape(options)};
        chain.bodies.push_back(std::move(link));
    }

    for (int i = options.pinned ? 0 : 1; i < options.links; ++i) {
        const int number = static_cast<int>(chain.joints.size());
        JointDescription joint;
        joint.name = "joint" + std::to_string(number + 1);
        joint.type = options.joint;
        joint.first = i == 0 ? "world" : chain.bodies[i - 1].name;
        joint.second = chain.bodies[i].name;
        joint.position = along * (i * options.length);
        if (options.joint == JointType::hinge) joint.axis = axes[number % 2];
        joint.stiffness = options.stiffness;
        joint.damping = options.damping;
        chain.joints.push_back(std::move(joint));
    }
    return chain;
}

}  // namespace sinew
