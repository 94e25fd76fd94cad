#include "sinew/optimize/motion_problem.h"

#include <algorithm>
#include <cmath>

#include "sinew/dynamics/inverse.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// Slopes of one row by the motion of a point of a body.
struct PointSlopes {
    LargeVector<BodyChange> weights;

    PointSlopes(const Model& model) { weights.resize(model.bodies.size()); }

    void byPlace(int body, const Vec3& arm, const Vec3& direction)
    {
        weights[body].place = {direction, arm.cross(direction)};
    }
    // Of ṗ = v + ω × r, which also turns with r.
    void byVelocity(int body, const Vec3& arm, const Vec3& spin, const Vec3& direction)
    {
        weights[body].velocity = {direction, arm.cross(direction)};
        weights[body].place = {Vec3::Zero(), arm.cross(direction.cross(spin))};
    }
};

void addTangentRows(const Joint& joint, const double* from, const double* to, RowKind kind, int name,
                    double factor, double length, MotionRows& rows)
{
    const int plain = joint.info().plain();
    for (int k = 0; k < plain; ++k) {
        const double unit = k < joint.slides() ? length : 1;
        const int row = rows.add(kind, name, to[k] - from[k], factor / unit);
        if (rows.derivatives()) rows.slope(row)[joint.u + k] = 1;
    }
    if (!joint.info().hasRotation) return;
    const double *a = from + plain, *b = to + plain;
    const Vec3 phi = logRotation(Quat(a[3], a[0], a[1], a[2]).conjugate() * Quat(b[3], b[0], b[1], b[2]));
    const Mat3 slope = rightJacobianInverse(phi);
    for (int k = 0; k < 3; ++k) {
        const int row = rows.add(kind, name, phi[k], factor);
        if (!rows.derivatives()) continue;
        for (int c = 0; c < 3; ++c) rows.slope(row)[joint.u + plain + c] = slope(k, c);
    }
}

}  // namespace

void MotionMoment::addRow(RowKind kind, int name, double value, double scale,
                          const LargeVector<BodyChange>& weights, MotionRows& rows) const
{
    const int row = rows.add(kind, name, value, scale);
    if (sum && static_cast<std::size_t>(row) < sum->factors.size()) {
        const double factor = sum->factors[static_cast<std::size_t>(row)];
        for (std::size_t i = 0; factor != 0 && i < weights.size(); ++i) {
            sum->weights[i].place = sum->weights[i].place + weights[i].place * factor;
            sum->weights[i].velocity = sum->weights[i].velocity + weights[i].velocity * factor;
            sum->weights[i].acceleration = sum->weights[i].acceleration + weights[i].acceleration * factor;
        }
    }
    if (!rows.derivatives()) return;
    VecX dq, du, da;
    adjointOfBodies(model, at, weights, dq, du, da);
    double* slope = rows.slope(row);
    const int n = model.freedomCount;
    for (int k = 0; k < n; ++k) {
        slope[k] = dq[k];
        slope[n + k] = du[k];
        slope[2 * n + k] = da[k];
    }
}

MotionCondition jointIsAt(const Model& model, int link, const double* q, double time)
{
    MotionCondition condition;
    condition.time = time;
    std::vector<double> wanted(q, q + model.joints[link].coordinates());
    const double length = model.skeletons[model.skeletonOf[link]].length;
    condition.addRows = [link, wanted, length](const MotionMoment& moment, RowKind kind, int name,
                                               double factor, MotionRows& rows) {
        const Joint& joint = moment.model.joints[link];
        addTangentRows(joint, wanted.data(), moment.state.q.data() + joint.q, kind, name, factor, length,
                       rows);
    };
    return condition;
}

MotionCondition jointMoves(const Model& model, int link, const double* u, double time, double duration)
{
    MotionCondition condition;
    condition.time = time;
    std::vector<double> wanted(u, u + model.joints[link].freedoms());
    condition.addRows = [link, wanted, duration](const MotionMoment& moment, RowKind kind, int name,
                                                 double factor, MotionRows& rows) {
        const Joint& joint = moment.model.joints[link];
        for (int k = 0; k < joint.freedoms(); ++k) {
            const double unit = moment.model.freedomUnits[joint.u + k];
            const int row =
                rows.add(kind, name, moment.state.u[joint.u + k] - wanted[k], factor * duration / unit);
            if (rows.derivatives()) rows.slope(row)[moment.model.freedomCount + joint.u + k] = 1;
        }
    };
    return condition;
}

namespace {

// One after the other.
MotionCondition all(std::vector<MotionCondition> parts, double time)
{
    MotionCondition condition;
    condition.time = time;
    condition.addRows = [parts](const MotionMoment& moment, RowKind kind, int name, double factor,
                                MotionRows& rows) {
        for (const MotionCondition& part : parts) part.addRows(moment, kind, name, factor, rows);
    };
    return condition;
}

}  // namespace

