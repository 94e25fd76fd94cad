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

void findPartContacts(MeshStep& step, const MeshState& before, std::size_t c, const MeshPart& part)
{
    const SpringMesh& mesh = *step.mesh;
    const MeshTraits& traits = *part.traits;
    const Collider& collider = step.around->model->colliders[c];
    if (!traits.collides) return;
    if (collider.body >= 0 &&
        std::binary_search(traits.ignored.begin(), traits.ignored.end(), collider.body))
        return;
    const Pose end = poseOf(collider, *step.around->end), start = poseOf(collider, *step.around->start);
    const auto* shape = std::get_if<Shape>(&collider.form);
    const double reach = shape ? reachOf(*shape) : 0;
    for (int i = part.vertex; i < part.vertexEnd; ++i) {
        if (step.isHeld[i]) continue;
        const Vec3 from = contactVertex(step.x0, i), to = contactVertex(step.y, i);
        // The step may end elsewhere than it would without forces; twice the way is room enough for
        // that, and those that get farther are found in the next one.
        const double way = (to - from).norm() + (end.position - start.position).norm();
        const double margin = 2 * way + traits.thickness + 2 * traits.length;
        if (shape && (from - start.position).norm() > reach + margin) continue;
        const double apart = distanceTo(collider, into(start, from), traits.length + way).distance;
        if (apart > margin + (collider.body >= 0 ? reach : 0) * 0.5) continue;
        MeshContact contact;
        contact.vertex = i;
        contact.collider = static_cast<int>(c);
        contact.body = collider.body;
        contact.traits = part.traits;
        contact.stiffness = mesh.masses[i] / (step.h * step.h) + mesh.ownStiffness[i];
        contact.friction = std::sqrt(traits.friction * collider.friction);
        const bool isKnown = i < static_cast<int>(before.touched.size()) &&
                             before.touched[static_cast<std::size_t>(i)] == static_cast<int>(c);
        const Vec3 anchor = isKnown ? contactVertex(before.anchor, i) : into(start, from);
        contact.carried = end * anchor;
        // Friction begins with the force of the step before; a guess of where the vertex goes may be
        // far inside.
        if (isKnown) contact.pressed = before.pressed[i];
        step.contacts.push_back(contact);
    }
}

}  // namespace

void findContacts(MeshStep& step, const MeshState& before)
{
    step.contacts.clear();
    const SpringMesh& mesh = *step.mesh;
    const Model& model = *step.around->model;
    for (std::size_t c = 0; c < model.colliders.size(); ++c)
        for (int p = 0; p < mesh.partCount(); ++p) findPartContacts(step, before, c, mesh.part(p));
}

void keepAnchors(const MeshStep& step, const VecX& x, MeshState& state)
{
    state.touched.assign(static_cast<std::size_t>(step.mesh->size()), -1);
    state.anchor.setZero(3 * step.mesh->size());
    state.pressed.setZero(step.mesh->size());
    std::vector<double>& most = step.scratch;
    most.assign(static_cast<std::size_t>(step.mesh->size()), 0);
    for (const MeshContact& contact : step.contacts) {
        const std::size_t i = static_cast<std::size_t>(contact.vertex);
        const Vec3 at = contactVertex(x, contact.vertex);
        const double pressed = contact.stiffness * (contact.offset - contact.normal.dot(at));
        if (!(pressed > most[i])) continue;  // of several the one that it leans on most
        most[i] = pressed;
        Vec3 slip = at - contact.carried;
        slip -= contact.normal.dot(slip) * contact.normal;
        const double length = slip.norm(), way = step.stickingWay(contact);
        const Vec3 anchor = length > way ? Vec3(at - way / length * slip) : Vec3(at - slip);
        const Collider& collider =
            step.around->model->colliders[static_cast<std::size_t>(contact.collider)];
        const Vec3 local = into(poseOf(collider, *step.around->end), anchor);
        state.touched[i] = contact.collider;
        state.pressed[contact.vertex] = pressed;
        for (int k = 0; k < 3; ++k) state.anchor[3 * contact.vertex + k] = local[k];
    }
}

void placeContacts(MeshStep& step, const VecX& x, bool looksAtFriction)
{
    const Model& model = *step.around->model;
    for (MeshContact& contact : step.contacts) {
        const MeshTraits& traits = *contact.traits;
        const Collider& collider = model.colliders[static_cast<std::size_t>(contact.collider)];
        const Pose end = poseOf(collider, *step.around->end), start = poseOf(collider, *step.around->start);
        const Vec3 from = into(start, contactVertex(step.x0, contact.vertex)),
                   to = into(end, contactVertex(x, contact.vertex));
        const Vec3 path = to - from;
        const double length = path.norm();
        Vec3 at = to;
        const double reach = traits.length + 2 * length;
        if (length > 0.25 * thinness(collider)) {
            // March along the way, by as much as the distance allows, to where it enters.
            double walked = 0;
            for (int i = 0; i < 64 && walked < length; ++i) {
                at = from + walked / length * path;
                const double free = distanceTo(collider, at, reach).distance - traits.thickness;
                if (free <= 1e-3 * traits.length) break;
                walked += free;
            }
            if (walked >= length) at = to;
        }
        const PointDistance found = distanceTo(collider, at, reach);
        contact.normal = end.orientation * found.normal;
        // The plane of the surface beside `at`, moved out by the thickness.
        const Vec3 touching = end * at;
        contact.offset = contact.normal.dot(touching) - found.distance + traits.thickness;
        if (!looksAtFriction) continue;
        const double depth = contact.offset - contact.normal.dot(contactVertex(x, contact.vertex));
        contact.pressed = contact.stiffness * std::max(depth, 0.0);
    }
}

}  // namespace sinew
