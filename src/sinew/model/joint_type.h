// The joints Sinew knows, as one table: all that depends on a joint's type is a row of it, and a row is one
// file of model/joints. Code elsewhere asks for what it needs to know (does it turn, does it keep the point
// where its bodies meet), not for the type.
//
// The numbers of a joint come in this order: what slides, then what turns. Turns are angles, one number in
// q each, or all of them are one rotation, a quaternion (x, y, z, w) in q. Angles and offsets follow each
// other from the parent to the child: each moves the axes of those after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sinew/math/spatial.h"

namespace sinew {

struct BodyState;
struct Joint;
struct JointDescription;
struct Row;
namespace compiling {
class Checker;
}

// A place in the table. These are there from the start; others come by registerJointType().
enum class JointType : std::uint8_t { hinge, spherical, slide, universal, weld, free, planar, cylindrical };

// Columns: the motions of the child (at its centre of mass, child axes) per unit of each u.
using Subspace = Matrix<6, dynamic, 6, 6>;

struct JointTypeInfo {
    const char* name;

    int freedoms = 0;          // numbers in u: six, or at most three
    int slides = 0;            // the first so many are lengths
    bool hasRotation = false;  // the others are one rotation
    bool keepsPoint = false;   // the anchors of its bodies stay together
    int axes = 0;              // that a description may give: `axis`, `axis2`
    // Where the description's first body is the child, the freedoms are told in the other order, so that
    // they follow each other from the parent to the child.
    bool exchanges = false;

    // The axes of a description in child axes at rest; null: it has none. `R_CW`: world → child.
    void (*compileAxes)(const JointDescription& source, const std::string& pointer, const Mat3& R_CW,
                        Joint& joint, compiling::Checker& check) = nullptr;

    // Axes and numbers as they look in a mirror (model/mirror.h); null: it has none.
    void (*mirror)(JointDescription& joint, int axis) = nullptr;

    // As the functions of model/joint.h that have their names. A null bias is zero, and rest is zero but
    // for the rotation's w.
    Transform (*transform)(const Joint& joint, const double* q);
    void (*subspace)(const Joint& joint, const double* q, const Transform& transform, Subspace& S);
    Motion (*bias)(const Joint& joint, const double* q, const double* u,
                   const Transform& transform) = nullptr;
    // How that changes as q moves along the tangent vector `delta`. A type with a bias that leaves it out
    // can be simulated, but has no derivatives (dynamics/derivatives.h).
    Motion (*biasChange)(const Joint& joint, const double* q, const double* u, const Transform& transform,
                         const double* delta) = nullptr;
    Force (*force)(const Joint& joint, const double* q, const double* Q, const Transform& transform);
    void (*velocityOf)(const Joint& joint, const double* q, const Transform& transform,
                       const Motion& relative, double* u);
    void (*coordinatesOf)(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                          double* u);
    void (*rest)(const Joint& joint, double* q) = nullptr;
    // What it forbids (model/rows.h), with directors of the parent in child axes at rest. Null: constraints
    // are what the subspace leaves, and steps that close joints at their end do not know it.
    void (*rows)(const Joint& joint, Row* rows) = nullptr;

    constexpr int turns() const { return freedoms - slides; }
    constexpr int rowCount() const { return 6 - freedoms; }
    // Numbers in q.
    constexpr int coordinates() const { return hasRotation ? freedoms + 1 : freedoms; }
    // Its freedoms that are one number in q.
    constexpr int plain() const { return hasRotation ? slides : freedoms; }
    // It holds nothing: its bodies move as they like.
    constexpr bool isFree() const { return freedoms == 6; }
    // It lets nothing move.
    constexpr bool isRigid() const { return freedoms == 0; }
    // Both move and hold: springs, limits and motors have something to act on.
    constexpr bool isArticulated() const { return !isFree() && !isRigid(); }
    // A ball joint: its only coordinate is a rotation.
    constexpr bool isBall() const { return hasRotation && slides == 0; }
    // One angle about an axis through the point.
    constexpr bool isHinge() const { return freedoms == 1 && keepsPoint; }
    // The child turns with its parent.
    constexpr bool keepsOrientation() const { return turns() == 0; }
    // Some of its freedoms are lengths, others angles.
    constexpr bool isMixed() const { return isArticulated() && slides > 0 && turns() > 0; }
};

constexpr int mostJointTypes = 32;
// The table itself: ask jointTypeInfo().
extern const JointTypeInfo* jointTypes[mostJointTypes];

inline const JointTypeInfo& jointTypeInfo(JointType type)
{
    return *jointTypes[static_cast<std::size_t>(type)];
}
inline const char* jointTypeName(JointType type)
{
    return jointTypeInfo(type).name;
}
// Types are numbered from zero.
int jointTypeCount();
std::optional<JointType> jointTypeFromName(std::string_view name);

// Adds a type of a program's own, for all that is compiled later. `info` must stay as it is for ever. Not
// while other threads use the table; there is room for mostJointTypes.
JointType registerJointType(const JointTypeInfo& info);

}  // namespace sinew
