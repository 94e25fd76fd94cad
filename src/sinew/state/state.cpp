#include "sinew/state/state.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/particle_state.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sinew/base/text.h"
#include "sinew/model/rows.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/prescribed.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(State)
SINEW_DEFINE_SPECIAL_MEMBERS(Forces)
SINEW_DEFINE_SPECIAL_MEMBERS(Accelerations)

void Forces::setZero(const Model& model)
{
    body.assign(model.bodies.size(), Force{});
    joint.setZero(model.freedomCount);
}

void Accelerations::resize(const Model& model)
{
    body.resize(model.bodies.size());
    load.resize(model.bodies.size());
    joint.resize(model.freedomCount);
    if (!model.prescribed.empty()) drive.setZero(model.freedomCount);
}

State restState(const Model& model)
{
    State state;
    state.q.resize(model.coordinateCount);
    state.u.setZero(model.freedomCount);
    state.bodies.resize(model.bodies.size());
    state.memory = view(model.memory.data(), static_cast<int>(model.memory.size()));
    for (const Joint& joint : model.joints) jointRest(joint, state.q.data() + joint.q);
    bodiesFromJoints(model, state);
    for (const SpringMesh& mesh : model.meshes) {
        MeshState& at = state.meshes.emplace_back();
        const int numbers = 3 * mesh.size();
        at.x.resize(numbers);
        at.v.setZero(numbers);
        at.a.setZero(numbers);
        for (int i = 0; i < numbers; ++i) at.x[i] = mesh.rest[static_cast<std::size_t>(i / 3)][i % 3];
    }
    return state;
}

