// Newton's matrix of the equations in joint coordinates (integrate/implicit.h), into the links.
#include <algorithm>

#include "sinew/integrate/joint_equations.h"
#include "sinew/math/positive_part.h"
#include "sinew/math/rotation.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/model/skeleton_parts.h"
#include "sinew/recursion/turning_rate.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

Mat3 positivePart(const Mat3& m)
{
    const SymmetricEigen3 eigen(0.5 * (m + m.transpose()));
    const Vec3 kept = eigen.eigenvalues().cwiseMax(0);
    return eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().transpose();
}

// Of the symmetric part, by its leading minors.
bool isPositive(const Mat3& m)
{
    const Mat3 s = 0.5 * (m + m.transpose());
    return s(0, 0) > 0 && s(0, 0) * s(1, 1) > s(0, 1) * s(1, 0) && s.determinant() > 0;
}

// The symmetric part, changed only where it has to be.
Mat3 positivePartIfNegative(const Mat3& m)
{
    const Mat3 symmetric = 0.5 * (m + m.transpose());
    if (m.isZero(0) || isPositive(m)) return symmetric;
    return nearPositivePart(symmetric);
}

// ρ~ F~ = F ρᵀ − (F·ρ) 1: how the torque ρ × F of a force fixed in the world, seen from the body,
// changes as the body turns.
Matrix3<double> lever(const Vector3<double>& rho, const Vector3<double>& F)
{
    return product(F, rho) - diagonal3(dot(F, rho));
}

// The same in all axes.
bool isScalar(const Mat3& m)
{
    return m == m(0, 0) * Mat3::Identity();
}

void readBlock(const Matrix3<double>& B, double (&block)[3][3])
{
    for (int k = 0; k < 3; ++k) recursion::writeVector(rowOf(B, k), block[k]);
}

}  // namespace

// How the forces between bodies stand in the matrix.
void JointEquations::setPairRows()
{
    PairWork& pairs = work_.joint.pairs;
    if (pairs.tangents.empty()) return pairs.rows.clear();
    pairs.rates.resize(model_.bodies.size());
    for (int i = 0; i < model_.size(); ++i)  // R ω' changes with ω', and with R
        pairs.rates[i] = {h(i), large(turns_[i].rate - crossMatrix(h(i) * turns_[i].w))};
    for (const PairTangent& tangent : pairs.tangents)
        for (int side = 0; side < 2; ++side) {
            const int body = tangent.body[side];
            if (body < 0) continue;
            links_[body].J +=
                small(Mat3(length(body).square * tangent.own[side].bottomRightCorner<3, 3>()));
        }
    pairs.rows.set(model_, links_, work_.implicit.trial.bodies, pairs.tangents, pairs.rates);
}

void JointEquations::assemble(bool clamped)
{
    // A spring that is pressed is of negative stiffness across its line.
    if (!work_.joint.pairs.tangents.empty())
        work_.joint.pairs.evaluate(model_, work_.implicit.trial, clamped);
    // Outward, so that a parent's inertia is set before a joint adds to it.
    eachSkeletonPart(model_, [&](int first, int end) {
        for (int i = first; i < end; ++i) {
            setInertia(i);
            addJoint(i, clamped);
        }
    });
    addBodyTangents();
    setPairRows();
    if (constraints_) constraints_->addTangents(work_.implicit.trial, links_);
    if (clamped) {
        for (int i = 0; i < model_.size(); ++i) {
            links_[i].C = links_[i].V = diagonal3(0.);
            clampTurning(i);
            clampJoint(i);
        }
    } else if (constraints_) {
        clampOverloaded();
    }
    addBearingLimits();
}

// Raises the turning block to at least the body's own inertia, as it spins.
void JointEquations::clampTurning(int i)
{
    ArticulatedLink& link = links_[i];
    const double mass = model_.bodies[i].mass;
    const Matrix own =
        turningInertia(i) + diagonal3(mass * dot(link.c, link.c)) - product(mass * link.c, link.c);
    const Mat3 more = large(link.J - own);
    link.J = own + small(clampsWhereNegative_ ? positivePartIfNegative(more) : positivePart(more));
}

