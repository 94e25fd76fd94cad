#include "sinew/soft/contact.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/point_distance.h"
#include "sinew/geometry/support.h"

namespace sinew {
namespace {

Vec3 contactVertex(const VecX& x, int i)
{
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

Pose poseOf(const Collider& collider, const LargeVector<BodyState>& bodies)
{
    if (collider.body < 0) return collider.pose;
    const BodyState& body = bodies[static_cast<std::size_t>(collider.body)];
    return Pose{body.position, body.orientation} * collider.pose;
}

Vec3 into(const Pose& pose, const Vec3& point)
{
    return pose.orientation.conjugate() * Vec3(point - pose.position);
}

PointDistance distanceTo(const Collider& collider, const Vec3& local, double reach)
{
    if (const auto* shape = std::get_if<Shape>(&collider.form)) return sinew::distanceTo(*shape, local);
    return sinew::distanceTo(std::get<Terrain>(collider.form), local, reach);
}

// How thin a form is: within a small part of it, the nearest surface is the one that a point came in by.
double thinness(const Collider& collider)
{
    const auto* shape = std::get_if<Shape>(&collider.form);
    if (!shape) return std::holds_alternative<HalfSpace>(std::get<Terrain>(collider.form)) ? 1e300 : 0;
    return std::max(coreMargin(*shape), 0.0) > 0 ? coreMargin(*shape)
                                                 : -distanceTo(collider, Vec3::Zero(), 0).distance;
}

}  // namespace

void findContacts(MeshStep& step)
{
    step.contacts.clear();
    const SpringMesh& mesh = *step.mesh;
    const Model& model = *step.around->model;
    if (!mesh.collides) return;
    for (std::size_t c = 0; c < model.colliders.size(); ++c) {
        const Collider& collider = model.colliders[c];
        const Pose end = poseOf(collider, *step.around->end), start = poseOf(collider, *step.around->start);
        const auto* shape = std::get_if<Shape>(&collider.form);
        const double reach = shape ? reachOf(*shape) : 0;
        for (int i = 0; i < mesh.size(); ++i) {
            if (step.isHeld[i]) continue;
            const Vec3 from = contactVertex(step.x0, i), to = contactVertex(step.y, i);
            // The step may end elsewhere than it would without forces; twice the way is room enough for
            // that, and those that get farther are found in the next one.
            const double way = (to - from).norm() + (end.position - start.position).norm();
            const double margin = 2 * way + mesh.thickness + 2 * mesh.length;
            if (shape && (from - start.position).norm() > reach + margin) continue;
            const double apart = distanceTo(collider, into(start, from), mesh.length + way).distance;
            if (apart > margin + (collider.body >= 0 ? reach : 0) * 0.5) continue;
            MeshContact contact;
            contact.vertex = i;
            contact.collider = static_cast<int>(c);
            contact.body = collider.body;
            contact.stiffness = mesh.masses[i] / (step.h * step.h) + mesh.ownStiffness[i];
            contact.friction = std::sqrt(mesh.friction * collider.friction);
            // Where it would be if it stuck to the body.
            contact.carried = end.position + Vec3(end.orientation * into(start, from));
            step.contacts.push_back(contact);
        }
    }
}

void placeContacts(MeshStep& step, const VecX& x)
{
    const SpringMesh& mesh = *step.mesh;
    const Model& model = *step.around->model;
    for (MeshContact& contact : step.contacts) {
        const Collider& collider = model.colliders[static_cast<std::size_t>(contact.collider)];
        const Pose end = poseOf(collider, *step.around->end), start = poseOf(collider, *step.around->start);
        const Vec3 from = into(start, contactVertex(step.x0, contact.vertex)),
                   to = into(end, contactVertex(x, contact.vertex));
        const double before =
            contact.normal.isZero(0)
                ? 0
                : contact.stiffness *
                      (contact.offset - contact.normal.dot(contactVertex(x, contact.vertex)));
        contact.pressed = std::max(before, 0.0);
        const Vec3 path = to - from;
        const double length = path.norm();
        Vec3 at = to;
        const double reach = mesh.length + 2 * length;
        if (length > 0.25 * thinness(collider)) {
            // March along the way, by as much as the distance allows, to where it enters.
            double walked = 0;
            for (int i = 0; i < 64 && walked < length; ++i) {
                at = from + walked / length * path;
                const double free = distanceTo(collider, at, reach).distance - mesh.thickness;
                if (free <= 1e-3 * mesh.length) break;
                walked += free;
            }
            if (walked >= length) at = to;
        }
        const PointDistance found = distanceTo(collider, at, reach);
        contact.normal = end.orientation * found.normal;
        // The plane of the surface beside `at`, moved out by the thickness.
        const Vec3 touching = end * at;
        contact.offset = contact.normal.dot(touching) - found.distance + mesh.thickness;
        const double depth = contact.offset - contact.normal.dot(contactVertex(x, contact.vertex));
        if (before <= 0 && depth > 0) contact.pressed = contact.stiffness * depth;
    }
}

}  // namespace sinew