MotionCondition poseIs(const Model& model, const VecX& q, double time)
{
    std::vector<MotionCondition> parts;
    for (int i = 0; i < model.size(); ++i)
        parts.push_back(jointIsAt(model, i, q.data() + model.joints[i].q, time));
    return all(std::move(parts), time);
}

MotionCondition velocityIs(const Model& model, const VecX& u, double time, double duration)
{
    std::vector<MotionCondition> parts;
    for (int i = 0; i < model.size(); ++i)
        parts.push_back(jointMoves(model, i, u.data() + model.joints[i].u, time, duration));
    return all(std::move(parts), time);
}

MotionCondition pointIsAt(const Model&, int body, const Vec3& point, const Vec3& place, double time,
                          double length)
{
    MotionCondition condition;
    condition.time = time;
    condition.addRows = [=](const MotionMoment& moment, RowKind kind, int name, double factor,
                            MotionRows& rows) {
        const BodyState& b = moment.state.bodies[body];
        const Vec3 arm = b.orientation * point, off = b.position + arm - place;
        for (int k = 0; k < 3; ++k) {
            PointSlopes slopes(moment.model);
            slopes.byPlace(body, arm, Vec3::Unit(k));
            moment.addRow(kind, name, off[k], factor / length, slopes.weights, rows);
        }
    };
    return condition;
}

MotionCondition pointMoves(const Model&, int body, const Vec3& point, const Vec3& velocity, double time,
                           double length, double duration)
{
    MotionCondition condition;
    condition.time = time;
    condition.addRows = [=](const MotionMoment& moment, RowKind kind, int name, double factor,
                            MotionRows& rows) {
        const BodyState& b = moment.state.bodies[body];
        const Vec3 arm = b.orientation * point, spin = b.angularVelocityWorld();
        const Vec3 off = b.velocity + spin.cross(arm) - velocity;
        for (int k = 0; k < 3; ++k) {
            PointSlopes slopes(moment.model);
            slopes.byVelocity(body, arm, spin, Vec3::Unit(k));
            moment.addRow(kind, name, off[k], factor * duration / length, slopes.weights, rows);
        }
    };
    return condition;
}

MotionCondition bodyIsTurned(const Model&, int body, const Quat& orientation, double time)
{
    MotionCondition condition;
    condition.time = time;
    condition.addRows = [=](const MotionMoment& moment, RowKind kind, int name, double factor,
                            MotionRows& rows) {
        const Vec3 phi = logRotation(moment.state.bodies[body].orientation * orientation.conjugate());
        const Mat3 slope = leftJacobianInverse(phi);
        for (int k = 0; k < 3; ++k) {
            LargeVector<BodyChange> weights(moment.model.bodies.size());
            weights[body].place.angular = slope.row(k).transpose();
            moment.addRow(kind, name, phi[k], factor, weights, rows);
        }
    };
    return condition;
}

void MotionProblem::setUnits()
{
    length = 0;
    for (const Skeleton& skeleton : model->skeletons) {
        double sum = 0;
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i)
            sum += model->joints[i].anchorChild.norm() + model->joints[i].anchorParent.norm();
        length = std::max({length, sum, skeleton.length});
    }
    if (!(length > 0)) length = 1;
    acceleration = std::max(model->gravity.norm(), length / (duration * duration));
    force = model->mass() * acceleration * length;
    if (!(force > 0)) force = 1;
    units.assign(static_cast<std::size_t>(model->freedomCount), 1);
    for (const Joint& joint : model->joints)
        for (int k = 0; k < joint.slides(); ++k) units[static_cast<std::size_t>(joint.u + k)] = length;
    // The diagonal of the mass matrix in the pose of the start.
    State still = base;
    if (still.bodies.empty()) still = restState(*model);
    still.u = VecX::Zero(model->freedomCount);
    Forces none;
    none.setZero(*model);
    Work work;
    VecX unit = still.u, loads, more;
    inverseDynamics(*model, still, none.body, unit, work, loads);
    ownForces.resize(static_cast<std::size_t>(model->freedomCount));
    for (int k = 0; k < model->freedomCount; ++k) {
        unit[k] = 1;
        inverseDynamics(*model, still, none.body, unit, work, more);
        unit[k] = 0;
        ownForces[static_cast<std::size_t>(k)] = (more[k] - loads[k]) * unitOf(k) / length * acceleration;
    }
}

std::vector<std::string> MotionProblem::names() const
{
    std::vector<std::string> names = {"the equations of motion", "the limits of forces",
                                      "the limits of joints", "the cost"};
    for (const ContactPhase& phase : phases) names.push_back("contact '" + phase.name + "'");
    for (const Clearance& clearance : clearances) names.push_back("clearance '" + clearance.name + "'");
    for (const MotionCondition& condition : conditions) names.push_back("wish '" + condition.name + "'");
    return names;
}

}  // namespace sinew
