#include "sinew/posing/pull.h"

#include <algorithm>

#include "sinew/math/rotation.h"
#include "sinew/math/rotation_fit.h"
#include "sinew/state/kinematics.h"

namespace sinew {
namespace {

// Of points off the way from the anchor to the pulled one, on bones that lie on it: enough to settle the
// turn about the way, too little to hold it back.
constexpr double sideWeight = 0.05;
// A straight figure whose goal lies on its own line would never bend: its bones are then bent so far (as a
// part of their length) out of the line.
constexpr double bend = 0.2;
// Sweeps that bring less than this part of the tolerance have no more to give, if so many come in a row.
constexpr double leastGain = 1e-2;
constexpr int patience = 3;

const Skeleton& skeletonOf(const Model& model, int body)
{
    return *std::find_if(model.skeletons.begin(), model.skeletons.end(),
                         [body](const Skeleton& s) { return body < s.first + s.count; });
}

// The other body of a joint; −1: the world.
int across(const Model& model, int joint, int body)
{
    return body == joint ? model.joints[joint].parent : joint;
}

// The one place of a joint, in the axes of either of its bodies and from its centre of mass. Of a
// joint that slides it is another one in its parent as it moves.
Vec3 pointOf(const Model& model, const State& state, int link, int body)
{
    const Joint& joint = model.joints[link];
    if (body == link) return joint.anchorChild;
    if (joint.keepsPoint()) return joint.anchorParent;
    const Transform X = jointTransform(joint, state.q.data() + joint.q);
    return X.r + X.R * joint.anchorChild;
}

Vec3 placeOf(const Model& model, const State& state, int link, int body)
{
    const Vec3 point = pointOf(model, state, link, body);
    if (body < 0) return point;
    return state.bodies[body].position + state.bodies[body].orientation * point;
}

class Sweeps {
public:
    Sweeps(const Model& model, const PullPlan& plan, const Vec3& point, const Vec3& goal, State& state)
        : model_(model), plan_(plan), point_(point), goal_(goal), state_(state)
    {
    }

    double gap() const
    {
        const BodyState& pulled = state_.bodies[plan_.bones.front().body];
        return (pulled.position + pulled.orientation * point_ - goal_).norm();
    }

    // How far the figure is off its anchor.
    double residual() const
    {
        const PullPlan::Bone& bone = plan_.bones[plan_.path.front()];
        return (placeOf(model_, state_, bone.anchorJoint, bone.body) - anchorPlace()).norm();
    }

    // From the pulled point to the last bones. `tilt`: where bones on the way to the anchor are bent to.
    void outward(const Vec3& tilt)
    {
        const PullPlan::Bone& pulled = plan_.bones.front();
        BodyState& body = state_.bodies[pulled.body];
        body.orientation =
            (fit(pulled, -1, point_, goal_, pulled.anchorJoint, tilt).rotation() * body.orientation)
                .normalized();
        body.position = goal_ - body.orientation * point_;
        for (std::size_t i = 1; i < plan_.bones.size(); ++i) {
            const PullPlan::Bone& bone = plan_.bones[i];
            place(bone, bone.joint, bone.anchorJoint, bone.anchorJoint >= 0 ? tilt : Vec3::Zero());
        }
    }

    // From the anchor to the pulled point, and then whatever hangs on that way.
    void inward()
    {
        for (int i : plan_.path) {
            const PullPlan::Bone& bone = plan_.bones[i];
            place(bone, bone.anchorJoint, bone.joint, Vec3::Zero());
        }
        for (const PullPlan::Bone& bone : plan_.bones)
            if (bone.anchorJoint < 0) place(bone, bone.joint, -1, Vec3::Zero());
    }

