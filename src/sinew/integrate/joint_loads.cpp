#include "sinew/integrate/joint_loads.h"

#include <algorithm>
#include <cmath>

#include "sinew/force/laws/controllers.h"
#include "sinew/force/laws/dry_friction.h"
#include "sinew/force/laws/springs.h"
#include "sinew/math/swing_twist.h"

namespace sinew {
namespace {

Vec3 velocityOf(const Joint& joint, const VecX& u)
{
    Vec3 v = Vec3::Zero();
    for (int i = 0; i < joint.freedoms(); ++i) v[i] = u[joint.u + i];
    return v;
}

Vec3 lawOfFriction(const Model& model, const Joint& joint, const Vec3& u)
{
    if (!(joint.coulomb > 0)) return Vec3::Zero();
    return -joint.coulomb / drySpeed(model, joint, u) * u;
}

// Whether dry friction would stop a joint well within the step, going by what the child alone weighs.
bool stopsSoon(const Model& model, int link, const Vec3& u, double h)
{
    const Joint& joint = model.joints[link];
    const Body& body = model.bodies[link];
    double inertia = joint.armature + body.mass;
    if (!joint.keepsOrientation() && body.mass > 0)
        inertia =
            joint.armature + body.mass * joint.anchorChild.squaredNorm() + 3 / body.inverseInertia.trace();
    const double speed = u.norm();
    constexpr double soon = 0.1;  // of the step
    return speed > 10 * drySpeed(model, joint, Vec3::Zero()) && soon * joint.coulomb * h > inertia * speed;
}

bool hasLimitedDrive(const Model& model, const Joint& joint)
{
    if (joint.drives < 0) return false;
    const std::vector<Controller>& controllers = model.drives[joint.drives].controllers;
    return std::any_of(controllers.begin(), controllers.end(),
                       [](const Controller& controller) { return std::isfinite(controller.limit); });
}

bool hasLoad(const Model& model, const Joint& joint)
{
    return joint.limitStiffness > 0 || joint.coulomb > 0 || hasLimitedDrive(model, joint);
}

Vec3 shortened(const Vec3& force, double most)
{
    const double size = force.norm();
    return size > most ? Vec3(most / size * force) : force;
}

// (force xᵀ + x forceᵀ) / 2 s²
Mat3 bent(const Vec3& force, const Vec3& x, double s)
{
    return 0.5 / (s * s) * (force * x.transpose() + x * force.transpose());
}

}  // namespace

void JointLoads::begin(const Model& model, const State& state, double h, const std::vector<double>& parts)
{
    loads_.clear();
    rows_.clear();
    drives_.clear();
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        if (!hasLoad(model, joint)) continue;
        if (loads_.empty()) {
            loadOf_.assign(model.joints.size(), -1);
            difference_.setZero(model.freedomCount);
        }
        const double own = h * parts[static_cast<std::size_t>(model.skeletonOf[i])];
        Load load;
        load.link = i;
        load.friction = lawOfFriction(model, joint, velocityOf(joint, state.u));
        load.firstRow = static_cast<int>(rows_.size());
        Row row;
        row.u = joint.u;
        row.freedoms = joint.freedoms();
        row.h2 = own * own;
        if (joint.limitStiffness > 0) {
            LimitReach limits[mostLimits];
            const int count = findLimits(joint, state.q.data() + joint.q, limits);
            for (int k = 0; k < count; ++k) {
                row.stiffness = limits[k].stiffness;
                rows_.push_back(row);
            }
        }
        load.endRow = static_cast<int>(rows_.size());
        placeRows(model, state, load);
        load.firstDrive = static_cast<int>(drives_.size());
        if (hasLimitedDrive(model, joint) && model.isActive(i, state.time))
            for (const Controller& controller : model.drives[joint.drives].controllers) {
                if (!std::isfinite(controller.limit)) continue;
                drives_.emplace_back().controller = &controller;
            }
        load.endDrive = static_cast<int>(drives_.size());
        placeDrives(model, state, load);
        for (Drive& drive : drivesOf(load))
            drive.load = shortened(drive.pull.force, drive.controller->limit);
        loadOf_[static_cast<std::size_t>(i)] = static_cast<int>(loads_.size());
        loads_.push_back(load);
    }
    for (Row& row : rows_) {
        row.load = row.law();
        row.bears = row.beyond > 0;
    }
}

