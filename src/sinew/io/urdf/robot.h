// A robot as a URDF file writes it down: links and joints, frames within frames, z up. What becomes of it
// in a scene is decided elsewhere (io/urdf/scene.h).
//
// Format: wiki.ros.org/urdf/XML. A pose is xyz and rpy, R = Rz(yaw) Ry(pitch) Rx(roll).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/geometry/shape.h"
#include "sinew/io/left_out.h"

namespace sinew {

struct UrdfMesh {
    std::string file;  // as written: a URI or a path
    Vec3 scale = Vec3::Ones();
};

// A <visual> or <collision>. Shapes are the engine's, whose long axis is y: the pose is that of the shape.
struct UrdfGeometry {
    std::variant<Shape, UrdfMesh> form;
    Pose pose;  // in the link's frame
    int line = 0;
};

struct UrdfLink {
    std::string name;
    std::optional<Inertia> inertial;  // in the link's frame; none: no <inertial>
    std::vector<UrdfGeometry> collisions, visuals;
    int line = 0;
};

struct UrdfMimic {
    std::string joint;
    double multiplier = 1, offset = 0;
    int line = 0;
};

struct UrdfJoint {
    enum class Type { revolute, continuous, prismatic, fixed, floating, planar };
    std::string name;
    Type type = Type::fixed;
    std::string parent, child;
    Pose origin;                         // of the child's frame in the parent's, at rest
    Vec3 axis = Vec3::UnitX();           // unit, in the child's frame
    std::optional<double> lower, upper;  // none: no limit on either side
    double damping = 0, friction = 0;
    std::optional<double> effort;  // N·m or N: the most that it gives; none: not said
    std::optional<UrdfMimic> mimic;
    int line = 0;
};

struct UrdfRobot {
    std::string file;
    std::string name;
    std::vector<UrdfLink> links;
    std::vector<UrdfJoint> joints;   // one tree: they name links, each link is the child of one at most
    std::size_t root = 0;            // the link that is no joint's child
    std::vector<int> jointTo;        // per link: the joint whose child it is, −1 for the root
    std::vector<std::size_t> order;  // links, parents before children
    LeftOut leftOut;
};

// `fileName` is for messages, and says where referenced files are looked for.
Result<UrdfRobot> parseUrdf(std::string_view text, const std::string& fileName);

}  // namespace sinew