// A light body that carries a heavy one would be turned over by it if the forces at its corners stayed as
// they are. They do not: they are unknowns of the constraints, whose solvers want an inertia that is
// positive.
void JointEquations::clampOverloaded()
{
    for (int i = 0; i < model_.size(); ++i)
        if (model_.skeletons[model_.skeletonOf[i]].count == 1 && !isPositive(large(links_[i].J)))
            clampTurning(i);
}

// A spring that turns a ball joint, such as that of its limit, is of negative stiffness across its
// pull.
void JointEquations::clampJoint(int i)
{
    if (!links_[i].hasBlocks) return;
    const Mat3 B = large(links_[i].B);
    links_[i].B = small(clampsWhereNegative_ ? positivePartIfNegative(B) : positivePart(B));
}

void JointEquations::addBearingLimits()
{
    if (!loads_.hasLimits()) return;
    for (int i = 0; i < model_.size(); ++i)
        if (links_[i].hasBlocks) addJointBlock(small(loads_.bearingStiffness(i)), links_[i]);
}

// That of starred_spin.h, in world axes. Not symmetric (integrate/implicit.h).
Matrix3<double> JointEquations::turningInertia(int i) const
{
    const StarredSpin& star = work_.implicit.spins[i];
    const LinkTurn& turn = turns_[i];
    const Vector started = h(i) * small(star.momentum);
    const Symmetric3<double> I = turned(links_[i].R, smallSymmetric(model_.bodies[i].inertia));
    Matrix turning = full(I) * turn.rate - crossMatrix(started);
    if (star.axis.isZero(0)) return turning;
    // zᵀ (ω~I − (Iω)~) and zᵀ L*~ as rows.
    const Vector axis = links_[i].R * small(star.axis);
    const Vector gyroscopic = I * cross(axis, turn.w) - cross(axis, I * turn.w);
    turning += product(axis, h(i) * transposeTimes(turn.rate, gyroscopic) + cross(axis, started));
    return turning;
}

void JointEquations::setInertia(int i)
{
    const Vector spin = links_[i].R * small(work_.implicit.spins[i].spin);
    turns_[i].rate = recursion::turningRate(h(i) * (turns_[i].w - spin));
    Matrix turning = turningInertia(i);
    // A torque that stays as it is in the world turns in body axes.
    Vec3 torque = constraints_ ? work_.joint.torque[i] : work_.forces.body[i].torque;
    if (!work_.joint.pairs.tangents.empty()) torque -= work_.joint.pairs.excess[i].torque;
    if (!torque.isZero(0)) turning -= crossMatrix(length(i).square * small(torque));
    links_[i].setInertia(model_.bodies[i].mass, turning);
}

// Constant loads, obstacles and targets.
void JointEquations::addBodyTangents()
{
    bodyForceTangents(model_, work_.implicit.trial, work_.forces, work_.implicit.tangents);
    for (const BodyTangent& tangent : work_.implicit.tangents) {
        const double h1 = h(tangent.body);
        const LinkTurn& turn = turns_[tangent.body];
        Mat6 damping = tangent.damping;
        // R ω' changes with ω', and with R.
        damping.rightCols<3>() *= large(turn.rate - crossMatrix(h1 * turn.w));
        const Mat6 all = h1 * h1 * tangent.stiffness + h1 * damping;
        const auto block = [&all](int r, int c) { return small(Mat3(all.block<3, 3>(3 * r, 3 * c))); };
        links_[tangent.body].add(block(0, 0), block(0, 1), block(1, 0), block(1, 1));
    }
}

// What a joint carries as the equations of the joints have it: without the weight w that gravity
// compensation bears, because the joints bear it in any pose.
JointLoad JointEquations::liftedLoad(int i) const
{
    const Force& weight = work_.forces.weights[i];
    const Vector f = small(weight.force), n = small(weight.torque) + cross(links_[i].c, f);
    const JointLoad& load = loadOf(i);
    return {load.force - f, load.torque - n};
}

