// The blocks of contacts: how they stick or slip, and how rolling and spinning friction bounds turns.
#include <cmath>

#include "sinew/contact/figure_rows.h"
#include "sinew/derivative/contact_geometry.h"
#include "sinew/derivative/step_blocks.h"
#include "sinew/integrate/constraints.h"
#include "sinew/math/rotation.h"

namespace sinew::stepping {
namespace {

// How far one surface slips along the other (collision/slip.cpp): by the motion of both bodies at the end
// and at the start, by how the anchor of the moving one moves in its body, and by the normal.
struct SlipRows {
    Matrix<3, 6> end[2], start[2];
    Mat3 byAnchor[2], byNormal;
    Vec3 slip;
};

void addSlipSeenFrom(bool fromA, double weight, const Contact& contact, double h,
                     const LargeVector<BodyState>& from, const LargeVector<BodyState>& to, SlipRows& rows)
{
    const int still = fromA ? 0 : 1, moving = 1 - still;
    const int body[2] = {contact.bodyA, contact.bodyB};
    const Pose before[2] = {poseIn(from, body[0]), poseIn(from, body[1])};
    const Pose after[2] = {poseIn(to, body[0]), poseIn(to, body[1])};
    const Mat3 Q = (after[still].orientation * before[still].orientation.conjugate()).toRotationMatrix();
    const Vec3 d = before[moving].position - before[still].position, D = Q * d;
    const Vec3 way = after[moving].position - after[still].position - D;
    const auto spin = [&](int side) {
        return body[side] < 0 ? Vec3(Vec3::Zero()) : to[body[side]].angularVelocityWorld();
    };
    const Quat relative = (before[still].orientation.conjugate() * before[moving].orientation).conjugate() *
                          (after[still].orientation.conjugate() * after[moving].orientation);
    const Quat& R = after[moving].orientation;
    const Vec3 expected = h * (R.conjugate() * (spin(moving) - spin(still)));
    Vec3 phi = logRotation(relative);
    constexpr double surelyShorter = 2;  // rad, as in math/turn.h
    if (expected.norm() > surelyShorter)
        phi = expected + logRotation(expRotation(expected).conjugate() * relative);
    const Vec3 turn = R * phi;
    const double round = moving == 0 ? contact.roundA : -contact.roundB;
    const Vec3 anchor = R * (moving == 0 ? contact.pointA : contact.pointB),
               arm = anchor + round * contact.normal;
    const double sign = fromA ? weight : -weight;
    rows.slip += sign * (way + 0.5 * turn.cross(way) + turn.cross(arm));

    const Mat3 byWay = sign * (Mat3::Identity() + 0.5 * tilde(turn));
    const Mat3 byTurn = -sign * (0.5 * tilde(way) + tilde(arm));
    const Mat3 byArm = sign * tilde(turn);
    const Mat3 right = rightJacobianInverse(turn), left = leftJacobianInverse(turn);
    const Mat3 turned = byTurn * right * Q;
    rows.end[moving].leftCols<3>() += byWay;
    rows.end[moving].rightCols<3>() += byTurn * left - byArm * tilde(anchor);
    rows.end[still].leftCols<3>() -= byWay;
    rows.end[still].rightCols<3>() += byWay * tilde(D) - byTurn * right;
    rows.start[moving].leftCols<3>() -= byWay * Q;
    rows.start[moving].rightCols<3>() -= turned;
    rows.start[still].leftCols<3>() += byWay * Q;
    rows.start[still].rightCols<3>() += turned - byWay * Q * tilde(d);
    rows.byAnchor[moving] += byArm;
    rows.byNormal += round * byArm;
}

void setSlip(const Contact& contact, double h, const LargeVector<BodyState>& from,
             const LargeVector<BodyState>& to, SlipRows& rows)
{
    for (int side = 0; side < 2; ++side) {
        rows.end[side].setZero();
        rows.start[side].setZero();
        rows.byAnchor[side].setZero();
    }
    rows.byNormal.setZero();
    rows.slip.setZero();
    const auto add = [&](bool fromA, double weight) {
        addSlipSeenFrom(fromA, weight, contact, h, from, to, rows);
    };
    if (contact.bodyA < 0) return add(true, 1);
    if (contact.bodyB < 0) return add(false, 1);
    if (contact.face != Contact::Face::none) return add(contact.face == Contact::Face::ofA, 1);
    add(true, 0.5);
    add(false, 0.5);
}

Mat3 rotationOf(const LargeVector<BodyState>& bodies, int body)
{
    return body < 0 ? Mat3(Mat3::Identity()) : bodies[body].orientation.toRotationMatrix();
}

Vec3 placeOfBody(const LargeVector<BodyState>& bodies, int body)
{
    return body < 0 ? Vec3(Vec3::Zero()) : bodies[body].position;
}

// The law of what slips or sticks in rows [first, first + count), against the direction of d, with `held`
// the force that is all used up, friction times the normal's.
void setFriction(const Vec6& d, int first, int count, bool slips, double held, Block& block)
{
    if (!slips) {
        for (int r = first; r < first + count; ++r) block.B(r, r) = 1;
        return;
    }
    double size = 0;
    for (int r = first; r < first + count; ++r) size += d[r] * d[r];
    size = std::sqrt(size);
    double u[2] = {1, 0};
    for (int r = 0; r < count; ++r) u[r] = -d[first + r] / size;
    for (int r = 0; r < count; ++r) block.A(first, first + r) = u[r];
    if (count == 1) return;
    const double w[2] = {-u[1], u[0]};
    for (int r = 0; r < 2; ++r) {
        block.A(first + 1, first + r) = size / held * w[r];
        block.B(first + 1, first + r) = w[r];
    }
}

}  // namespace

void StepBlocks::addContact(const Model& model, const StepPart& part, std::size_t c, StepTerms& terms)
{
    const Contact& contact = part.contacts[c];
    const TapedContact& taped = part.taped[c];
    if (!(contact.impulse[0] > 0)) return;
    const int body[2] = {contact.bodyA, contact.bodyB};
    const LargeVector<BodyState>&from = part.start.bodies, &to = part.end.bodies;
    const Mat3 frame = contactFrame(contact.normal);
    const Vec3& n = contact.normal;
    const Vec3 held = contact.impulse / part.h, F = frame.transpose() * held;
    const bool follows = taped.isFollowed;
    const ContactMotion motion = contactMotion(model, contact, taped.followed, follows ? to : from);
    blockOf_[c] = static_cast<int>(blocks_.size());
    Block block = emptyBlock(3, body[0], body[1]);
    block.hasStart = true;
    SlipRows slip;
    setSlip(contact, part.h, from, to, slip);

    // Anchors, and what the surfaces in touch are from the centres of mass.
    Vec3 anchor[2], arm[2], place[2];
    Mat3 carried[2];  // axes of bodies at the time of `motion` → those at the end
    const double round[2] = {contact.roundA, -contact.roundB}, sign[2] = {-1, 1};
    for (int s = 0; s < 2; ++s) {
        anchor[s] = rotationOf(to, body[s]) * (s == 0 ? contact.pointA : contact.pointB);
        arm[s] = anchor[s] + round[s] * n;
        place[s] = placeOfBody(to, body[s]) + anchor[s];
        carried[s] = follows ? Mat3(Mat3::Identity())
                             : Mat3(rotationOf(to, body[s]) * rotationOf(from, body[s]).transpose());
    }
    const Vec3 way = place[1] - place[0];

    // The gap that the step began with, and what it wants at the end of what was inside.
    Contact before = contact;
    if (follows) {
        ContactCurvature curvature;
        moveContact(taped.followed, from, before, curvature);
    }
    Vec3 startPlace[2], startAnchor[2];
    for (int s = 0; s < 2; ++s) {
        startAnchor[s] = rotationOf(from, body[s]) * (s == 0 ? before.pointA : before.pointB);
        startPlace[s] = placeOfBody(from, body[s]) + startAnchor[s];
    }
    const double gap = std::max(
        contact.gap, before.normal.dot(startPlace[1] - startPlace[0]) - before.roundA - before.roundB);
    double slope = 0;  // of the target by the gap
    if (gap < 0) {
        if (model.contact->response == ContactDescription::Response::penalty) {
            const double k = part.h * part.h * model.contact->stiffness,
                         c_h = part.h * model.contact->damping;
            slope = c_h / (k + c_h);
        } else {
            const double share = part.h / part.step;
            const bool isCapped = recovered(model, -gap, part.h, part.step) < 0.2 * share * -gap;
            const bool recovers = taped.target > gap;
            slope = !recovers ? 1 : isCapped ? 1 : 1 - 0.2 * share;
        }
    }

    for (int s = 0; s < 2; ++s) {
        Vec6 along;
        along << n, anchor[s].cross(n);
        block.place[s].row(0) = (sign[s] * along).transpose();
        const Matrix<3, 6> end = frame * slip.end[s], start = frame * slip.start[s];
        for (int r = 1; r < 3; ++r) {
            block.place[s].row(r) = end.row(r);
            block.start[s].row(r) = start.row(r);
        }
        const Vec3 surface = startAnchor[s] + (s == 0 ? before.roundA : -before.roundB) * before.normal;
        Vec6 gapRow;
        gapRow << before.normal, surface.cross(before.normal);
        block.start[s].row(0) = (-slope * sign[s] * gapRow).transpose();
        block.push[s].topLeftCorner<3, 3>() = sign[s] * frame.transpose();
        block.push[s].bottomLeftCorner<3, 3>() = sign[s] * (tilde(arm[s]) * frame.transpose());
        if (body[s] >= 0) {
            BodyTerms& own = terms.bodies[body[s]];
            own.need.head<3>() -= sign[s] * F;
            own.need.tail<3>() -= sign[s] * arm[s].cross(F);
            terms.extraOf(body[s]).stiffness.bottomRightCorner<3, 3>() +=
                -sign[s] * (tilde(F) * tilde(anchor[s]));
        }
    }
    std::vector<std::pair<int, Six>> crosses[2];
    for (int t = 0; t < 2 && motion.moves; ++t) {
        if (body[t] < 0) continue;
        const Matrix<3, 6>& normal = motion.normal[t];
        Six& rows = follows ? block.place[t] : block.start[t];
        Matrix<3, 6> moved[2];
        for (int s = 0; s < 2; ++s) moved[s] = carried[s] * motion.anchor[s][t];
        const Vec3 slipped = slip.slip;
        Matrix<3, 6> slid = slip.byNormal * normal - n.dot(slipped) * normal;
        for (int s = 0; s < 2; ++s) slid += slip.byAnchor[s] * moved[s];
        for (int k = 0; k < 6; ++k) {
            const Vec3 dn = normal.col(k);
            rows(0, k) += dn.dot(way) + n.dot(Vec3(moved[1].col(k)) - Vec3(moved[0].col(k)));
            const Vec3 column = frame * Vec3(slid.col(k));
            rows(1, k) += column[1];
            rows(2, k) += column[2];
        }
        const Matrix<3, 6> turned = -(tilde(F) * tilde(n) * normal);
        for (int s = 0; s < 2; ++s) {
            if (body[s] < 0) continue;
            Six wrench;
            wrench.topRows<3>() = sign[s] * turned;
            wrench.bottomRows<3>() =
                sign[s] * (tilde(arm[s]) * turned - tilde(F) * (moved[s] + round[s] * normal));
            if (!follows)
                block.wrenchByStart[s][t] += wrench;
            else if (s == t)
                terms.extraOf(body[s]).stiffness -= wrench;
            else
                crosses[s].emplace_back(t, wrench);
        }
    }

    block.A(0, 0) = taped.compliance * part.h * part.h;
    block.B(0, 0) = 1;
    Vec6 d = Vec6::Zero();
    d.head<3>() = frame * slip.slip;
    if (!(taped.friction > 0)) {
        block.A(1, 1) = block.A(2, 2) = 1;
    } else {
        constexpr double noise = 10;
        const bool slips = held.tail<2>().norm() > 0.999 * taped.friction * held[0] &&
                           d.segment<2>(1).norm() > noise * solverSettings(model).tolerance;
        setFriction(d, 1, 2, slips, taped.friction * held[0], block);
        if (slips) block.A(1, 0) = -taped.friction;
    }
    blocks_.push_back(block);
    for (int s = 0; s < 2; ++s)
        for (const auto& [t, wrench] : crosses[s]) addCross(body[s], body[t], wrench);
}

void StepBlocks::addTurning(const Model& model, const StepPart& part, const TapedTurning& turning,
                            StepTerms& terms)
{
    const Contact& contact = part.contacts[turning.contact];
    if (blockOf_[turning.contact] < 0) return;
    const int body[2] = {contact.bodyA, contact.bodyB};
    const LargeVector<BodyState>& to = part.end.bodies;
    const bool follows = part.taped[turning.contact].isFollowed;
    const ContactMotion motion = contactMotion(model, contact, part.taped[turning.contact].followed,
                                               follows ? to : part.start.bodies);
    const Mat3 frame = contactFrame(contact.normal);
    const int rows = turning.spins ? 1 : 2, first = turning.spins ? 0 : 1;
    Block block = emptyBlock(rows, body[0], body[1]);
    block.hasRate = true;
    block.hasStart = !follows;
    const double sign[2] = {-1, 1};
    const Vec3 held = turning.impulse / (part.h * part.h);
    Vec3 torque = Vec3::Zero(), spin = Vec3::Zero();
    for (int r = 0; r < rows; ++r)
        torque += turning.length * held[r] * Vec3(frame.row(first + r).transpose());
    for (int s = 0; s < 2; ++s) {
        if (body[s] < 0) continue;
        spin += sign[s] * to[body[s]].angularVelocityWorld();
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < 3; ++k) {
                block.rate[s](r, 3 + k) = sign[s] * part.h * turning.length * frame(first + r, k);
                block.push[s](3 + k, r) = sign[s] * turning.length * frame(first + r, k);
            }
        terms.bodies[body[s]].need.tail<3>() -= sign[s] * torque;
    }
    const double scale = part.h * turning.length;
    Vec6 d = Vec6::Zero();
    for (int r = 0; r < rows; ++r) d[r] = scale * Vec3(frame.row(first + r).transpose()).dot(spin);
    std::vector<std::pair<int, Six>> crosses[2];
    for (int t = 0; t < 2 && motion.moves; ++t) {
        if (body[t] < 0) continue;
        const Matrix<3, 6>& normal = motion.normal[t];
        Six& to6 = follows ? block.place[t] : block.start[t];
        for (int k = 0; k < 6; ++k) {
            const Vec3 dn = normal.col(k);
            if (turning.spins)
                to6(0, k) += scale * dn.dot(spin);
            else
                for (int r = 0; r < 2; ++r)
                    to6(r, k) -=
                        scale * Vec3(frame.row(1 + r).transpose()).dot(dn) * contact.normal.dot(spin);
        }
        for (int s = 0; s < 2; ++s) {
            if (body[s] < 0) continue;
            Six wrench = Six::Zero();
            wrench.bottomRows<3>() = -sign[s] * (tilde(torque) * tilde(contact.normal) * normal);
            if (!follows) {
                block.wrenchByStart[s][t] += wrench;
            } else if (s == t) {
                terms.extraOf(body[s]).stiffness -= wrench;
            } else {
                crosses[s].emplace_back(t, wrench);
            }
        }
    }
    const double radius = turning.bound * contact.impulse[0] / part.h;
    constexpr double noise = 10;
    const bool slips = held.norm() > 0.999 * radius && d.norm() > noise * solverSettings(model).tolerance;
    setFriction(d, 0, rows, slips, radius, block);
    if (slips) {
        block.master = blockOf_[turning.contact];
        block.bound = turning.bound;
    }
    blocks_.push_back(block);
    for (int s = 0; s < 2; ++s)
        for (const auto& [t, wrench] : crosses[s]) addCross(body[s], body[t], wrench);
}

}  // namespace sinew::stepping
