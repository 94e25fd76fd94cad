#include "sinew/derivative/step_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/contact/figure_rows.h"
#include "sinew/contact/solve.h"
#include "sinew/derivative/contact_geometry.h"
#include "sinew/integrate/constraints.h"
#include "sinew/math/deficient.h"
#include "sinew/math/rotation.h"
#include "sinew/model/rows.h"

namespace sinew::stepping {
namespace {

Block emptyBlock(int rows, int first, int second)
{
    Block block;
    block.rows = rows;
    block.body[0] = first;
    block.body[1] = second;
    for (int side = 0; side < 2; ++side) {
        for (Six* m : {&block.place[side], &block.rate[side], &block.start[side], &block.push[side]})
            m->setZero();
        for (Six& m : block.wrenchByStart[side]) m.setZero();
    }
    block.A.setZero();
    block.B.setZero();
    return block;
}

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

void StepBlocks::addCross(int on, int by, const Six& wrench)
{
    if (on < 0 || by < 0 || wrench.isZero(0)) return;
    Block block = emptyBlock(6, on, by);
    block.push[0] = wrench;
    block.place[1] = Six::Identity();
    block.A = Six::Identity();
    block.B = -Six::Identity();
    blocks_.push_back(block);
}

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

void StepBlocks::addLoop(const Model& model, const StepPart& part, int l, StepTerms& terms)
{
    const LoopJoint& loop = model.loops[static_cast<std::size_t>(l)];
    const int body[2] = {loop.child, loop.joint.parent};
    const LargeVector<BodyState>& to = part.end.bodies;
    const Place C = placeIn(to, body[0]), P = placeIn(to, body[1]);
    const Mat3 R[2] = {C.R, P.R};
    Row rows[6];
    rowsOf(loop.joint, rows);
    Block block = emptyBlock(loop.rows(), body[0], body[1]);
    PairMatrix curvature;
    curvature.setZero();
    Vec6 wrench[2] = {Vec6::Zero(), Vec6::Zero()};  // torque in world axes
    for (int k = 0; k < loop.rows(); ++k) {
        const double force = terms.loopForces[static_cast<std::size_t>(l)][k];
        const PairGradient gradient = rowGradient(rows[k], loop.joint, C, P);
        for (int s = 0; s < 2; ++s) {
            const Vec6& own = s == 0 ? gradient.child : gradient.parent;
            Vec6 row;
            row << Vec3(own.head<3>()), R[s] * Vec3(own.tail<3>());
            block.place[s].row(k) = row.transpose();
            block.push[s].col(k) = row;
            wrench[s] += force * row;
        }
        addRowCurvature(rows[k], loop.joint, C, P, force, curvature);
        block.B(k, k) = 1;
    }
    for (int s = 0; s < 2; ++s) {
        if (body[s] < 0) continue;
        BodyTerms& own = terms.bodies[body[s]];
        own.need -= wrench[s];
        for (int t = 0; t < 2; ++t) {
            if (body[t] < 0) continue;
            Six world = curvature.block[s][t];
            world.bottomRows<3>() = R[s] * Matrix<3, 6>(world.bottomRows<3>());
            world.rightCols<3>() = Matrix<6, 3>(world.rightCols<3>()) * R[t].transpose();
            if (s != t) {
                addCross(body[s], body[t], world);
                continue;
            }
            world.bottomRightCorner<3, 3>() -= tilde(Vec3(wrench[s].tail<3>()));
            terms.extraOf(body[s]).stiffness -= world;
        }
    }
    loopBlock_.push_back(static_cast<int>(blocks_.size()));
    blocks_.push_back(block);
}

void StepBlocks::addCoupling(const Model& model, int c)
{
    const Coupling& coupling = model.couplings[static_cast<std::size_t>(c)];
    Block block = emptyBlock(1, -1, -1);
    block.freedom[0] = model.joints[coupling.follower].u;
    block.freedom[1] = model.joints[coupling.leader].u;
    block.ratio = coupling.ratio;
    block.body[0] = coupling.follower;  // for the islands; its rows are zero
    block.body[1] = coupling.leader;
    block.B(0, 0) = 1;
    blocks_.push_back(block);
}

void StepBlocks::addPair(const PairTangent& pair, StepTerms&)
{
    Block block = emptyBlock(pair.rank, pair.body[0], pair.body[1]);
    for (int s = 0; s < 2; ++s) {
        if (pair.body[s] < 0) continue;
        for (int r = 0; r < pair.rank; ++r)
            for (int k = 0; k < 6; ++k) {
                block.place[s](r, k) = pair.stiffness[s](r, k);
                block.rate[s](r, k) = pair.damping[s](r, k);
                block.push[s](k, r) = -pair.U[s](k, r);
            }
        block.hasRate |= !pair.damping[s].isZero(0);
    }
    for (int r = 0; r < pair.rank; ++r) {
        block.A(r, r) = 1;
        block.B(r, r) = -1;
    }
    blocks_.push_back(block);
}

void StepBlocks::set(const Model& model, const StepPart& part, StepTerms& terms)
{
    model_ = &model;
    blocks_.clear();
    blockOf_.assign(part.contacts.size(), -1);
    for (std::size_t c = 0; c < part.contacts.size(); ++c) addContact(model, part, c, terms);
    for (const TapedTurning& turning : part.turning) addTurning(model, part, turning, terms);
    loopBlock_.clear();
    for (std::size_t l = 0; l < model.loops.size(); ++l) addLoop(model, part, static_cast<int>(l), terms);
    for (std::size_t c = 0; c < model.couplings.size(); ++c) addCoupling(model, static_cast<int>(c));
    for (const PairTangent& pair : terms.pairs) addPair(pair, terms);
    // What sleeps does not move: it is like the world.
    for (Block& block : blocks_)
        for (int s = 0; s < 2; ++s)
            if (block.body[s] >= 0 && terms.bodies[block.body[s]].sleeps) block.body[s] = -1;
    setIslands(model);
}

void StepBlocks::setIslands(const Model& model)
{
    std::vector<int> group(model.skeletons.size());
    std::iota(group.begin(), group.end(), 0);
    const auto rootOf = [&](int s) {
        while (group[static_cast<std::size_t>(s)] != s) s = group[static_cast<std::size_t>(s)];
        return s;
    };
    for (const Block& block : blocks_) {
        if (block.body[0] < 0 || block.body[1] < 0) continue;
        const int a = rootOf(model.skeletonOf[block.body[0]]), b = rootOf(model.skeletonOf[block.body[1]]);
        group[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    std::vector<int> islandOf(model.skeletons.size(), -1);
    islands_.clear();
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const int body = blocks_[b].body[0] >= 0 ? blocks_[b].body[0] : blocks_[b].body[1];
        if (body < 0) continue;
        const int root = rootOf(model.skeletonOf[body]);
        int& island = islandOf[static_cast<std::size_t>(root)];
        if (island < 0) {
            island = static_cast<int>(islands_.size());
            islands_.emplace_back();
        }
        Island& own = islands_[static_cast<std::size_t>(island)];
        own.at.push_back(own.blocks.empty() ? 0 : own.at.back() + blocks_[own.blocks.back()].rows);
        own.blocks.push_back(static_cast<int>(b));
    }
}

namespace {

// What of the rows' d goes by e', velocities included.
void wholeRows(const StepTerms& terms, const Block& block, int side, Six& whole)
{
    whole = block.place[side];
    if (!block.hasRate) return;
    const BodyTerms& body = terms.bodies[block.body[side]];
    const Mat3 turning = body.R * body.rateByEnd - body.w;
    for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < 3; ++c) {
            whole(r, c) += block.rate[side](r, c) / body.h;
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += block.rate[side](r, 3 + k) * turning(k, c);
            whole(r, 3 + c) += sum;
        }
}

// K⁻¹ of least size: rows and columns scaled, so that units do not count.
MatX leastInverse(MatX K)
{
    constexpr double dependent = 1e-11;
    const int n = K.rows();
    VecX row(n), column(n);
    for (int r = 0; r < n; ++r) {
        double most = 0;
        for (int c = 0; c < n; ++c) most = std::max(most, std::abs(K(r, c)));
        row[r] = most > 0 ? 1 / most : 1;
    }
    for (int c = 0; c < n; ++c) {
        double most = 0;
        for (int r = 0; r < n; ++r) most = std::max(most, std::abs(row[r] * K(r, c)));
        column[c] = most > 0 ? 1 / most : 1;
    }
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) K(r, c) *= row[r] * column[c];
    MatX inverse = leastInverseOf(K, dependent);
    for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) inverse(r, c) *= column[r] * row[c];
    return inverse;
}

}  // namespace