    // Where bones are to be bent; zero where the goal is out of reach and bending would not help.
    Vec3 tilt() const
    {
        double reach = 0;
        for (int i : plan_.path) {
            const PullPlan::Bone& bone = plan_.bones[i];
            const Vec3 near = bone.joint < 0 ? point_ : pointOf(model_, state_, bone.joint, bone.body);
            reach += (near - pointOf(model_, state_, bone.anchorJoint, bone.body)).norm();
        }
        const Vec3 way = goal_ - anchorPlace();
        const double distance = way.norm();
        if (!(distance < reach)) return Vec3::Zero();
        const Directors sides = directorsAcross(distance > 0 ? Vec3(way / distance) : Vec3::UnitY());
        return bend * (sides.first + sides.second);
    }

private:
    Vec3 anchorPlace() const
    {
        const int joint = plan_.bones[plan_.path.front()].anchorJoint;
        return placeOf(model_, state_, joint, plan_.held);
    }

    // How the bone is to be turned, with `point` of it at `place`. `goalJoint`: what the turn is for,
    // beside which other points count little; −1 if there is none.
    RotationFit fit(const PullPlan::Bone& bone, int nearJoint, const Vec3& point, const Vec3& place,
                    int goalJoint, const Vec3& tilt) const
    {
        const BodyState& body = state_.bodies[bone.body];
        RotationFit fit;
        bool isOpen = true;
        const auto add = [&](const Vec3& local, const Vec3& wanted, double weight) {
            const Vec3 from = body.orientation * (local - point);
            fit.add(from, wanted - place + from.norm() * tilt, weight);
            isOpen = false;
        };
        const bool isLed = nearJoint >= 0 && bone.joint < 0;  // the pulled bone, on the way back
        if (isLed) add(point_, goal_, 1);
        for (int t = bone.ties; t < bone.end; ++t) {
            const int joint = plan_.ties[t];
            if (joint == nearJoint) continue;
            const bool isGoal = joint == goalJoint || (goalJoint < 0 && !isLed);
            add(pointOf(model_, state_, joint, bone.body),
                placeOf(model_, state_, joint, across(model_, joint, bone.body)), isGoal ? 1 : sideWeight);
        }
        if (isOpen) add(Vec3::Zero(), body.position, 1);
        return fit;
    }

    void place(const PullPlan::Bone& bone, int link, int goalJoint, const Vec3& tilt)
    {
        const Joint& joint = model_.joints[link];
        double* q = state_.q.data() + joint.q;
        const Vec3 point = pointOf(model_, state_, link, bone.body);
        const Vec3 place = placeOf(model_, state_, link, across(model_, link, bone.body));
        if (joint.info().isHinge()) {
            put(bone.body, link);
            const Vec3 axis = state_.bodies[link].orientation * joint.axis;
            const double turn = fit(bone, link, point, place, goalJoint, tilt).angleAbout(axis);
            q[0] += bone.body == link ? turn : -turn;
        } else if (joint.keepsPoint() && joint.turns() > 1) {
            BodyState& body = state_.bodies[bone.body];
            const Quat turn = fit(bone, link, point, place, goalJoint, tilt).rotation();
            body.orientation = (turn * body.orientation).normalized();
            jointCoordinatesOf(joint, parentState(model_, state_, link), state_.bodies[link], q,
                               state_.u.data() + joint.u);
        }  // what slides, and welds, keep their pose
        if (joint.limitStiffness > 0 && !joint.isBall())
            for (int i = 0; i < joint.freedoms(); ++i)
                q[i] = std::clamp(q[i], joint.lower[i], joint.upper[i]);
        put(bone.body, link);
    }

    // One body of a joint beside the other, by the joint's coordinates.
    void put(int body, int link)
    {
        if (body == link) return bodyFromJoint(model_, state_, link);
        const Joint& joint = model_.joints[link];
        const Transform X = jointTransform(joint, state_.q.data() + joint.q);
        const BodyState& child = state_.bodies[link];
        BodyState& parent = state_.bodies[body];
        parent.orientation = (child.orientation * Quat(X.R).conjugate()).normalized();
        parent.position = child.position - parent.orientation * X.r;
    }