void JointLoads::guessFriction(const Model& model, const State& state, double h,
                               const std::vector<double>& parts)
{
    for (Load& load : loads_) {
        const double own = h * parts[static_cast<std::size_t>(model.skeletonOf[load.link])];
        const Vec3 u = velocityOf(model.joints[load.link], state.u);
        if (stopsSoon(model, load.link, u, own)) load.friction.setZero();
    }
}

void JointLoads::placeRows(const Model& model, const State& state, const Load& load)
{
    if (load.firstRow == load.endRow) return;
    const Joint& joint = model.joints[load.link];
    LimitReach limits[mostLimits];
    findLimits(joint, state.q.data() + joint.q, limits);
    for (int r = load.firstRow; r < load.endRow; ++r) {
        rows_[static_cast<std::size_t>(r)].beyond = limits[r - load.firstRow].beyond;
        rows_[static_cast<std::size_t>(r)].grows = limits[r - load.firstRow].grows;
    }
}

void JointLoads::placeDrives(const Model& model, const State& state, const Load& load)
{
    const Joint& joint = model.joints[load.link];
    for (Drive& drive : drivesOf(load))
        drive.pull = unlimitedForce(*drive.controller, joint, state.q.data() + joint.q,
                                    state.u.data() + joint.u, state.time);
}

void JointLoads::evaluate(const Model& model, const State& state)
{
    for (const Load& load : loads_) {
        const Joint& joint = model.joints[load.link];
        placeRows(model, state, load);
        placeDrives(model, state, load);
        Vec3 more = load.friction - lawOfFriction(model, joint, velocityOf(joint, state.u));
        for (int r = load.firstRow; r < load.endRow; ++r) {
            const Row& row = rows_[static_cast<std::size_t>(r)];
            more -= (row.load - row.law()) * row.grows;
        }
        for (const Drive& drive : drivesOf(load))
            more += drive.load - shortened(drive.pull.force, drive.controller->limit);
        for (int i = 0; i < joint.freedoms(); ++i) difference_[joint.u + i] = more[i];
    }
}

void JointLoads::addTangent(const Model& model, const State& state, int link, JointTangent& tangent)
{
    const int index = loadOf_[static_cast<std::size_t>(link)];
    if (index < 0) return;
    Load& load = loads_[static_cast<std::size_t>(index)];
    const Joint& joint = model.joints[link];
    if (joint.isBall() && load.firstRow < load.endRow) {
        double loads[mostLimits] = {};
        for (int r = load.firstRow; r < load.endRow; ++r)
            loads[r - load.firstRow] = rows_[static_cast<std::size_t>(r)].load;
        tangent.stiffness += limitCurvature(joint, state.q.data() + joint.q, loads);
    }
    for (Drive& drive : drivesOf(load)) {
        const double size = drive.pull.force.norm(), most = drive.controller->limit;
        drive.share.setIdentity();
        if (!(size > most)) continue;
        const Vec3 y = -drive.pull.force;
        drive.share = most / size * Mat3::Identity() + bent(drive.load, y, size);
        const Mat3 more = bent(drive.load - shortened(drive.pull.force, most), y, size);
        tangent.stiffness += more * drive.pull.stiffness;
        tangent.damping += more * drive.pull.damping;
    }
    if (!(joint.coulomb > 0)) return;
    const Vec3 u = velocityOf(joint, state.u);
    const double s = drySpeed(model, joint, u);
    load.lawFriction = lawOfFriction(model, joint, u);
    load.damping = joint.coulomb / s * Mat3::Identity() + bent(load.friction, u, s);
    tangent.damping += bent(load.friction - load.lawFriction, u, s);
}

Mat3 JointLoads::bearingStiffness(int link) const
{
    Mat3 stiffness = Mat3::Zero();
    const int index = loadOf_[static_cast<std::size_t>(link)];
    if (index < 0) return stiffness;
    const Load& load = loads_[static_cast<std::size_t>(index)];
    for (int r = load.firstRow; r < load.endRow; ++r) {
        const Row& row = rows_[static_cast<std::size_t>(r)];
        if (row.bears) stiffness += row.h2 * row.stiffness * row.grows * row.grows.transpose();
    }
    return stiffness;
}