void StepBlocks::factor(const StepTerms& terms, const StepTree& tree, TreeVectors& x)
{
    const Model& model = *model_;
    std::vector<Six> whole(2 * blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        for (int s = 0; s < 2; ++s)
            if (blocks_[b].body[s] >= 0) wholeRows(terms, blocks_[b], s, whole[2 * b + s]);
    for (Island& island : islands_) {
        const int n = island.at.back() + blocks_[island.blocks.back()].rows;
        MatX K;
        K.setZero(n, n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            int touched[2] = {-1, -1};
            for (int s = 0; s < 2; ++s)
                if (block.body[s] >= 0) touched[s] = model.skeletonOf[block.body[s]];
            if (touched[1] == touched[0]) touched[1] = -1;
            for (int r = 0; r < block.rows; ++r)
                for (int c = 0; c < block.rows; ++c) K(island.at[i] + r, island.at[i] + c) += block.A(r, c);
            if (block.master >= 0)
                for (std::size_t j = 0; j < island.blocks.size(); ++j)
                    if (island.blocks[j] == block.master) K(island.at[i], island.at[j]) -= block.bound;
            for (int c = 0; c < block.rows; ++c) {
                for (const int skeleton : touched) {
                    if (skeleton < 0) continue;
                    const Skeleton& own = model.skeletons[skeleton];
                    const int first = own.first, end = own.first + own.count;
                    for (int k = first; k < end; ++k) {
                        x.body[k].setZero();
                        for (int f = 0; f < tree.links[k].freedoms; ++f) x.joint[tree.links[k].u + f] = 0;
                    }
                }
                for (int s = 0; s < 2; ++s)
                    if (block.body[s] >= 0) x.body[block.body[s]] -= block.push[s].col(c);
                if (block.freedom[0] >= 0) {
                    x.joint[block.freedom[0]] -= 1;
                    x.joint[block.freedom[1]] += block.ratio;
                }
                for (const int skeleton : touched) {
                    if (skeleton < 0) continue;
                    const Skeleton& own = model.skeletons[skeleton];
                    tree.solve(own.first, own.first + own.count, x);
                }
                for (std::size_t j = 0; j < island.blocks.size(); ++j) {
                    const int number = island.blocks[j];
                    const Block& other = blocks_[number];
                    double d[6] = {};
                    for (int s = 0; s < 2; ++s) {
                        if (other.body[s] < 0) continue;
                        const int skeleton = model.skeletonOf[other.body[s]];
                        if (skeleton != touched[0] && skeleton != touched[1]) continue;
                        const Vec6& e = x.body[other.body[s]];
                        const Six& rows = whole[2 * number + s];
                        for (int r = 0; r < other.rows; ++r)
                            for (int k = 0; k < 6; ++k) d[r] += rows(r, k) * e[k];
                        if (other.freedom[s] >= 0)
                            d[0] += (s == 0 ? 1 : -other.ratio) * x.joint[other.freedom[s]];
                    }
                    for (int r = 0; r < other.rows; ++r)
                        for (int k = 0; k < other.rows; ++k)
                            K(island.at[j] + r, island.at[i] + c) += other.B(r, k) * d[k];
                }
            }
        }
        island.inverse = leastInverse(std::move(K));
    }
}

namespace {

Vec6 worldRate(const BodyTerms& body, const Vec6& rate, const Vec6& end)
{
    Vec6 world;
    world << Vec3(rate.head<3>()), body.R * Vec3(rate.tail<3>()) - body.w * Vec3(end.tail<3>());
    return world;
}

}  // namespace

// −B d into left_, for d of one block by a motion.
void StepBlocks::setLaw(const StepTerms& terms, const Island& island, std::size_t i,
                        const TreeVectors& moved, const StateChange& start) const
{
    const Block& block = blocks_[island.blocks[i]];
    Vec6 d = Vec6::Zero();
    for (int s = 0; s < 2; ++s) {
        const int body = block.body[s];
        if (body < 0) continue;
        d += block.place[s] * moved.body[body];
        if (block.hasRate)
            d += block.rate[s] * worldRate(terms.bodies[body],
                                           rateChange(terms, body, moved.body[body], start),
                                           moved.body[body]);
        if (block.hasStart) d += block.start[s] * Vec6(start.bodies[body].head<6>());
        if (block.freedom[s] >= 0) d[0] += (s == 0 ? 1 : -block.ratio) * moved.joint[block.freedom[s]];
    }
    for (int r = 0; r < block.rows; ++r)
        for (int k = 0; k < block.rows; ++k) left_[island.at[i] + r] -= block.B(r, k) * d[k];
}

void StepBlocks::push(const StepTerms& terms, const TreeVectors& moved, const StateChange& start,
                      TreeVectors& right) const
{
    for (const Island& island : islands_) {
        const int n = island.inverse.rows();
        left_.setZero(n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            setLaw(terms, island, i, moved, start);
        }
        right_ = island.inverse * left_;
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            for (int s = 0; s < 2; ++s) {
                const int body = block.body[s];
                if (body < 0) continue;
                for (int r = 0; r < block.rows; ++r)
                    right.body[body] -= right_[island.at[i] + r] * block.push[s].col(r);
                if (block.freedom[s] >= 0)
                    right.joint[block.freedom[s]] -= (s == 0 ? 1 : -block.ratio) * right_[island.at[i]];
            }
        }
    }
}

