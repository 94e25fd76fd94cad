#include "invariance/map_state.h"

#include <Eigen/QR>
#include <algorithm>

#include "sinew/collision/detect.h"
#include "sinew/contact/figure_rows.h"
#include "sinew/math/eigen.h"
#include "sinew/model/balance.h"
#include "sinew/state/kinematics.h"

namespace sinew::invariance {
namespace {

BodyState forth(const BodyState& b, const Similarity& by)
{
    return {by.place(b.position), by.orientation(b.orientation), by.vector(b.velocity),
            by.bodyAxial() * b.angularVelocity};
}

BodyState back(const BodyState& b, const Similarity& by)
{
    const Mat3 inverse = by.A.transpose();
    return {inverse * (b.position - by.shift) / by.length,
            Quat(Mat3(inverse * b.orientation.toRotationMatrix() * by.D())).normalized(),
            inverse * b.velocity / by.length, by.bodyAxial() * b.angularVelocity};
}

// Keys and members that not every version of the engine has.
template <class C>
void mapTurning(const C& from, const Similarity& by, double sign, C& to)
{
    if constexpr (requires { from.turning; }) {
        const Mat3 was = contactFrame(from.normal), is = contactFrame(to.normal);
        to.turning = sign * by.torque() * (is * (by.axial() * (was.transpose() * from.turning)));
        to.rollingFriction *= by.length;
        to.spinningFriction *= by.length;
    }
}
template <class C>
void exchangeFaces(C& contact)
{
    if constexpr (requires { contact.face; }) {
        using Face = decltype(contact.face);
        if (contact.face != Face::none) contact.face = contact.face == Face::ofA ? Face::ofB : Face::ofA;
    }
}
// What is kept per skeleton.
template <class T>
void mapPerSkeleton(const Model& from, const std::vector<T>& values, const std::vector<int>& sources,
                    const Model& to, std::vector<T>& mapped)
{
    if (values.empty()) return;
    mapped.resize(to.skeletons.size());
    for (std::size_t i = 0; i < sources.size(); ++i)
        mapped[static_cast<std::size_t>(to.skeletonOf[i])] =
            values[static_cast<std::size_t>(from.skeletonOf[static_cast<std::size_t>(sources[i])])];
}
template <class S>
void mapJumped(const Model& from, const S& state, const std::vector<int>& sources, const Model& to,
               S& mapped)
{
    if constexpr (requires { state.jumped; })
        mapPerSkeleton(from, state.jumped, sources, to, mapped.jumped);
}

// Per body of `from`, its number in `to`.
std::vector<int> bodiesOf(const Model& from, const Model& to)
{
    std::vector<int> numbers;
    for (const Body& body : from.bodies) numbers.push_back(to.findBody(body.name));
    return numbers;
}

// Per collider likewise.
std::vector<int> collidersOf(const Model& from, const Model& to, const std::vector<int>& bodies)
{
    std::vector<int> numbers;
    for (const Collider& collider : from.colliders) {
        const int body = collider.body < 0 ? -1 : bodies[static_cast<std::size_t>(collider.body)];
        int found = -1;
        for (std::size_t i = 0; i < to.colliders.size(); ++i)
            if (to.colliders[i].body == body && to.colliders[i].source == collider.source)
                found = static_cast<int>(i);
        numbers.push_back(found);
    }
    return numbers;
}

Contact mapContact(const Contact& c, const Similarity& by, const std::vector<int>& bodies,
                   const std::vector<int>& colliders)
{
    const auto number = [&](int body) { return body < 0 ? -1 : bodies[static_cast<std::size_t>(body)]; };
    const auto anchor = [&](int body, const Vec3& point) -> Vec3 {
        return body < 0 ? by.place(point) : Vec3(by.length * (by.D() * point));
    };
    Contact out = c;
    out.bodyA = number(c.bodyA);
    out.bodyB = number(c.bodyB);
    out.colliderA = colliders[static_cast<std::size_t>(c.colliderA)];
    out.colliderB = colliders[static_cast<std::size_t>(c.colliderB)];
    out.pointA = anchor(c.bodyA, c.pointA);
    out.pointB = anchor(c.bodyB, c.pointB);
    out.roundA *= by.length;
    out.roundB *= by.length;
    out.gap *= by.length;
    out.normal = by.A * c.normal;
    double sign = 1;
    if (out.colliderA > out.colliderB) {
        std::swap(out.bodyA, out.bodyB);
        std::swap(out.colliderA, out.colliderB);
        std::swap(out.pointA, out.pointB);
        std::swap(out.roundA, out.roundB);
        out.normal = -out.normal;
        exchangeFaces(out);
        sign = -1;
    }
    const Mat3 was = contactFrame(c.normal), is = contactFrame(out.normal);
    for (Vec3* impulse : {&out.impulse, &out.blow})
        *impulse = sign * by.force() * (is * (by.A * (was.transpose() * *impulse)));
    mapTurning(c, by, sign, out);
    return out;
}

// Impulses of one loop as those of the same joint there.
Vec6 mapLoop(const LoopJoint& from, const State& state, const Vec6& impulses, const Similarity& by,
             const LoopJoint& to, const State& mapped, const std::vector<int>& bodies)
{
    BodyRows rows[4];
    Vec3 d[2];
    setLoopRows(from, state.bodies, rows, d);
    const bool sameSide = bodies[static_cast<std::size_t>(from.child)] == to.child;
    Vec6 wrench = Vec6::Zero();  // on the child of `to`, at its centre of mass
    for (int k = 0; k < loopBlocks(from); ++k) {
        const BodyRows& side = rows[2 * k + (sameSide ? 1 : 0)];
        wrench.head<3>() += side.move.transpose() * impulses.segment<3>(3 * k);
        wrench.tail<3>() += side.turn.transpose() * impulses.segment<3>(3 * k);
    }
    wrench.head<3>() = by.force() * (by.A * wrench.head<3>()).eval();
    wrench.tail<3>() = by.torque() * (by.axial() * wrench.tail<3>()).eval();
    setLoopRows(to, mapped.bodies, rows, d);
    MatX columns = MatX::Zero(6, to.rows());
    for (int k = 0; k < to.rows(); ++k) {
        columns.col(k).head<3>() = rows[2 * (k / 3) + 1].move.row(k % 3).transpose();
        columns.col(k).tail<3>() = rows[2 * (k / 3) + 1].turn.row(k % 3).transpose() / by.length;
    }
    wrench.tail<3>() /= by.length;  // so that forces and torques weigh alike
    Vec6 out = Vec6::Zero();
    out.head(to.rows()) = fromEigen(eigen(columns).colPivHouseholderQr().solve(eigen(wrench)));
    return out;
}

// A joint's coordinates near to where they will be, so that full turns are kept.
void guessCoordinates(const Simulation& from, const State& state, const Similarity& by,
                      const Simulation& to, State& mapped)
{
    for (int i = 0; i < to.model().size(); ++i) {
        const Joint& joint = to.model().joints[i];
        const int link = joint.declared ? from.model().findJoint(joint.name) : -1;
        if (link < 0 || joint.type == JointType::spherical || joint.type == JointType::free) continue;
        double coordinate[6] = {}, velocity[6] = {};
        describedCoordinate(from.model(), state, link, coordinate);
        // The sign of a joint that is the other way round shows in its axes at rest: the nearer one is
        // right. Coordinates of the other sign are tried in jointCoordinatesOf() by whole turns only.
        const double factor = joint.type == JointType::slide ? by.length : 1;
        State trial = mapped;
        double best = 1e300;
        for (const double sign : {1., -1.}) {
            double q[6] = {}, u[6] = {}, wanted[6] = {};
            for (int k = 0; k < joint.freedoms(); ++k) {
                const bool exchanged = sign < 0 && joint.type == JointType::universal;
                wanted[k] = sign * factor * coordinate[exchanged ? 1 - k : k];
            }
            setDescribed(joint, wanted, velocity, q, u);
            for (int k = 0; k < joint.coordinates(); ++k) trial.q[joint.q + k] = q[k];
            jointCoordinatesOf(joint, parentState(to.model(), mapped, i), mapped.bodies[i],
                               trial.q.data() + joint.q, trial.u.data() + joint.u);
            double off = 0;
            for (int k = 0; k < joint.coordinates(); ++k) off += std::abs(trial.q[joint.q + k] - q[k]);
            if (off >= best) continue;
            best = off;
            for (int k = 0; k < joint.coordinates(); ++k) mapped.q[joint.q + k] = q[k];
        }
    }
}

template <class S>
void mapCeiling(const Simulation& from, const S& state, const Similarity& by, const Simulation& to,
                S& mapped)
{
    if constexpr (requires { state.energyCeiling; }) {
        const double above = state.energyCeiling - energy(from.model(), state).total();
        mapped.energyCeiling = energy(to.model(), mapped).total() + by.torque() * above;
    }
}

// Three numbers after three.
template <class Apply>
VecX mapVertices(const VecX& numbers, Apply&& apply)
{
    VecX mapped(numbers.size());
    for (int i = 0; i + 2 < numbers.size(); i += 3) {
        const Vec3 image = apply(Vec3(numbers[i], numbers[i + 1], numbers[i + 2]));
        for (int k = 0; k < 3; ++k) mapped[i + k] = image[k];
    }
    return mapped;
}

Pose placeOf(const Collider& collider, const State& state)
{
    if (collider.body < 0) return collider.pose;
    const BodyState& body = state.bodies[static_cast<std::size_t>(collider.body)];
    return Pose{body.position, body.orientation} * collider.pose;
}

// Once the bodies are mapped.
void mapMesh(const Model& from, const State& state, const Similarity& by, const Model& to,
             const std::vector<int>& colliders, std::size_t m, State& mapped)
{
    const MeshState& mesh = state.meshes[m];
    MeshState& image = mapped.meshes[m];
    image = mesh;
    image.x = mapVertices(mesh.x, [&](const Vec3& x) { return by.place(x); });
    for (auto [was, is] : {std::pair(&mesh.v, &image.v), std::pair(&mesh.a, &image.a)})
        *is = mapVertices(*was, [&](const Vec3& v) { return by.vector(v); });
    for (int i = 0; i < image.pressed.size(); ++i) image.pressed[i] *= by.force();
    // Where friction holds a vertex, in the axes of the collider.
    for (std::size_t i = 0; i < mesh.touched.size(); ++i) {
        if (mesh.touched[i] < 0) continue;
        image.touched[i] = colliders[static_cast<std::size_t>(mesh.touched[i])];
        const int at = 3 * static_cast<int>(i);
        const Pose was = placeOf(from.colliders[static_cast<std::size_t>(mesh.touched[i])], state),
                   is = placeOf(to.colliders[static_cast<std::size_t>(image.touched[i])], mapped);
        const Vec3 anchor(mesh.anchor[at], mesh.anchor[at + 1], mesh.anchor[at + 2]);
        const Vec3 place = by.place(was * anchor);
        const Vec3 local = is.orientation.conjugate() * Vec3(place - is.position);
        for (int k = 0; k < 3; ++k) image.anchor[at + k] = local[k];
    }
}

// Bodies and joint coordinates alone.
State mapJoints(const Simulation& from, const State& state, const Similarity& by, const Simulation& to)
{
    const std::vector<int> sources = bodiesOf(to.model(), from.model());
    State mapped = restState(to.model());
    for (std::size_t i = 0; i < sources.size(); ++i)
        mapped.bodies[i] = forth(state.bodies[static_cast<std::size_t>(sources[i])], by);
    guessCoordinates(from, state, by, to, mapped);
    jointsFromBodies(to.model(), mapped);
    return mapped;
}

// Of figures that balance themselves: what their joints were to do, as the coordinates of a figure that
// does it, and how far they were in a step or a gait.
void mapBalances(const Simulation& from, const State& state, const Similarity& by, const Simulation& to,
                 State& mapped)
{
    State wanted = state;
    wanted.memory.setZero(state.memory.size());
    const auto eachServo = [](const Model& model, auto&& function) {
        for (const Balance& balance : model.balances)
            for (const Balance::Strength& strength : balance.joints)
                function(model.joints[strength.joint], strength.slot);
    };
    eachServo(from.model(), [&](const Joint& joint, int slot) {
        for (int k = 0; k < joint.coordinates(); ++k) wanted.q[joint.q + k] = state.memory[slot + k];
    });
    bodiesFromJoints(from.model(), wanted);
    wanted.contacts.clear();
    wanted.loopImpulses.clear();
    const State image = mapJoints(from, wanted, by, to);
    eachServo(to.model(), [&](const Joint& joint, int slot) {
        for (int k = 0; k < joint.coordinates(); ++k) mapped.memory[slot + k] = image.q[joint.q + k];
    });
    for (std::size_t b = 0; b < to.model().balances.size(); ++b) {
        const double* was = state.memory.data() + from.model().balances[b].memory;
        double* is = mapped.memory.data() + to.model().balances[b].memory;
        std::copy(was, was + Balance::memorySize, is);
        is[Balance::heading] *= by.det();
        const bool steps = static_cast<int>(was[Balance::mode]) == Balance::stepping;
        const Vec3 lifted(was[Balance::lifted], was[Balance::lifted + 1], was[Balance::lifted + 2]);
        const Vec3 there = steps ? by.place(lifted) : by.vector(lifted);
        for (int k = 0; k < 3; ++k) is[Balance::lifted + k] = there[k];
        const Quat turned = rotationIn(was + Balance::turned);
        const Quat image2 = steps ? by.orientation(turned)
                                  : Quat(Mat3(by.A * turned.toRotationMatrix() * by.A.transpose()));
        const double q[4] = {image2.x(), image2.y(), image2.z(), image2.w()};
        std::copy(q, q + 4, is + Balance::turned);
    }
}

}  // namespace

std::vector<MeshState> mapMeshesBack(const State& state, const Similarity& by)
{
    const Mat3 inverse = by.A.transpose();
    std::vector<MeshState> meshes(state.meshes.size());
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        meshes[m].x = mapVertices(
            state.meshes[m].x, [&](const Vec3& x) { return Vec3(inverse * (x - by.shift) / by.length); });
        meshes[m].v =
            mapVertices(state.meshes[m].v, [&](const Vec3& v) { return Vec3(inverse * v / by.length); });
    }
    return meshes;
}