Vec3 JointLoads::bearingChange(int link) const
{
    Vec3 change = Vec3::Zero();
    const Load& load = loads_[static_cast<std::size_t>(loadOf_[static_cast<std::size_t>(link)])];
    for (int r = load.firstRow; r < load.endRow; ++r)
        change += rows_[static_cast<std::size_t>(r)].change() * rows_[static_cast<std::size_t>(r)].grows;
    return change;
}

void JointLoads::addToRightHandSide(VecX& right) const
{
    for (const Row& row : rows_) {
        const double push = row.change();
        if (push == 0) continue;
        for (int i = 0; i < row.freedoms; ++i) right[row.u + i] += push * row.grows[i];
    }
}

void JointLoads::beginRounds()
{
    isFirstRound_ = true;
}

// Limits bear that the joints will be beyond. True if that is as it was.
bool JointLoads::choose(const VecX& delta)
{
    bool same = true;
    for (Row& row : rows_) {
        const bool bears = row.beyond + row.along(delta) > 0;
        same &= bears == row.bears;
        row.bears = bears;
    }
    return same;
}

bool JointLoads::bearsAsChosen(const VecX& delta) const
{
    return std::all_of(rows_.begin(), rows_.end(),
                       [&](const Row& row) { return row.bears == (row.beyond + row.along(delta) > 0); });
}

bool JointLoads::finishRound(const VecX& next, VecX& delta)
{
    const auto bearing = [&](const Row& row) {
        return row.bears ? row.h2 * row.stiffness * (row.beyond + row.along(next)) : 0.;
    };
    if (isFirstRound_) {
        isFirstRound_ = false;
        for (Row& row : rows_) row.bearing = bearing(row);
        delta = next;
        return choose(delta);
    }
    const auto slope = [&](double t) {
        double sum = 0;
        for (const Row& row : rows_) {
            const double before = row.along(delta), d = row.along(next) - before;
            const double then = row.beyond + before + t * d;
            const double law = then > 0 ? row.h2 * row.stiffness * then : 0;
            sum += d * (law - (1 - t) * row.bearing - t * bearing(row));
        }
        return sum;
    };
    double length = 1;
    if (slope(1) > 0 && slope(0) < 0) {
        constexpr int bisections = 30;
        double low = 0;
        for (int i = 0; i < bisections; ++i) {
            const double middle = 0.5 * (low + length);
            (slope(middle) > 0 ? length : low) = middle;
        }
    }
    for (Row& row : rows_) row.bearing += length * (bearing(row) - row.bearing);
    delta += length * (next - delta);
    const bool same = choose(delta);
    return same && length == 1;
}

void JointLoads::predict(const Model& model, const State& state, const VecX& correction)
{
    for (Row& row : rows_) {
        row.oldLoad = row.load;
        row.newLoad = row.stiffness * std::max(0., row.beyond + row.along(correction));
    }
    for (Load& load : loads_) {
        load.oldFriction = load.friction;
        load.oldVelocity = velocityOf(model.joints[load.link], state.u);
    }
    for (Drive& drive : drives_) {
        drive.oldLoad = drive.load;
        drive.oldPull = drive.pull;
    }
}

void JointLoads::accept(const Model& model, double length, const State& state)
{
    for (Row& row : rows_) row.load = row.oldLoad + length * (row.newLoad - row.oldLoad);
    for (Load& load : loads_) {
        const Joint& joint = model.joints[load.link];
        placeDrives(model, state, load);
        for (Drive& drive : drivesOf(load)) {
            const double most = drive.controller->limit;
            const Vec3 law = shortened(drive.oldPull.force, most);
            drive.load = shortened(drive.oldLoad + length * (law - drive.oldLoad) +
                                       drive.share * (drive.pull.force - drive.oldPull.force),
                                   most);
        }
        if (!(joint.coulomb > 0)) continue;
        load.friction = shortened(load.oldFriction + length * (load.lawFriction - load.oldFriction) -
                                      load.damping * (velocityOf(joint, state.u) - load.oldVelocity),
                                  joint.coulomb);
    }
}

}  // namespace sinew