void StepBlocks::pull(const StepTerms& terms, const TreeVectors& weights, TreeVectors& right,
                      StateChange& start) const
{
    for (const Island& island : islands_) {
        const int n = island.inverse.rows();
        left_.setZero(n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            for (int s = 0; s < 2; ++s) {
                const int body = block.body[s];
                if (body < 0) continue;
                for (int r = 0; r < block.rows; ++r)
                    left_[island.at[i] + r] -= block.push[s].col(r).dot(weights.body[body]);
                if (block.freedom[s] >= 0)
                    left_[island.at[i]] -= (s == 0 ? 1 : -block.ratio) * weights.joint[block.freedom[s]];
            }
        }
        right_.setZero(n);
        for (int c = 0; c < n; ++c)
            for (int r = 0; r < n; ++r) right_[c] += island.inverse(r, c) * left_[r];
        for (std::size_t i = 0; i < island.blocks.size(); ++i) {
            const Block& block = blocks_[island.blocks[i]];
            Vec6 d = Vec6::Zero();
            for (int r = 0; r < block.rows; ++r)
                for (int k = 0; k < block.rows; ++k) d[k] -= block.B(r, k) * right_[island.at[i] + r];
            for (int s = 0; s < 2; ++s) {
                const int body = block.body[s];
                if (body < 0) continue;
                right.body[body] += block.place[s].transpose() * d;
                if (block.hasRate) {
                    const BodyTerms& own = terms.bodies[body];
                    const Vec6 world = block.rate[s].transpose() * d;
                    const Vec3 turning = world.tail<3>();
                    Vec6 rate;
                    rate << Vec3(world.head<3>()), own.R.transpose() * turning;
                    right.body[body].tail<3>() -= own.w.transpose() * turning;
                    addRateWeights(terms, body, rate, right.body[body], start);
                }
                if (block.hasStart) start.bodies[body].head<6>() += block.start[s].transpose() * d;
                if (block.freedom[s] >= 0)
                    right.joint[block.freedom[s]] += (s == 0 ? 1 : -block.ratio) * d[0];
            }
        }
    }
}