void normalise(State& state)
{
    state.slow.clear();
    for (std::size_t i = 0; i < state.contacts.size(); ++i)
        state.contacts[i].feature = 0xffff0000u + static_cast<std::uint32_t>(i);
}

bool sameTree(const Model& a, const Model& b)
{
    if (a.size() != b.size() || a.loops.size() != b.loops.size()) return false;
    const auto nameOf = [](const Model& model, int body) {
        return body < 0 ? std::string() : model.bodies[static_cast<std::size_t>(body)].name;
    };
    for (int i = 0; i < a.size(); ++i) {
        const int j = b.findBody(a.bodies[i].name);
        if (j < 0 || nameOf(a, a.joints[i].parent) != nameOf(b, b.joints[j].parent)) return false;
    }
    for (const LoopJoint& loop : a.loops)
        if (std::none_of(b.loops.begin(), b.loops.end(),
                         [&](const LoopJoint& other) { return other.joint.name == loop.joint.name; }))
            return false;
    return true;
}

State mapState(const Simulation& from, const State& state, const Similarity& by, const Simulation& to)
{
    const std::vector<int> bodies = bodiesOf(from.model(), to.model()),
                           sources = bodiesOf(to.model(), from.model());
    State mapped = restState(to.model());
    mapped.time = state.time;
    mapped.memory = state.memory;
    // A body that a loop cuts in two stands there twice, at one place.
    for (std::size_t i = 0; i < sources.size(); ++i)
        mapped.bodies[i] = forth(state.bodies[static_cast<std::size_t>(sources[i])], by);
    if (!state.previous.empty()) {
        mapped.previous.resize(sources.size());
        for (std::size_t i = 0; i < sources.size(); ++i)
            mapped.previous[i] = forth(state.previous[static_cast<std::size_t>(sources[i])], by);
    }
    guessCoordinates(from, state, by, to, mapped);
    jointsFromBodies(to.model(), mapped);
    mapCeiling(from, state, by, to, mapped);
    if (!from.model().balances.empty()) mapBalances(from, state, by, to, mapped);

    mapped.contacts = mapContacts(from, state.contacts, by, to);
    if (!state.loopImpulses.empty()) {
        const std::size_t loops = to.model().loops.size();
        mapped.loopImpulses.assign(loops + to.model().couplings.size(), Vec6::Zero());
        for (std::size_t l = 0; l < loops; ++l)
            for (std::size_t k = 0; k < from.model().loops.size(); ++k)
                if (from.model().loops[k].joint.name == to.model().loops[l].joint.name)
                    mapped.loopImpulses[l] = mapLoop(from.model().loops[k], state, state.loopImpulses[k],
                                                     by, to.model().loops[l], mapped, bodies);
        for (std::size_t c = 0; c < to.model().couplings.size(); ++c) {
            const Joint& was = from.model().joints[from.model().couplings[c].follower];
            const Joint& is = to.model().joints[to.model().couplings[c].follower];
            const double sign = state.q[was.q] * mapped.q[is.q] < 0 ? -1 : 1;
            mapped.loopImpulses[loops + c][0] = state.loopImpulses[from.model().loops.size() + c][0] *
                                                sign *
                                                (was.type == JointType::slide ? by.force() : by.torque());
        }
    }
    mapPerSkeleton(from.model(), state.quiet, sources, to.model(), mapped.quiet);
    mapJumped(from.model(), state, sources, to.model(), mapped);
    if (!state.meshes.empty()) {
        const std::vector<int> colliders = collidersOf(from.model(), to.model(), bodies);
        for (std::size_t m = 0; m < state.meshes.size(); ++m)
            mapMesh(from.model(), state, by, to.model(), colliders, m, mapped);
    }
    return mapped;
}

std::vector<Contact> mapContacts(const Simulation& from, const std::vector<Contact>& contacts,
                                 const Similarity& by, const Simulation& to)
{
    const std::vector<int> bodies = bodiesOf(from.model(), to.model());
    const std::vector<int> colliders = collidersOf(from.model(), to.model(), bodies);
    std::vector<Contact> mapped;
    for (const Contact& contact : contacts) mapped.push_back(mapContact(contact, by, bodies, colliders));
    std::stable_sort(mapped.begin(), mapped.end(), isBefore);
    return mapped;
}

LargeVector<BodyState> mapBack(const Simulation& to, const State& state, const Similarity& by,
                               const Simulation& from)
{
    LargeVector<BodyState> out(from.model().bodies.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = back(
            state.bodies[static_cast<std::size_t>(to.model().findBody(from.model().bodies[i].name))], by);
    return out;
}

}  // namespace sinew::invariance