// Geometric stiffness of the joint's force on both bodies, springs and dampers, and the coupling.
void JointEquations::addJoint(int i, bool clamped)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    if (link.kind == LinkKind::free) return;
    link.hasBlocks = true;
    const double h2 = length(i).square;
    const JointLoad load = model_.gravityCompensation > 0 ? liftedLoad(i) : loadOf(i);
    const Vector F = h2 * load.force, N = h2 * (load.torque - excess_[i]);
    link.J += lever(link.c, F);
    if (link.parent >= 0) {
        ArticulatedLink& parent = links_[link.parent];
        parent.J += lever(link.l - parent.c, F);
    }
    addTangent(i);
    if (link.kind == LinkKind::ball) {
        link.C = crossMatrix(-N);
        return;
    }
    link.C = diagonal3(0.);
    for (int k = 0; k < link.freedoms; ++k) rowOf(link.C, k) = cross(link.angular[k], N);
    if (!joint.keepsPoint()) addSliding(i, F, clamped);
    if (clamped || joint.info().plain() < 2) return;
    double B[3][3];
    readBlock(link.B, B);
    for (int k = 0; k < link.freedoms; ++k)
        for (int j = 0; j < link.freedoms; ++j)
            if (joint.isBefore(k, j))  // and so turned by it
                B[k][j] += dot(N, cross(link.angular[k], link.angular[j]));
    link.B = recursion::matrixFrom(B);
}

// Springs, dampers, drives and armature.
void JointEquations::addTangent(int i)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    link.B = link.V = diagonal3(0.);
    if (link.freedoms == 0) return;
    const bool hasLoads = !loads_.empty();
    if (!mayHaveForces(model_, i) && work_.forces.outside.joints.empty() && joint.armature == 0) return;
    JointTangent tangent;
    jointForceTangent(model_, work_.implicit.trial, i, tangent, !hasLoads);
    work_.forces.outside.addTo(i, tangent);
    if (hasLoads) loads_.addTangent(model_, work_.implicit.trial, i, tangent);
    if (!tangent.stiffness.isZero(0)) addJointBlock(length(i).square * small(tangent.stiffness), link);
    const Mat3 damping = h(i) * tangent.damping + joint.armature * Mat3::Identity();
    if (!damping.isZero(0)) addRates(i, damping);
}

// What a force F at O, times h², does to freedoms that move O against the parent.
void JointEquations::addSliding(int i, const Vector& F, bool clamped)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    double B[3][3];
    readBlock(link.B, B);
    for (int k = 0; k < link.freedoms; ++k) {
        const Vector slid = cross(link.linear[k], F);
        rowOf(link.C, k) += slid;
        rowOf(link.V, k) += slid;
        for (int j = 0; j < link.freedoms && !clamped; ++j) {
            B[k][j] += dot(link.angular[j], slid);
            if (joint.isBefore(k, j))
                B[k][j] +=
                    dot(F, cross(link.angular[k], link.linear[j]) + cross(link.linear[k], link.angular[j]));
        }
    }
    link.B = recursion::matrixFrom(B);
}

// What `damping` does to changes of the joint's velocity u', which is the difference of two discrete
// velocities and changes with the own freedoms δ and with the turn θ of the parent. With J the turning rate
// h ∂ω'/∂θ' of child and parent, ρ and ν the child's offset and relative velocity:
//     turning   h ∂u' = Sᵀ ((J − h ω_p~) S δ + (J − J_p) θ)
//     sliding   h ∂u' = δ + sᵀ (ρ~ (J_p − 1) + h (ν + ω_p × ρ)~) θ
// and where a joint does both, u' is a linear function, which may itself change with q, of
//     h ∂ν = (1 − h ω_p~) S_v δ + h ν~ S_ω δ + (ρ~ (J_p − 1) + h (ν + ω_p × ρ)~) θ
//     h ∂ω = (J − h ω_p~) S_ω δ + (J − J_p) θ
void JointEquations::addRates(int i, const Mat3& damping)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    if (!joint.keepsPoint() && !joint.keepsOrientation()) return addGeneralRates(i, damping);
    if (joint.keepsOrientation()) return addSlideRates(i, damping(0, 0));
    const bool hasParent = link.parent >= 0;
    const Vector wp = hasParent ? turns_[link.parent].w : Vector::zero();
    Matrix own = turns_[i].rate, across = own;
    if (hasParent) {
        own -= crossMatrix(h(i) * wp);
        across -= turns_[link.parent].rate;
    }
    if (link.kind == LinkKind::ball) {
        if (isScalar(damping)) {
            link.B += damping(0, 0) * own;
            if (hasParent) link.V += damping(0, 0) * across;
            return;
        }
        const Matrix D = timesTranspose(link.R * small(damping), link.R);
        link.B += D * own;
        if (hasParent) link.V += D * across;
        return;
    }
    if (link.kind == LinkKind::hinge) {
        const Vector z = link.angular[0];
        link.B.r0.x += damping(0, 0) * dot(z, own * z);
        if (hasParent) link.V.r0 += damping(0, 0) * transposeTimes(across, z);
        return;
    }
    double rate[3][3] = {};
    Matrix rows = diagonal3(0.);
    for (int k = 0; k < link.freedoms; ++k) {
        for (int j = 0; j < link.freedoms; ++j) rate[k][j] = dot(link.angular[k], own * link.angular[j]);
        rowOf(rows, k) = transposeTimes(across, link.angular[k]);
    }
    if (link.freedoms == 2)  // the first axis turns about the second
        rate[0][1] += h(i) * dot(cross(link.angular[0], link.angular[1]), turns_[i].w - wp);
    link.B += small(damping) * recursion::matrixFrom(rate);
    if (hasParent) link.V += small(damping) * rows;
}

