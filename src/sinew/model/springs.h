// Springs between points of any two bodies, or of a body and the world, as a scene says them and as
// compiled.
//
// Along the line between the ends, at a distance L, unit vector n toward the first:
//     T = stiffness (L − length) + damping dL/dt        tension;   the first end is pulled by −T n
// One end may slide: it is wherever on a curve or surface the other end is nearest to. L is then the
// distance from there; of a surface it has a sign, and is positive outside. Where the rest length is zero
// there is no line: the spring acts as three, and the damper on the whole relative velocity across a curve.
//
// And about: −turnStiffness φ − turnDamping dφ/dt, φ the rotation vector from the relative orientation at
// rest to the one now.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// What a spring's end holds on to. Places are of the world at rest in a description, from the centre of
// mass in axes of the body once compiled.
struct SpringPoint {
    std::optional<Vec3> point;  // the centre of mass where not given
};
struct SpringCurve {
    std::vector<Vec3> points;  // at least two
    bool smooth = false;       // a cubic through the points (Catmull and Rom's); otherwise straight
    bool closed = false;       // from the last point back to the first
};
struct SpringPlane {
    Vec3 point = Vec3::Zero(), normal = Vec3(0, 1, 0);
};
struct SpringSphere {
    Vec3 center = Vec3::Zero();
    double radius = 0;
};
struct SpringCylinder {  // without ends
    Vec3 point = Vec3::Zero(), axis = Vec3(0, 1, 0);
    double radius = 0;
};
using SpringForm = std::variant<SpringPoint, SpringCurve, SpringPlane, SpringSphere, SpringCylinder>;

enum class SpringActs { both, push, pull };

struct SpringEndDescription {
    std::string body = "world";
    SpringForm form;
    std::string mesh;  // or a spring mesh, and one of its vertices; compiled with that mesh (MeshPin)
    int vertex = -1;

    bool isOnMesh() const { return !mesh.empty() || vertex >= 0; }
};

struct SpringDescription {
    std::string name;
    SpringEndDescription first, second;
    std::optional<double> length;  // m; the distance at rest where not given
    double stiffness = 0;          // N/m
    double damping = 0;            // N·s/m
    SpringActs acts = SpringActs::both;
    double turnStiffness = 0;  // N·m/rad
    double turnDamping = 0;    // N·m·s/rad
};

// Of a place p in the axes that a form is given in: how far it is, with the first two derivatives of that.
struct SpringReach {
    double distance = 0;  // of a surface < 0 inside
    Vec3 nearest = Vec3::Zero();
    Vec3 normal = Vec3::Zero();     // unit, its gradient; zero where there is none
    Mat3 curvature = Mat3::Zero();  // its second derivative
    // Of points and curves: the tangent, zero at a point, and how it changes with p. Where the rest length
    // is zero these count; half the square of the distance has the second derivative `square`.
    Vec3 tangent = Vec3::Zero();
    Mat3 tangentRate = Mat3::Zero(), square = Mat3::Zero();
};
SpringReach springReach(const SpringForm& form, const Vec3& p);
bool isSpringSurface(const SpringForm& form);

struct SpringEnd {
    int body = -1;  // tree index; −1: the world
    SpringForm form;
};

struct Spring {
    std::string name;
    bool isSwapped = false;  // `a` is the second end of the description: the one that does not slide
    SpringEnd a, b;          // a: always a point
    double length = 0, stiffness = 0, damping = 0;
    SpringActs acts = SpringActs::both;
    double turnStiffness = 0, turnDamping = 0;
    Quat turn = Quat::Identity();  // R_aᵀ R_b at rest

    bool pulls() const { return stiffness > 0 || damping > 0; }  // or pushes
    bool turns() const { return turnStiffness > 0 || turnDamping > 0; }
    // It has no line of its own.
    bool isPin() const { return length == 0 && !isSpringSurface(b.form); }
    const Vec3& pointA() const { return *std::get<SpringPoint>(a.form).point; }
};

}  // namespace sinew
