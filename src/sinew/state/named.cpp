#include "sinew/state/named.h"

#include <cmath>
#include <cstdio>

#include "sinew/base/text.h"
#include "sinew/model/check.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"
#include "sinew/state/trajectory.h"

namespace sinew {
namespace {

std::string named(const Joint& joint)
{
    return "joint " + quotedName(joint.name);
}

// Steps that look back must not look across what was set.
void startAfresh(State& state)
{
    state.previous.clear();
    state.jumped.clear();
    state.slow.clear();
    state.quiet.clear();
    state.contacts.clear();
    state.loopImpulses.clear();
}

// Those that follow the joint, and those that follow them.
void leadFollowers(const Model& model, int leader, State& state)
{
    for (const Coupling& coupling : model.couplings) {
        if (coupling.leader != leader) continue;
        const Joint &from = model.joints[leader], &to = model.joints[coupling.follower];
        state.q[to.q] = coupling.ratio * state.q[from.q] + coupling.offset;
        state.u[to.u] = coupling.ratio * state.u[from.u];
        leadFollowers(model, coupling.follower, state);
    }
}

// A loop that opens wider than before, and than what start states may have.
std::optional<Diagnostic> openedLoop(const Model& model, const State& before, const State& after)
{
    constexpr double tolerance = 1e-6;
    for (const LoopJoint& loop : model.loops) {
        if (!loop.holds(after.time)) continue;
        const double gap = loopGap(loop, after);
        if (gap <= tolerance || gap <= loopGap(loop, before)) continue;
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", gap);
        return Diagnostic{"would open the loop that " + named(loop.joint) + " closes by " + text +
                          " m (or rad); set a whole state in which it is closed"};
    }
    return {};
}

std::optional<Diagnostic> set(const Model& model, JointHandle handle, const JointNumbers& numbers,
                              bool isVelocity, State& state)
{
    if (const auto found = findJoint(model, handle); !found) return found.error();
    const Joint& joint = model.joints[handle.link];
    if (joint.isFree())
        return Diagnostic{named(joint) + " is free; set the motion of body " +
                          quotedName(model.bodies[handle.link].name)};
    if (const auto unfit = unfitNumbers(joint, numbers)) return unfit;
    if (isPrescribed(model, state, handle.link))
        return Diagnostic{named(joint) + " follows the motion that the scene prescribes"};
    for (const Coupling& coupling : model.couplings)
        if (coupling.follower == handle.link)
            return Diagnostic{named(joint) + " follows " + named(model.joints[coupling.leader]) +
                              "; set that one"};
    State next = state;
    const JointNumbers position = isVelocity ? jointPosition(model, state, handle) : numbers;
    const JointNumbers velocity = isVelocity ? numbers : jointVelocity(model, state, handle);
    double ignored[7];
    setDescribed(joint, position.values, velocity.values, isVelocity ? ignored : next.q.data() + joint.q,
                 next.u.data() + joint.u);
    leadFollowers(model, handle.link, next);
    bodiesFromJoints(model, next);
    if (const auto torn = openedLoop(model, state, next)) return torn;
    startAfresh(next);
    state = std::move(next);
    return {};
}

// A body that is cut stands in parts, of which the first has the name.
int wholeOf(const Model& model, int body)
{
    return body >= 0 && model.bodies[body].cutFrom >= 0 ? model.bodies[body].cutFrom : body;
}

}  // namespace

Result<JointHandle> findJoint(const Model& model, const JointRef& joint)
{
    if (!joint.isNamed) {
        if (joint.handle.link >= 0 && joint.handle.link < model.size()) return joint.handle;
        return Diagnostic{"the handle is of no joint of this scene"};
    }
    const int link = model.findJoint(joint.name);
    if (link >= 0) return JointHandle{link};
    for (const LoopJoint& loop : model.loops)
        if (loop.joint.name == joint.name)
            return Diagnostic{named(loop.joint) + " closes a loop; it has no coordinates of its own"};
    return Diagnostic{"there is no joint " + quotedName(joint.name)};
}

Result<BodyHandle> findBody(const Model& model, const BodyRef& body)
{
    if (!body.isNamed) {
        if (body.handle.link >= 0 && body.handle.link < model.size()) return body.handle;
        return Diagnostic{"the handle is of no body of this scene"};
    }
    const int link = model.findBody(body.name);
    if (link >= 0) return BodyHandle{link};
    return Diagnostic{"there is no body " + quotedName(body.name)};
}

bool isSound(double x)
{
    return std::abs(x) <= compiling::Checker::largest;  // false for NaN
}

bool isSound(const Vec3& v)
{
    return isSound(v.x()) && isSound(v.y()) && isSound(v.z());
}

std::optional<Diagnostic> unfitNumbers(const Joint& joint, const JointNumbers& numbers)
{
    const auto wanted = static_cast<std::size_t>(joint.freedoms());
    if (numbers.size() != wanted)
        return Diagnostic{named(joint) + " takes " + std::to_string(wanted) +
                          " numbers, one per freedom, not " + std::to_string(numbers.size())};
    for (std::size_t i = 0; i < wanted; ++i)
        if (!isSound(numbers[i]))
            return Diagnostic{"a number for " + named(joint) + " is not finite, or beyond 1e30"};
    return {};
}

JointNumbers jointPosition(const Model& model, const State& state, JointHandle joint)
{
    JointNumbers numbers;
    numbers.count = static_cast<std::size_t>(model.joints[joint.link].freedoms());
    describedCoordinate(model, state, joint.link, numbers.values);
    return numbers;
}

JointNumbers jointVelocity(const Model& model, const State& state, JointHandle joint)
{
    JointNumbers numbers;
    numbers.count = static_cast<std::size_t>(model.joints[joint.link].freedoms());
    describedVelocity(model, state, joint.link, numbers.values);
    return numbers;
}

BodyMotion bodyMotion(const Model& model, const State& state, BodyHandle body)
{
    const BodyState& b = state.bodies[body.link];
    const Vec3 spin = b.angularVelocityWorld();
    return {describedPose(model, state, body.link),
            b.velocity - spin.cross(b.orientation * model.bodies[body.link].center), spin};
}

std::vector<BodyContact> contactsOf(const Model& model, const State& state, double h, BodyHandle body)
{
    std::vector<BodyContact> found;
    for (const Contact& contact : state.contacts) {
        if (!bearsForce(contact)) continue;
        const ContactReading reading = readContact(contact, state, h);
        const auto add = [&](int own, int other, double sign) {
            if (wholeOf(model, model.colliders[own].body) != body.link) return;
            const Collider& beside = model.colliders[other];
            found.push_back({{wholeOf(model, beside.body)},
                             beside.body < 0 ? beside.source : -1,
                             reading.place,
                             sign * reading.normal,
                             sign * reading.force,
                             reading.gap});
        };
        add(reading.second, reading.first, 1);
        add(reading.first, reading.second, -1);
    }
    return found;
}

std::optional<Diagnostic> setJointPosition(const Model& model, JointHandle joint,
                                           const JointNumbers& position, State& state)
{
    return set(model, joint, position, false, state);
}

std::optional<Diagnostic> setJointVelocity(const Model& model, JointHandle joint,
                                           const JointNumbers& velocity, State& state)
{
    return set(model, joint, velocity, true, state);
}

std::optional<Diagnostic> setBodyMotion(const Model& model, BodyHandle body, const BodyMotion& motion,
                                        State& state)
{
    if (const auto found = findBody(model, body); !found) return found.error();
    const Joint& joint = model.joints[body.link];
    const std::string name = "body " + quotedName(model.bodies[body.link].name);
    if (!joint.isFree() || joint.parent >= 0)
        return Diagnostic{name + " is held by " + named(joint) + "; set that one"};
    if (isPrescribed(model, state, body.link))
        return Diagnostic{name + " follows the path that the scene prescribes"};
    const Pose& pose = motion.pose;
    if (!isSound(pose.position) || !isSound(motion.velocity) || !isSound(motion.angularVelocity))
        return Diagnostic{"a number for " + name + " is not finite, or beyond 1e30"};
    if (!(std::abs(pose.orientation.norm() - 1) <= 1e-3))
        return Diagnostic{"the orientation for " + name + " must be a quaternion of length 1"};
    State next = state;
    BodyState& b = next.bodies[body.link];
    b.orientation = pose.orientation.normalized();
    const Vec3 center = b.orientation * model.bodies[body.link].center;
    b.position = pose.position + center;
    b.velocity = motion.velocity + motion.angularVelocity.cross(center);
    b.angularVelocity = b.orientation.conjugate() * motion.angularVelocity;
    jointCoordinatesOf(joint, nullptr, b, next.q.data() + joint.q, next.u.data() + joint.u);
    bodiesFromJoints(model, next);
    if (const auto torn = openedLoop(model, state, next)) return torn;
    startAfresh(next);
    state = std::move(next);
    return {};
}

}  // namespace sinew
