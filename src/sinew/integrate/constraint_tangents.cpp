// What the forces of contacts and loops change by as their bodies turn (constraints.h).
#include "sinew/integrate/constraints.h"
#include "sinew/math/rotation.h"
#include "sinew/model/rows.h"

namespace sinew {
namespace {

double square(double x)
{
    return x * x;
}

}  // namespace

// The torque of a force F fixed in the world at an anchor p, in axes of the body, (p + ρ) × F with ρ the
// way from the anchor to the surface: p stays as the body turns, ρ and F turn back.
//     ∂/∂θ = (τ~ + p Fᵀ − (p·F) 1)
void StepConstraints::addAnchorTangents(const State& state, const Contact& contact, const Vec3& impulse,
                                        ArticulatedLinks& links) const
{
    const Vec3 force = contactFrame(contact.normal).transpose() * impulse;
    for (int side = 0; side < 2; ++side) {
        const int body = side == 0 ? contact.bodyA : contact.bodyB;
        if (body < 0) continue;
        const double sign = side == 0 ? -1 : 1;
        const Vec3 F = sign * force;
        const Vec3 p = state.bodies[body].orientation * (side == 0 ? contact.pointA : contact.pointB);
        const Vec3 rho = -sign * (side == 0 ? contact.roundA : contact.roundB) * contact.normal;
        const Vec3 torque = (p + rho).cross(F);
        links[body].J -= small(
            Mat3(square(partOf(body)) * (tilde(torque) + p * F.transpose() - p.dot(F) * Mat3::Identity())));
    }
}

// The torque s × F of a contact's force changes as its body turns: s turns with the body, and the place in
// touch moves on over the surface by its radii of curvature P. Against a plane, with N the normal force and
// m the way out of the body, − ∂(s × F)/∂θ = N m~ (s~ − P m~): stiff where the surface is flatter than the
// centre is high. What a curved other side takes off that is left out, and so are friction and what couples
// two bodies: Newton's method converges without, if not quadratically.
void StepConstraints::addContactTangents(const State& state, ArticulatedLinks& links) const
{
    for (std::size_t c = 0; c < work_.contacts.size(); ++c) {
        if (!(work_.impulses[c][0] > 0)) continue;
        const Contact& contact = work_.contacts[c];
        if (!followsPlace(c)) {
            addAnchorTangents(state, contact, work_.impulses[c], links);
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            const int body = side == 0 ? contact.bodyA : contact.bodyB;
            if (body < 0 || work_.followed[c].sides[side].kind == ContactSide::Kind::face) continue;
            const Vec3 m = side == 0 ? contact.normal : Vec3(-contact.normal);
            const Quat& R = state.bodies[body].orientation;
            const Vec3 s = R * (side == 0 ? contact.pointA : contact.pointB) +
                           (side == 0 ? contact.roundA : contact.roundB) * m;
            const Mat3 turning =
                work_.impulses[c][0] * tilde(m) * (tilde(s) - work_.curvatures[c].radii[side] * tilde(m));
            links[body].J += small(Mat3(0.5 * square(partOf(body)) * (turning + turning.transpose())));
        }
    }
}

void StepConstraints::addTangents(const State& state, ArticulatedLinks& links) const
{
    addContactTangents(state, links);
    std::size_t block = firstLoop();
    for (const LoopJoint& loop : model_.loops) {
        if (!holds(loop)) continue;
        const Place C = placeIn(state.bodies, loop.child), P = placeIn(state.bodies, loop.joint.parent);
        Row rows[6];
        rowsOf(loop.joint, rows);
        PairMatrix curvature;
        curvature.setZero();
        // What couples the two bodies has no place in a tree. Of directors that is the same again with the
        // other sign, as far as the joint keeps the bodies together: they turn with both.
        for (int k = 0; k < loop.rows(); ++k)
            if (rows[k].kind != Row::perpendicular)
                addRowCurvature(rows[k], loop.joint, C, P,
                                work_.impulses[block + static_cast<std::size_t>(k / 3)][k % 3], curvature);
        const auto add = [&](int body, const Mat6& m) {
            if (body < 0) return;
            const Mat3 R = large(links[body].R), turning = m.bottomRightCorner<3, 3>();
            links[body].J -= small(Mat3(square(partOf(body)) * R * turning * R.transpose()));
        };
        add(loop.child, curvature.block[0][0]);
        add(loop.joint.parent, curvature.block[1][1]);
        block += static_cast<std::size_t>(loopBlocks(loop));
    }
}

}  // namespace sinew
