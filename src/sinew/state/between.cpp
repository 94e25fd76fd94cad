#include "sinew/state/between.h"

#include "sinew/math/rotation.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/mesh_state.h"
#include "sinew/state/prescribed.h"

namespace sinew {
namespace {

constexpr double mostDisagreement = 0.5;

// One step, and where in it.
struct Span {
    double h, s;
    bool isSmooth = false;

    // From 0 to `way`, with these rates at the ends.
    Vec3 place(const Vec3& way, const Vec3& first, const Vec3& last) const
    {
        if (!isSmooth) return s * way;
        const double r = 1 - s;
        return s * s * (3 - 2 * s) * way + s * r * h * (r * first - s * last);
    }
    Vec3 rate(const Vec3& way, const Vec3& first, const Vec3& last) const
    {
        const double r = 1 - s;
        if (!isSmooth) return r * first + s * last;
        return 6 * s * r / h * way + r * (1 - 3 * s) * first + s * (3 * s - 2) * last;
    }
};

// Rotations with angular velocities in the axes that turn.
void turnBetween(const Span& span, const Quat& from, const Vec3& wFrom, const Quat& to, const Vec3& wTo,
                 Quat& rotation, Vec3& w)
{
    const Vec3 phi = logRotation(from.conjugate() * to);
    if (!span.isSmooth) {
        rotation = (from * expRotation(span.s * phi)).normalized();
        w = span.rate(phi, wFrom, wTo);
        return;
    }
    const Vec3 last = rightJacobianInverse(phi) * wTo;
    const Vec3 turned = span.place(phi, wFrom, last);
    rotation = (from * expRotation(turned)).normalized();
    w = rightJacobian(turned) * span.rate(phi, wFrom, last);
}

double kinetic(const Body& body, const Vec3& v, const Vec3& w)
{
    return body.mass * v.squaredNorm() + w.dot(body.inertia * w);
}

bool isSmooth(const Model& model, const Skeleton& skeleton, const State& from, const State& to, double h)
{
    double disagreement = 0, change = 0;
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        const BodyState &a = from.bodies[i], &b = to.bodies[i];
        const Vec3 way = 2 / h * (b.position - a.position);
        const Vec3 turn = 2 / h * logRotation(a.orientation.conjugate() * b.orientation);
        disagreement += kinetic(model.bodies[i], a.velocity + b.velocity - way,
                                a.angularVelocity + b.angularVelocity - turn);
        change += kinetic(model.bodies[i], b.velocity - a.velocity, b.angularVelocity - a.angularVelocity);
    }
    return disagreement <= mostDisagreement * mostDisagreement * change;
}

void moveBody(const Span& span, const BodyState& from, const BodyState& to, BodyState& between)
{
    const Vec3 way = to.position - from.position;
    between.position = from.position + span.place(way, from.velocity, to.velocity);
    between.velocity = span.rate(way, from.velocity, to.velocity);
    turnBetween(span, from.orientation, from.angularVelocity, to.orientation, to.angularVelocity,
                between.orientation, between.angularVelocity);
}

void moveJoint(const Span& span, const Joint& joint, const State& from, const State& to, State& between)
{
    const int straight = joint.info().plain();
    const auto part = [&](const VecX& all, int first, int count) {
        Vec3 v = Vec3::Zero();
        v.head(count) = all.segment(first, count);
        return v;
    };
    const Vec3 q0 = part(from.q, joint.q, straight), way = part(to.q, joint.q, straight) - q0;
    const Vec3 u0 = part(from.u, joint.u, straight), u1 = part(to.u, joint.u, straight);
    between.q.segment(joint.q, straight) = (q0 + span.place(way, u0, u1)).head(straight);
    between.u.segment(joint.u, straight) = span.rate(way, u0, u1).head(straight);
    if (!joint.info().hasRotation) return;
    const int q = joint.q + straight, u = joint.u + straight;
    Quat rotation;
    Vec3 w;
    turnBetween(span, rotationIn(from.q.data() + q), part(from.u, u, 3), rotationIn(to.q.data() + q),
                part(to.u, u, 3), rotation, w);
    between.q.segment<4>(q) = rotation.coeffs();
    between.u.segment<3>(u) = w;
}

// Steps may end with velocities of bodies that fit those of their joints to the order of the step only:
// adds a part of what they have beside.
void addOwnVelocities(const Model& model, const State& end, double part, State& between)
{
    State fitting;
    fitting.q = end.q;
    fitting.u = end.u;
    fitting.bodies = end.bodies;
    bodiesFromJoints(model, fitting);
    for (std::size_t i = 0; i < end.bodies.size(); ++i) {
        const BodyState &own = end.bodies[i], &joints = fitting.bodies[i];
        between.bodies[i].velocity += part * (own.velocity - joints.velocity);
        between.bodies[i].angularVelocity += part * (own.angularVelocity - joints.angularVelocity);
    }
}

// Vertices go straight.
void moveMeshes(double s, const State& from, const State& to, State& between)
{
    between.meshes.resize(to.meshes.size());
    for (std::size_t m = 0; m < to.meshes.size(); ++m) {
        between.meshes[m].x = (1 - s) * from.meshes[m].x + s * to.meshes[m].x;
        between.meshes[m].v = (1 - s) * from.meshes[m].v + s * to.meshes[m].v;
        between.meshes[m].a = to.meshes[m].a;
    }
}

}  // namespace

void stateBetween(const Model& model, const State& from, const State& to, double time, bool byJoints,
                  State& between)
{
    between.time = time;
    between.q = from.q;
    between.u = from.u;
    between.bodies = from.bodies;
    between.previous.clear();
    between.slow.clear();
    between.memory = from.memory;  // changes between steps only
    between.contacts = to.contacts;
    between.loopImpulses = to.loopImpulses;
    between.quiet = to.quiet;
    Span span{to.time - from.time, (time - from.time) / (to.time - from.time)};
    for (const Skeleton& skeleton : model.skeletons) {
        span.isSmooth = isSmooth(model, skeleton, from, to, span.h);
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
            if (byJoints)
                moveJoint(span, model.joints[i], from, to, between);
            else
                moveBody(span, from.bodies[i], to.bodies[i], between.bodies[i]);
        }
    }
    moveMeshes(span.s, from, to, between);
    if (!byJoints) {
        jointsFromBodies(model, between, time - from.time);
        return;
    }
    setPrescribed(model, between);
    bodiesFromJoints(model, between);
    addOwnVelocities(model, from, 1 - span.s, between);
    addOwnVelocities(model, to, span.s, between);
}

}  // namespace sinew