// The answer to the residual alone is no motion where forces of loops can bear it.
void StepBlocks::correctLoops(const StepTree& tree, StepTerms& terms, TreeVectors& x) const
{
    x.body.assign(terms.bodies.size(), Vec6::Zero());
    x.joint = terms.residual;
    tree.solve(0, tree.size(), x);
    StateChange none;
    none.setZero(*model_);
    for (const Island& island : islands_) {
        const int n = island.inverse.rows();
        left_.setZero(n);
        for (std::size_t i = 0; i < island.blocks.size(); ++i) setLaw(terms, island, i, x, none);
        right_ = island.inverse * left_;
        for (std::size_t l = 0; l < loopBlock_.size(); ++l)
            for (std::size_t i = 0; i < island.blocks.size(); ++i)
                if (island.blocks[i] == loopBlock_[l])
                    for (int r = 0; r < blocks_[loopBlock_[l]].rows; ++r)
                        terms.loopForces[l][r] += right_[island.at[i] + r];
    }
}

void StepBlocks::addStart(const StateChange& start, TreeVectors& right) const
{
    for (const Block& block : blocks_) {
        if (!block.hasStart) continue;
        for (int s = 0; s < 2; ++s)
            for (int t = 0; t < 2; ++t)
                if (block.body[s] >= 0 && block.body[t] >= 0)
                    right.body[block.body[s]] -=
                        block.wrenchByStart[s][t] * Vec6(start.bodies[block.body[t]].head<6>());
    }
}

void StepBlocks::addStartWeights(const TreeVectors& weights, StateChange& start) const
{
    for (const Block& block : blocks_) {
        if (!block.hasStart) continue;
        for (int s = 0; s < 2; ++s)
            for (int t = 0; t < 2; ++t)
                if (block.body[s] >= 0 && block.body[t] >= 0)
                    start.bodies[block.body[t]].head<6>() -=
                        block.wrenchByStart[s][t].transpose() * weights.body[block.body[s]];
    }
}

}  // namespace sinew::stepping
