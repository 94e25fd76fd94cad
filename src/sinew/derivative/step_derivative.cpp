#include "sinew/derivative/step_derivative.h"

#include <algorithm>
#include <cmath>

#include "sinew/derivative/step_blocks.h"
#include "sinew/force/laws/controllers.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/model/balance.h"
#include "sinew/model/joint_curve.h"
#include "sinew/model/spring_mesh.h"

namespace sinew {
namespace {

using namespace stepping;

// As many rows, stored as columns, times a vector; and its adjoint, which adds.
Vec6 timesRows(const Columns& columns, int rows, const Vec6& x)
{
    Vec6 result = Vec6::Zero();
    for (int r = 0; r < rows; ++r) result[r] = columns.col(r).dot(x);
    return result;
}
Vec6 timesColumns(const Columns& columns, int count, const Vec6& x)
{
    Vec6 result = Vec6::Zero();
    for (int r = 0; r < count; ++r) result += x[r] * columns.col(r);
    return result;
}

// How the forces of a joint's controllers change with their target, along the tangent.
Mat3 targetSlope(const Model& model, const State& state, int link)
{
    Mat3 slope = Mat3::Zero();
    const Joint& joint = model.joints[link];
    if (joint.drives < 0 || !model.isActive(link, state.time)) return slope;
    for (const Controller& controller : model.drives[joint.drives].controllers) {
        const double* q = state.q.data() + joint.q;
        const TrackingError error =
            trackingError(controller, joint, q, state.u.data() + joint.u, state.time);
        SpringForce force = unlimitedForce(controller, joint, q, state.u.data() + joint.u, state.time);
        const double weight = weightAt(controller.weight, state.time);
        const double k = weight * controller.stiffness, d = weight * controller.damping;
        force.stiffness = k * Mat3::Identity();
        if (joint.isBall()) {
            const JointMotion wanted = jointMotionAt(joint, controller.target, state.time);
            const Mat3 back =
                (rotationIn(wanted.q).conjugate() * rotationIn(q)).conjugate().toRotationMatrix();
            const Vec3 velocity(wanted.u[0], wanted.u[1], wanted.u[2]);
            force.stiffness = k * leftJacobianInverse(error.position) - d * (back * tilde(velocity));
        }
        force.limit(controller.limit);
        if (controller.bounds) force.limit(*controller.bounds, joint.freedoms());
        slope += force.stiffness;
    }
    return slope;
}

// How the force of a joint's spring changes with its stiffness.
void springSlope(const Joint& joint, const double* q, bool active, double (&slope)[6])
{
    std::fill(slope, slope + 6, 0.);
    if (!active) return;
    if (!joint.isBall()) {
        for (int i = 0; i < joint.freedoms() && i < 3; ++i) slope[i] = -(q[i] - joint.rest[i]);
        return;
    }
    const Quat rotation = joint.restRotation.conjugate() * rotationIn(q);
    Vec3 torque = -logRotation(rotation);
    if (joint.hasTwist) {
        const SwingTwist angles = swingTwist(rotation, joint.springAxis());
        torque = -swingTwistGradient(rotation, joint.springAxis(), {angles.swing, 1, 0, 0});
    }
    for (int i = 0; i < 3; ++i) slope[i] = torque[i];
}

// The part of a body's weight that its joints do not bear anyway.
double weighs(const Model& model, int body)
{
    if (!(model.gravityCompensation > 0)) return 1;
    const int root = model.skeletons[model.skeletonOf[body]].first;
    return model.joints[root].isFree() ? 1 : 1 - model.gravityCompensation;
}

}  // namespace

struct StepDerivative::Parts {
    StepTerms terms;
    StepTree tree;
    StepBlocks blocks;
    TreeVectors x, first;

