#include "sinew/soft/links.h"

#include <algorithm>

#include "sinew/math/types.h"
#include "sinew/soft/contact.h"

namespace sinew {
namespace {

Vec3 linkVertex(const VecX& x, int i)
{
    return Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

Vec3 placeOn(const LargeVector<BodyState>& bodies, const MeshLink& link)
{
    const BodyState& body = bodies[static_cast<std::size_t>(link.body)];
    return body.position + Vec3(body.orientation * link.point);
}

}  // namespace

void MeshLinks::add(MeshSolver& solver, const MeshState& state)
{
    MeshStep& step = solver.step;
    const SpringMesh& mesh = *step.mesh;
    const bool holds =
        std::any_of(mesh.pins.begin(), mesh.pins.end(), [](const MeshPin& pin) { return pin.body >= 0; });
    if (holds) {
        step.fullGradient(state.x, solver.gradient);
        for (std::size_t p = 0; p < mesh.pins.size(); ++p) {
            const MeshPin& pin = mesh.pins[p];
            if (pin.body < 0) continue;
            MeshLink link{pin.body, pin.point, step.pinned[p], Vec3::Zero(), Mat3::Zero()};
            if (pin.isRigid) {
                link.force = -linkVertex(solver.gradient, pin.vertex);
                link.stiffness = step.ownBlock(pin.vertex, state.x);
            } else {
                const Vec3 way = linkVertex(state.x, pin.vertex) - step.pinned[p];
                const Vec3 slip = way - (linkVertex(step.x0, pin.vertex) - step.pinned0[p]);
                link.force = pin.stiffness * way + pin.damping / step.h * slip;
                link.stiffness = (pin.stiffness + pin.damping / step.h) * Mat3::Identity();
            }
            links.push_back(link);
        }
    }
    for (const MeshContact& contact : step.contacts) {
        if (contact.body < 0) continue;
        const Vec3 at = linkVertex(state.x, contact.vertex);
        const Vec3 force = contactForce(step, contact, at);
        if (force.isZero(0)) continue;
        const BodyState& body = (*step.around->end)[static_cast<std::size_t>(contact.body)];
        links.push_back({contact.body, body.orientation.conjugate() * Vec3(at - body.position), at, -force,
                         contactStiffness(step, contact, at)});
    }
}

double MeshLinks::mismatch(const LargeVector<BodyState>& bodies) const
{
    double most = 0;
    for (const MeshLink& link : links) most = std::max(most, (placeOn(bodies, link) - link.place).norm());
    return most;
}

void addLinkForces(void* adder, const Model& model, const State& state, Forces& forces)
{
    const MeshLinks& all = *static_cast<const MeshLinks*>(adder);
    // Links of a body stand together for the most part: one tangent for a run of them.
    for (std::size_t first = 0; first < all.links.size();) {
        const int body = all.links[first].body;
        BodyTangent tangent;
        tangent.body = body;
        std::size_t last = first;
        for (; last < all.links.size() && all.links[last].body == body; ++last) {
            const MeshLink& link = all.links[last];
            const Vec3 at = placeOn(state.bodies, link);
            const Vec3 r = at - state.bodies[static_cast<std::size_t>(body)].position;
            const Vec3 force = link.force - Vec3(link.stiffness * Vec3(at - link.place));
            forces.body[static_cast<std::size_t>(body)] += {force, r.cross(force)};
            // δp = δx − r~ δθ; of the torque r × f the arm turns too.
            const Mat3 R = tilde(r), KR = link.stiffness * R;
            tangent.stiffness.block<3, 3>(0, 0) += link.stiffness;
            tangent.stiffness.block<3, 3>(0, 3) -= KR;
            tangent.stiffness.block<3, 3>(3, 0) += R * link.stiffness;
            tangent.stiffness.block<3, 3>(3, 3) -= R * KR + tilde(force) * R;
        }
        forces.outside.bodies.push_back(tangent);
        forces.outside.any = true;
        first = last;
    }
    static_cast<void>(model);
}

}  // namespace sinew
