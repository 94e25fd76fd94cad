// What the recursion (recursion/) reads of a link, all of it side by side and in the number type that it
// computes with. Compiled from body and joint, which stay what everything else reads.
//
// A link has a point O of its own that the recursion refers to: where its joint to the parent is on it (the
// anchor of the child); of free joints its centre of mass.
#pragma once

#include <cstdint>

#include "sinew/math/small.h"

namespace sinew {

struct Body;
struct Joint;
struct Model;

// How the recursion treats a joint: by traits of its type, so that a new type needs nothing here.
enum class LinkKind : std::uint8_t {
    ball,   // turns about O as it likes
    hinge,  // turns about an axis through O
    rigid,
    free,
    other,  // by what the table says of its motion
};

template <class T>
struct LinkData {
    LinkKind kind = LinkKind::free;
    bool isTurnedAtRest = false;  // `rest` is not the identity
    bool hasArmature = false;
    bool hasForces = false;  // Joint::hasForces
    // What hangs on a link: the next one in order, others; and of those others the last in order.
    bool isFollowed = false;
    bool gathers = false;
    bool reportsFirst = false;
    bool hasAxes = false;  // `inertia` is diagonal
    // Of twins (recursion/twins.h): they hang on one link, and the second is the last in order there.
    bool joins = false;
    bool secondReportsFirst = false;
    std::int8_t slides = 0;
    int parent = -1;  // −1: the world
    int q = 0;        // where its coordinates and velocities start
    int u = 0;
    int extra = -1;  // its number in Model::extraLinks; −1: none
    int freedoms = 0;

    Vector3<T> arm;  // from the parent's O to its anchor (of free joints: to its centre), parent axes
    T mass = T(0);
    Vector3<T> center;      // from O to the centre of mass, own axes
    Symmetric3<T> inertia;  // about O, own axes
    T armature = T(0);
    Vector3<T> axis;  // own axes

    Quaternion4<T> rest;  // own axes → parent axes, at rest
};

template <class T>
LinkData<T> converted(const LinkData<double>& from)
{
    LinkData<T> to;
    to.kind = from.kind;
    to.isTurnedAtRest = from.isTurnedAtRest;
    to.hasArmature = from.hasArmature;
    to.hasForces = from.hasForces;
    to.isFollowed = from.isFollowed;
    to.gathers = from.gathers;
    to.reportsFirst = from.reportsFirst;
    to.hasAxes = from.hasAxes;
    to.slides = from.slides;
    to.parent = from.parent;
    to.q = from.q;
    to.u = from.u;
    to.extra = from.extra;
    to.freedoms = from.freedoms;
    to.arm = converted<T>(from.arm);
    to.mass = T(from.mass);
    to.center = converted<T>(from.center);
    to.inertia = converted<T>(from.inertia);
    to.armature = T(from.armature);
    to.axis = converted<T>(from.axis);
    to.rest = converted<T>(from.rest);
    return to;
}

// All links of a model, and which of them need more: those that are `other`, float before a parent, or may
// be prescribed.
void compileLinks(Model& model);

}  // namespace sinew