    const Model& model_;
    const PullPlan& plan_;
    const Vec3 point_, goal_;
    State& state_;
};

void bringToRest(const Model& model, const Skeleton& skeleton, State& state)
{
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        state.bodies[i].velocity.setZero();
        state.bodies[i].angularVelocity.setZero();
        state.u.segment(model.joints[i].u, model.joints[i].freedoms()).setZero();
    }
    // The pose jumps: nothing may look back.
    state.previous.clear();
    state.slow.clear();
    state.contacts.clear();
}

}  // namespace

bool isTiedToWorld(const Model& model, int body)
{
    return !model.joints[skeletonOf(model, body).first].isFree();
}

PullPlan planPull(const Model& model, int body, int held)
{
    SINEW_ASSERT(body >= 0 && body < model.size() && held < model.size() && held != body);
    SINEW_ASSERT(held < 0 || !isTiedToWorld(model, body));
    PullPlan plan;
    const Skeleton& skeleton = skeletonOf(model, body);
    plan.skeleton = static_cast<int>(&skeleton - model.skeletons.data());
    plan.held = held;
    std::vector<std::vector<int>> jointsOf(static_cast<std::size_t>(skeleton.count));
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        const Joint& joint = model.joints[i];
        if (joint.isFree()) continue;
        jointsOf[i - skeleton.first].push_back(i);
        if (joint.parent >= 0) jointsOf[joint.parent - skeleton.first].push_back(i);
    }

    std::vector<int> before{-1};  // the bone before each
    int last = -1;                // the one at the anchor
    plan.bones.push_back({body, -1, -1, 0, 0});
    for (std::size_t i = 0; i < plan.bones.size(); ++i) {
        PullPlan::Bone bone = plan.bones[i];
        bone.ties = static_cast<int>(plan.ties.size());
        for (int joint : jointsOf[bone.body - skeleton.first]) {
            plan.ties.push_back(joint);
            if (joint == bone.joint) continue;
            const int next = across(model, joint, bone.body);
            if (next < 0 || next == held) {
                last = static_cast<int>(i);
                bone.anchorJoint = joint;
            } else {
                plan.bones.push_back({next, joint, -1, 0, 0});
                before.push_back(static_cast<int>(i));
            }
        }
        bone.end = static_cast<int>(plan.ties.size());
        plan.bones[i] = bone;
    }
    for (int i = last; i >= 0; i = before[i]) {
        plan.path.push_back(i);
        if (before[i] >= 0) plan.bones[before[i]].anchorJoint = plan.bones[i].joint;
    }
    return plan;
}

PullReport pull(const Model& model, const PullPlan& plan, const Vec3& point, const Vec3& goal,
                const PullLimits& limits, State& state)
{
    Sweeps sweeps(model, plan, point, goal, state);
    PullReport report;
    report.gap = sweeps.gap();
    report.closed = report.gap <= limits.tolerance;
    if (report.closed || limits.sweeps < 1) return report;

    const Skeleton& skeleton = model.skeletons[plan.skeleton];
    bringToRest(model, skeleton, state);
    Vec3 tilt = Vec3::Zero();
    bool wasBent = false;
    int idle = 0;
    while (!report.closed && report.sweeps < limits.sweeps && idle < patience) {
        const double before = report.gap;
        sweeps.outward(tilt);
        ++report.sweeps;
        if (!plan.path.empty()) {
            report.residual = sweeps.residual();
            sweeps.inward();
        }
        report.gap = sweeps.gap();
        report.closed = report.gap <= limits.tolerance;
        if (plan.path.empty()) break;
        tilt.setZero();
        idle = before - report.gap < leastGain * limits.tolerance ? idle + 1 : 0;
        if (idle == patience && !wasBent) {
            wasBent = true;
            tilt = sweeps.tilt();
            if (!tilt.isZero()) idle = 0;
        }
    }
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        const Joint& joint = model.joints[i];
        if (joint.isFree())
            jointCoordinatesOf(joint, parentState(model, state, i), state.bodies[i],
                               state.q.data() + joint.q, state.u.data() + joint.u);
        bodyFromJoint(model, state, i);
    }
    return report;
}

}  // namespace sinew