namespace {

// A mesh that a body holds begins where that body is: it was drawn about the rest pose.
void placeMeshes(const Model& model, State& state)
{
    for (std::size_t m = 0; m < model.meshes.size(); ++m) {
        const SpringMesh& mesh = model.meshes[m];
        MeshState& at = state.meshes[m];
        const auto pin = std::find_if(mesh.pins.begin(), mesh.pins.end(),
                                      [](const MeshPin& p) { return p.body >= 0 && !p.isTie; });
        for (int i = 0; i < mesh.size(); ++i) {
            Vec3 place = mesh.rest[static_cast<std::size_t>(i)], velocity = mesh.velocity;
            if (pin != mesh.pins.end()) {
                const BodyState& body = state.bodies[pin->body];
                const Pose& rest = model.bodies[pin->body].rest;
                const Vec3 arm =
                    body.orientation * Vec3(rest.orientation.conjugate() * Vec3(place - rest.position));
                place = body.position + arm;
                velocity += body.velocity + body.angularVelocityWorld().cross(arm);
            }
            for (int k = 0; k < 3; ++k) {
                at.x[3 * i + k] = place[k];
                at.v[3 * i + k] = velocity[k];
            }
        }
    }
}

// Given velocities count as fitting the joints within this part of the largest speed: what decimal
// numbers in a file can hold.
constexpr double tearTolerance = 1e-6;

struct GivenVelocity {
    std::optional<Vec3> linear, angular;
    int source = 0;  // index in the description
};

Diagnostic tearFault(const Model& model, int body, int source, const char* key, const Vec3& given,
                     const Vec3& possible)
{
    char text[200];
    std::snprintf(text, sizeof text, "(%.4g, %.4g, %.4g); (%.4g, %.4g, %.4g) would fit", given.x(),
                  given.y(), given.z(), possible.x(), possible.y(), possible.z());
    return faultAt("/bodies/" + std::to_string(source) + "/" + key,
                   "would tear joint " + quotedName(model.joints[body].name) + ": body " +
                       quotedName(model.bodies[body].name) + " is given " + text);
}

// The body that a floating skeleton starts from: its root, or where the compiler chose that, the first one
// of the description. Its place and velocity are those of the file, whatever the joints do. Otherwise −1.
int startingBody(const Model& model, const Skeleton& skeleton, const Description& description)
{
    if (!model.joints[skeleton.first].isFree()) return -1;
    const std::string& root = model.bodies[skeleton.first].name;
    for (const std::string& named : description.roots)
        if (named == root) return skeleton.first;
    for (const PrescribedDescription& source : description.prescribed)
        if (source.body == root) return skeleton.first;
    const auto isOfSkeleton = [&](int link) {
        return link >= skeleton.first && link < skeleton.first + skeleton.count;
    };
    return *std::find_if(model.bodyOrder.begin(), model.bodyOrder.end(), isOfSkeleton);
}

void setRoot(const Model& model, int root, State& state)
{
    const Joint& joint = model.joints[root];
    jointCoordinatesOf(joint, nullptr, state.bodies[root], state.q.data() + joint.q,
                       state.u.data() + joint.u);
}

// Moves the skeleton as a whole to where its starting body rests.
void placeSkeleton(const Model& model, const Skeleton& skeleton, int start, State& state)
{
    if (start < 0 || start == skeleton.first) return;
    const BodyState& from = state.bodies[start];
    const Pose& rest = model.bodies[start].rest;
    BodyState& root = state.bodies[skeleton.first];
    const Quat turn = rest.orientation * from.orientation.conjugate();
    root.position = rest.position + turn * Vec3(root.position - from.position);
    root.orientation = (turn * root.orientation).normalized();
    setRoot(model, skeleton.first, state);
}

// Gives it the motion as a whole that its starting body asks for. The bodies move as the joints do.
void moveSkeleton(const Model& model, const Skeleton& skeleton, int start, const GivenVelocity& given,
                  State& state)
{
    const BodyState& from = state.bodies[start];
    BodyState& root = state.bodies[skeleton.first];
    const Vec3 spin = given.angular.value_or(Vec3::Zero()) - from.angularVelocityWorld();
    root.velocity += given.linear.value_or(Vec3::Zero()) - from.velocity +
                     spin.cross(Vec3(root.position - from.position));
    root.angularVelocity += root.orientation.conjugate() * spin;
    setRoot(model, skeleton.first, state);
}

// One skeleton's given body velocities, turned into joint velocities.
void applyVelocities(const Model& model, const Skeleton& skeleton, const std::vector<GivenVelocity>& given,
                     bool jointsGiven, int start, State& state)
{
    const int end = skeleton.first + skeleton.count;
    bool others = false;  // bodies other than that one speak for themselves
    for (int i = skeleton.first; i < end; ++i)
        others |= (given[i].linear || given[i].angular) && i != start;
    if (jointsGiven || !others) {
        if (start >= 0) moveSkeleton(model, skeleton, start, given[start], state);
        return;
    }
    for (int i = skeleton.first; i < end; ++i) {
        BodyState& body = state.bodies[i];
        body.velocity = given[i].linear.value_or(Vec3::Zero());
        body.angularVelocity = body.orientation.conjugate() * given[i].angular.value_or(Vec3::Zero());
        const Joint& joint = model.joints[i];
        jointCoordinatesOf(joint, parentState(model, state, i), body, state.q.data() + joint.q,
                           state.u.data() + joint.u);
    }
}

// Joints that lead to a further part of a body start as the body has it, in place or in velocity, where
// nothing else is said.
void followWholes(const Model& model, const Description& description, bool isVelocity, State& state)
{
    for (std::size_t j = 0; j < description.joints.size(); ++j) {
        const JointDescription& source = description.joints[j];
        const int link = model.linkOfJoint[j];
        if (link < 0 || model.bodies[link].cutFrom < 0) continue;
        if (!(isVelocity ? source.velocity : source.coordinate).empty()) continue;
        const Joint& joint = model.joints[link];
        jointCoordinatesOf(joint, parentState(model, state, link), state.bodies[model.bodies[link].cutFrom],
                           state.q.data() + joint.q, state.u.data() + joint.u);
        bodyFromJoint(model, state, link);
    }
}

// Joints' coordinates at the start may pull a loop apart.
std::optional<Diagnostic> tornLoop(const Model& model, const Description& description, const State& state)
{
    for (const LoopJoint& loop : model.loops) {
        const double gap = loopGap(loop, state);
        if (gap <= 1e-6) continue;
        std::size_t j = 0;
        while (description.joints[j].name != loop.joint.name) ++j;
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", gap);
        return asWritten(
            faultAt("/joints/" + std::to_string(j), "joint " + quotedName(loop.joint.name) +
                                                        " closes a loop, and the bodies start " + text +
                                                        " m (or rad) away from it"),
            description);
    }
    return {};
}

// Likewise of couplings, in place or in speed.
std::optional<Diagnostic> tornCoupling(const Model& model, const Description& description,
                                       const State& state)
{
    for (std::size_t c = 0; c < model.couplings.size(); ++c) {
        const Coupling& coupling = model.couplings[c];
        const double gap = couplingGap(model, coupling, state),
                     rate = couplingGapRate(model, coupling, state);
        const double q = state.q[model.joints[coupling.follower].q],
                     u = state.u[model.joints[coupling.follower].u];
        const bool isOff = std::abs(gap) > 1e-6;
        if (!isOff && std::abs(rate) <= 1e-6 * (1 + std::abs(u))) continue;
        char text[80];
        std::snprintf(text, sizeof text,
                      isOff ? "%.9g; by its coupling it must start at %.9g"
                            : "velocity %.9g; by its coupling it must have %.9g",
                      isOff ? q : u, isOff ? q - gap : u - rate);
        return asWritten(faultAt("/couplings/" + std::to_string(c),
                                 "joint " + quotedName(model.joints[coupling.follower].name) +
                                     (isOff ? " starts at coordinate " : " starts with ") + text),
                         description);
    }
    return {};
}

}  // namespace