    const Model& model() const { return *terms.model; }
    const StepPart& part() const { return *terms.part; }
    void set(const Model& itsModel, const StepPart& itsPart);
    void begin();
    void solve(const StateChange& start);
    void addModelChange(const ModelChange& change);
    void addModelWeights(ModelChange& change) const;
};

StepDerivative::StepDerivative() : parts_(std::make_unique<Parts>()) {}
StepDerivative::~StepDerivative() = default;
StepDerivative::StepDerivative(StepDerivative&&) noexcept = default;
StepDerivative& StepDerivative::operator=(StepDerivative&&) noexcept = default;

std::string stepDerivativesUnsupported(const Model& model)
{
    if (!model.meshes.empty())
        return "spring meshes have no derivatives; leave mesh '" + model.meshes.front().name + "' out";
    if (!model.balances.empty())
        return "what a figure that balances decides before a step has no derivatives; leave balance out";
    if (model.contact && model.contact->plainInertia)
        return "contact with plain_inertia is not part of the equations of the step";
    if (model.contact && model.contact->accuracy == ContactDescription::Accuracy::fast)
        return "contact with accuracy 'fast' has no derivatives; use exact";
    return {};
}

void StepDerivative::linearize(const Model& model, const StepPart& part)
{
    Parts& p = *parts_;
    p.terms.loopForces.assign(model.loops.size(), Vec6::Zero());
    for (std::size_t l = 0; l < model.loops.size() && l < part.loopImpulses.size(); ++l)
        p.terms.loopForces[l] = part.loopImpulses[l] / part.h;
    p.set(model, part);
    constexpr double open = 1e-9;
    if (model.loops.empty() || residual() < open) return;
    p.blocks.correctLoops(p.tree, p.terms, p.x);
    p.set(model, part);
}

void StepDerivative::Parts::set(const Model& itsModel, const StepPart& itsPart)
{
    setBodies(itsModel, itsPart, terms);
    blocks.set(itsModel, itsPart, terms);
    setJoints(terms);
    tree.factor(terms);
    x.body.resize(itsModel.bodies.size());
    x.joint.setZero(itsModel.freedomCount);
    blocks.factor(terms, tree, x);
}

double StepDerivative::residual() const
{
    const Parts& p = *parts_;
    double most = 0, scale = 0;
    for (int i = 0; i < p.model().size(); ++i) {
        const JointTerms& joint = p.terms.joints[i];
        for (int k = 0; k < joint.freedoms; ++k) {
            most = std::max(most, std::abs(p.terms.residual[joint.u + k]));
            double size = std::abs(p.part().forces.joint[joint.u + k]);
            for (int c = 0; c < 6; ++c)
                size += std::abs(joint.S(c, k)) *
                        (std::abs(p.terms.bodies[i].inertial[c]) + std::abs(joint.load[c]) +
                         std::abs(p.part().forces.body[i].vector()[c]));
            scale = std::max(scale, size);
        }
    }
    return scale > 0 ? most / scale : 0;
}

void StepDerivative::Parts::begin()
{
    x.body.assign(model().bodies.size(), Vec6::Zero());
    x.joint.setZero(model().freedomCount);
}

// From the right-hand side in x to the motion there.
void StepDerivative::Parts::solve(const StateChange& start)
{
    const int count = model().size();
    const auto settle = [&](TreeVectors& moved) {
        for (int i = 0; i < count; ++i) {
            const TreeLink& link = tree.links[i];
            if (link.sleeps) moved.body[i] = start.bodies[i].head<6>();
            const Joint& joint = model().joints[i];
            for (int k = link.freedoms; k < joint.freedoms(); ++k) moved.joint[joint.u + k] = 0;
        }
    };
    if (!blocks.empty()) {
        first = x;
        tree.solve(0, count, first);
        settle(first);
        blocks.push(terms, first, start, x);
    }
    tree.solve(0, count, x);
    settle(x);
}

void StepDerivative::Parts::addModelChange(const ModelChange& change)
{
    for (int i = 0; i < model().size(); ++i) {
        const Body& body = model().bodies[i];
        const double less = weighs(model(), i);
        Vec3 weight = change.gravity;
        if (change.mass.size() > 0) {
            x.body[i] += change.mass[i] * terms.bodies[i].inertial;
            weight += change.mass[i] * model().gravity;
        }
        x.body[i].head<3>() -= less * body.mass * weight;
        const JointTerms& joint = terms.joints[i];
        const Joint& own = model().joints[i];
        if (joint.freedoms == 0 || !own.isArticulated()) continue;
        if (change.stiffness.size() > 0) {
            double slope[6];
            springSlope(own, part().end.q.data() + own.q, model().isActive(i, part().end.time), slope);
            for (int k = 0; k < joint.freedoms; ++k) x.joint[joint.u + k] -= change.stiffness[i] * slope[k];
        }
        if (change.damping.size() > 0)
            for (int k = 0; k < joint.freedoms; ++k)
                x.joint[joint.u + k] += change.damping[i] * part().end.u[joint.u + k];
    }
}

void StepDerivative::Parts::addModelWeights(ModelChange& change) const
{
    for (int i = 0; i < model().size(); ++i) {
        const Body& body = model().bodies[i];
        const double less = weighs(model(), i);
        const Vec3 onForce = x.body[i].head<3>();
        change.gravity -= less * body.mass * onForce;
        if (terms.bodies[i].sleeps) continue;
        change.mass[i] +=
            terms.bodies[i].inertial.dot(x.body[i]) - less * body.mass * model().gravity.dot(onForce);
        const JointTerms& joint = terms.joints[i];
        const Joint& own = model().joints[i];
        if (joint.freedoms == 0 || !own.isArticulated()) continue;
        double slope[6];
        springSlope(own, part().end.q.data() + own.q, model().isActive(i, part().end.time), slope);
        for (int k = 0; k < joint.freedoms; ++k) change.stiffness[i] -= slope[k] * x.joint[joint.u + k];
        for (int k = 0; k < joint.freedoms; ++k)
            change.damping[i] += part().end.u[joint.u + k] * x.joint[joint.u + k];
    }
}

void StepDerivative::change(const StateChange& start, const InputChange* input, const ModelChange* model,
                            StateChange& end)
{
    Parts& p = *parts_;
    const Model& scene = p.model();
    const int count = scene.size();
    p.begin();
    TreeVectors& x = p.x;
    for (int i = 0; i < count; ++i) {
        x.body[i] = knownNeed(p.terms, i, start);
        if (input && !input->body.empty()) x.body[i] -= input->body[i].vector();
        const JointTerms& joint = p.terms.joints[i];
        const BodyTerms& body = p.terms.bodies[i];
        if (joint.hasDamping && joint.freedoms > 0) {
            Vec6 rate = timesRows(joint.ofOwn, joint.freedoms, knownRate(p.terms, i, start));
            if (joint.parent >= 0)
                rate += timesRows(joint.ofParents, joint.freedoms, knownRate(p.terms, joint.parent, start));
            for (int k = 0; k < joint.freedoms; ++k)
                for (int m = 0; m < joint.freedoms; ++m)
                    x.joint[joint.u + k] += joint.dampingAt(k, m) * rate[m];
        }
        for (int k = 0; k < joint.freedoms; ++k) {
            const int u = joint.u + k;
            if (joint.armature != 0)
                x.joint[u] -= joint.armature * (body.a * start.u[u] + body.b * start.previousU[u]);
            if (input && input->joint.size() > 0) x.joint[u] -= input->joint[u];
        }
        if (input && input->target.size() > 0 && joint.freedoms > 0 && joint.freedoms <= 3) {
            const Mat3 slope = targetSlope(scene, p.part().end, i);
            for (int k = 0; k < joint.freedoms; ++k)
                for (int m = 0; m < joint.freedoms; ++m)
                    x.joint[joint.u + k] -= slope(k, m) * input->target[joint.u + m];
        }
    }
    if (model) p.addModelChange(*model);
    p.blocks.addStart(start, x);
    p.solve(start);

    end.q = x.joint;
    end.previousU = start.u;
    end.previous = start.bodies;
    end.u.setZero(scene.freedomCount);
    end.bodies.resize(scene.bodies.size());
    for (int i = 0; i < count; ++i) {
        if (p.terms.bodies[i].sleeps)
            end.bodies[i] = start.bodies[i];
        else
            end.bodies[i] << x.body[i], rateChange(p.terms, i, x.body[i], start);
    }
    for (int i = 0; i < count; ++i) {
        const JointTerms& joint = p.terms.joints[i];
        if (p.terms.bodies[i].sleeps) continue;
        const int freedoms = scene.joints[i].freedoms();
        Vec6 u = timesRows(joint.ofOwn, freedoms, Vec6(end.bodies[i].tail<6>())) +
                 timesRows(joint.byOwn, freedoms, x.body[i]);
        if (joint.parent >= 0)
            u += timesRows(joint.ofParents, freedoms, Vec6(end.bodies[joint.parent].tail<6>())) +
                 timesRows(joint.byParents, freedoms, x.body[joint.parent]);
        for (int k = 0; k < freedoms; ++k) {
            for (int m = 0; m < joint.freedoms && !joint.isPlain; ++m)
                u[k] += joint.byFreedoms(k, m) * x.joint[joint.u + m];
            end.u[joint.u + k] = u[k];
        }
    }
}

void StepDerivative::adjoint(const StateChange& end, StateChange& start, InputChange* input,
                             ModelChange* model)
{
    Parts& p = *parts_;
    const Model& scene = p.model();
    const int count = scene.size();
    p.begin();
    TreeVectors& x = p.x;
    start.setZero(scene);
    start.bodies = end.previous;
    start.u = end.previousU;
    // Weights on what the end is made of, from the joints' velocities on.
    for (int i = 0; i < count; ++i) x.body[i] = end.bodies[i].head<6>();
    x.joint = end.q;
    const auto addRate = [&](int i, const Vec6& weights) {
        addRateWeights(p.terms, i, weights, x.body[i], start);
    };
    for (int i = 0; i < count; ++i) {
        const JointTerms& joint = p.terms.joints[i];
        if (p.terms.bodies[i].sleeps) {
            start.bodies[i] += end.bodies[i];
            continue;
        }
        addRate(i, Vec6(end.bodies[i].tail<6>()));
        Vec6 u = Vec6::Zero();
        const int freedoms = scene.joints[i].freedoms();
        bool any = false;
        for (int k = 0; k < freedoms; ++k) {
            u[k] = end.u[joint.u + k];
            any |= u[k] != 0;
        }
        if (!any) continue;
        addRate(i, timesColumns(joint.ofOwn, freedoms, u));
        x.body[i] += timesColumns(joint.byOwn, freedoms, u);
        if (joint.parent >= 0) {
            addRate(joint.parent, timesColumns(joint.ofParents, freedoms, u));
            x.body[joint.parent] += timesColumns(joint.byParents, freedoms, u);
        }
        for (int m = 0; m < joint.freedoms && !joint.isPlain; ++m)
            for (int k = 0; k < freedoms; ++k) x.joint[joint.u + m] += joint.byFreedoms(k, m) * u[k];
    }
    if (!p.blocks.empty()) {
        p.first = x;
        p.tree.solveTransposed(0, count, p.first);
        p.blocks.pull(p.terms, p.first, x, start);
    }
    p.tree.solveTransposed(0, count, x);
    for (int i = 0; i < count; ++i)
        if (p.terms.bodies[i].sleeps) x.body[i].setZero();

    p.blocks.addStartWeights(x, start);
    if (model) p.addModelWeights(*model);
    for (int i = 0; i < count; ++i) {
        const JointTerms& joint = p.terms.joints[i];
        const BodyTerms& body = p.terms.bodies[i];
        if (body.sleeps) continue;
        addNeedWeights(p.terms, i, x.body[i], start);
        if (input) input->body[i] -= Force::from(x.body[i]);
        if (joint.hasDamping && joint.freedoms > 0) {
            Vec6 rate = Vec6::Zero();
            for (int k = 0; k < joint.freedoms; ++k)
                for (int m = 0; m < joint.freedoms; ++m)
                    rate[m] += joint.dampingAt(k, m) * x.joint[joint.u + k];
            addKnownRateWeights(p.terms, i, timesColumns(joint.ofOwn, joint.freedoms, rate), start);
            if (joint.parent >= 0)
                addKnownRateWeights(p.terms, joint.parent,
                                    timesColumns(joint.ofParents, joint.freedoms, rate), start);
        }
        for (int k = 0; k < joint.freedoms; ++k) {
            const int u = joint.u + k;
            if (joint.armature != 0) {
                start.u[u] -= joint.armature * body.a * x.joint[u];
                start.previousU[u] -= joint.armature * body.b * x.joint[u];
            }
            if (input) input->joint[u] -= x.joint[u];
        }
        if (input && scene.joints[i].drives >= 0 && joint.freedoms > 0 && joint.freedoms <= 3) {
            const Mat3 slope = targetSlope(scene, p.part().end, i);
            for (int k = 0; k < joint.freedoms; ++k)
                for (int m = 0; m < joint.freedoms; ++m)
                    input->target[joint.u + m] -= slope(k, m) * x.joint[joint.u + k];
        }
    }
}

}  // namespace sinew