void JointEquations::addSlideRates(int i, double damping)
{
    ArticulatedLink& link = links_[i];
    link.B.r0.x += damping;
    if (link.parent < 0) return;
    link.V.r0 += damping * transposeTimes(motionOfOffset(i), link.linear[0]);
}

// ρ~ (J_p − 1) + h (ν + ω_p × ρ)~, which is h times the velocity of the offset.
Matrix3<double> JointEquations::motionOfOffset(int i) const
{
    const int parent = links_[i].parent;
    const LargeVector<BodyState>& bodies = work_.implicit.trial.bodies;
    const Vector rho = small(Vec3(bodies[i].position - bodies[parent].position));
    const Vector speed = small(Vec3(bodies[i].velocity - bodies[parent].velocity));
    return crossTimes(rho, turns_[parent].rate - diagonal3(1.)) + crossMatrix(h(i) * speed);
}

void JointEquations::addGeneralRates(int i, const Mat3& damping)
{
    ArticulatedLink& link = links_[i];
    const Joint& joint = model_.joints[i];
    const int k = link.freedoms;
    const bool hasParent = link.parent >= 0;
    const Mat3 R = large(link.R), own = large(turns_[i].rate);
    const LargeVector<BodyState>& bodies = work_.implicit.trial.bodies;
    const Vec3 wp = hasParent ? large(turns_[link.parent].w) : Vec3::Zero();
    Motion relative{bodies[i].velocity, large(turns_[i].w) - wp};  // world axes
    if (hasParent)
        relative.linear -=
            bodies[link.parent].velocity + wp.cross(bodies[i].position - bodies[link.parent].position);
    const double* q = work_.implicit.trial.q.data() + joint.q;
    const auto velocities = [&](const double* at, const Motion& motion) {
        Vec3 u = Vec3::Zero();
        const Motion ownAxes{R.transpose() * motion.linear, R.transpose() * motion.angular};
        jointVelocityOf(joint, at, jointTransform(joint, at), ownAxes, u.data());
        return u;
    };
    Mat3 rate = Mat3::Zero();
    for (int j = 0; j < k; ++j) {
        const Vec3 s = large(link.angular[j]), v = large(link.linear[j]) + s.cross(large(link.c));
        const Motion moved{v - h(i) * (wp.cross(v) + s.cross(relative.linear)),
                           own * s - h(i) * wp.cross(s)};
        rate.col(j) = velocities(q, moved);
        if (k == 1) continue;
        // A central difference: sines and products of coordinates, of size one.
        constexpr double step = 1e-5;
        double before[3], after[3];
        for (int c = 0; c < k; ++c) before[c] = after[c] = q[c];
        before[j] -= step;
        after[j] += step;
        rate.col(j) += h(i) / (2 * step) * (velocities(after, relative) - velocities(before, relative));
    }
    link.B += small(Mat3(damping * rate));
    if (!hasParent) return;
    const Mat3 moves = large(motionOfOffset(i)), turns = own - large(turns_[link.parent].rate);
    Mat3 across;
    for (int c = 0; c < 3; ++c) across.col(c) = velocities(q, {moves.col(c), turns.col(c)});
    link.V += small(Mat3(damping * across));
}

}  // namespace sinew