double couplingGap(const Model& model, const Coupling& coupling, const State& state)
{
    return state.q[model.joints[coupling.follower].q] -
           coupling.ratio * state.q[model.joints[coupling.leader].q] - coupling.offset;
}

double couplingGapRate(const Model& model, const Coupling& coupling, const State& state)
{
    return state.u[model.joints[coupling.follower].u] -
           coupling.ratio * state.u[model.joints[coupling.leader].u];
}

double loopGap(const LoopJoint& loop, const State& state)
{
    const Place child = placeIn(state.bodies, loop.child),
                parent = placeIn(state.bodies, loop.joint.parent);
    Row rows[6];
    rowsOf(loop.joint, rows);
    double largest = 0;
    for (int k = 0; k < loop.rows(); ++k)
        largest = std::max(largest, std::abs(rowGradient(rows[k], loop.joint, child, parent).value));
    return largest;
}

Result<State> initialState(const Model& model, const Description& description)
{
    State state = restState(model);
    double speed = 0;  // of the fastest joint
    std::vector<char> jointsGiven(model.bodies.size(), 0);
    for (std::size_t j = 0; j < description.joints.size(); ++j) {
        const JointDescription& source = description.joints[j];
        const int link = model.linkOfJoint[j];
        if (link < 0) continue;
        const Joint& joint = model.joints[link];
        if (joint.isFree()) continue;
        Vec6 coordinate = Vec6::Zero(), velocity = Vec6::Zero();
        for (std::size_t i = 0; i < source.coordinate.size(); ++i) coordinate[i] = source.coordinate[i];
        for (std::size_t i = 0; i < source.velocity.size(); ++i) {
            velocity[i] = source.velocity[i];
            speed = std::max(speed, std::abs(velocity[i]));
        }
        setDescribed(joint, coordinate.data(), velocity.data(), state.q.data() + joint.q,
                     state.u.data() + joint.u);
        jointsGiven[link] = !source.velocity.empty();
    }
    bodiesFromJoints(model, state);
    for (const Skeleton& skeleton : model.skeletons)
        placeSkeleton(model, skeleton, startingBody(model, skeleton, description), state);
    bodiesFromJoints(model, state);
    followWholes(model, description, false, state);

    std::vector<GivenVelocity> given(model.bodies.size());
    // A body that stands still among joints that turn does so to rounding.
    double scale = speed;
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const BodyDescription& source = description.bodies[i];
        given[model.bodyOrder[i]] = {source.velocity, source.angularVelocity, static_cast<int>(i)};
        for (const auto& v : {source.velocity, source.angularVelocity})
            if (v) scale = std::max(scale, v->norm());
    }
    for (int i = 0; i < model.size(); ++i)
        if (model.bodies[i].cutFrom >= 0) given[i] = given[model.bodies[i].cutFrom];
    for (const Skeleton& skeleton : model.skeletons) {
        bool any = false;
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) any |= jointsGiven[i] != 0;
        applyVelocities(model, skeleton, given, any, startingBody(model, skeleton, description), state);
    }
    bodiesFromJoints(model, state);
    followWholes(model, description, true, state);

    // What the joints made of it must be what was asked for.
    for (int i = 0; i < model.size(); ++i) {
        const BodyState& body = state.bodies[i];
        const Vec3 spin = body.angularVelocityWorld();
        if (given[i].linear && (*given[i].linear - body.velocity).norm() > tearTolerance * scale)
            return asWritten(
                tearFault(model, i, given[i].source, "velocity", *given[i].linear, body.velocity),
                description);
        if (given[i].angular && (*given[i].angular - spin).norm() > tearTolerance * scale)
            return asWritten(
                tearFault(model, i, given[i].source, "angular_velocity", *given[i].angular, spin),
                description);
    }
    if (const auto torn = tornLoop(model, description, state)) return *torn;
    if (const auto torn = tornCoupling(model, description, state)) return *torn;
    handOver(model, state);
    placeMeshes(model, state);
    return state;
}

}  // namespace sinew
