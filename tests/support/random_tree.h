// Random trees of bodies, in random states under random forces, for tests that compare methods.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/math/rotation.h"
#include "sinew/model/model.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/state.h"

namespace sinew::test {

inline Vec3 randomVector(Random& random, double scale = 1)
{
    const double x = random.normal(), y = random.normal(), z = random.normal();
    return scale * Vec3(x, y, z);
}

struct TreeOptions {
    int bodies = 10;
    std::vector<JointType> joints = {JointType::hinge, JointType::spherical};  // drawn from these
    std::vector<JointType> rootJoints;  // to the world; empty: the root floats
    bool mayFloat = true;               // half of the trees float even if rootJoints are given
};

// A solid-looking inertia: principal moments of an ellipsoid, turned.
inline Mat3 randomInertia(Random& random, double mass)
{
    const Vec3 r(random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), random.uniform(0.1, 0.4));
    const Vec3 d(r.y() * r.y() + r.z() * r.z(), r.x() * r.x() + r.z() * r.z(),
                 r.x() * r.x() + r.y() * r.y());
    const Mat3 Q = expRotation(randomVector(random)).toRotationMatrix();
    return mass / 5 * Q * d.asDiagonal() * Q.transpose();
}

inline JointDescription randomJoint(Random& random, JointType type, const std::string& parent,
                                    const std::string& child, const Vec3& place)
{
    JointDescription joint;
    joint.name = "to_" + child;
    joint.type = type;
    joint.first = parent;
    joint.second = child;
    if (random.below(2)) std::swap(joint.first, joint.second);
    joint.position = place + randomVector(random, 0.2);
    const Vec3 axis = randomVector(random).normalized();
    const JointTypeInfo& info = jointTypeInfo(type);
    if (info.axes > 0 && !info.isBall()) joint.axis = axis;
    if (info.axes > 1) joint.axis2 = directorsAcross(axis).first;
    return joint;
}

inline Description randomTree(Random& random, const TreeOptions& options)
{
    Description d;
    const bool floats = options.rootJoints.empty() || (options.mayFloat && random.below(2));
    const bool serial = random.below(3) == 0;
    for (int i = 0; i < options.bodies; ++i) {
        BodyDescription body;
        body.name = "body" + std::to_string(i);
        const int parent = i == 0 ? -1 : serial ? i - 1 : random.below(i);
        const Vec3 from = parent < 0 ? Vec3::Zero() : d.bodies[parent].pose.position;
        body.pose = {from + randomVector(random, 0.4), expRotation(randomVector(random))};
        body.mass = random.uniform(0.5, 2);
        body.inertia = randomInertia(random, *body.mass);
        const Vec3 middle = 0.5 * (from + body.pose.position);
        if (parent >= 0) {
            const auto type = options.joints[random.below(static_cast<int>(options.joints.size()))];
            d.joints.push_back(randomJoint(random, type, d.bodies[parent].name, body.name, middle));
        } else if (!floats) {
            const auto type = options.rootJoints[random.below(static_cast<int>(options.rootJoints.size()))];
            d.joints.push_back(randomJoint(random, type, "world", body.name, middle));
        }
        d.bodies.push_back(body);
    }
    // The order in which a person happens to list things must not matter.
    for (int i = options.bodies - 1; i > 0; --i) std::swap(d.bodies[i], d.bodies[random.below(i + 1)]);
    return d;
}

inline State randomState(Random& random, const Model& model)
{
    State state = restState(model);
    for (const Joint& joint : model.joints) {
        Vec6 delta;
        for (double& x : delta) x = 0.7 * random.normal();
        double* q = state.q.data() + joint.q;
        std::vector<double> from(q, q + joint.coordinates());
        jointRetract(joint, from.data(), delta.data(), q);
        for (int i = 0; i < joint.freedoms(); ++i) state.u[joint.u + i] = random.normal();
    }
    bodiesFromJoints(model, state);
    return state;
}

inline Forces randomForces(Random& random, const Model& model)
{
    Forces forces;
    forces.setZero(model);
    for (Force& f : forces.body) f = {randomVector(random, 5), randomVector(random, 2)};
    for (double& q : forces.joint) q = random.normal();
    return forces;
}

inline Model mustCompile(const Description& description)
{
    Result<Model> model = compile(description);
    EXPECT_TRUE(model) << (model ? "" : model.error().text());
    return model.value();
}

// The largest difference over the largest value, of one kind of quantity.
class RelativeError {
public:
    template <class A, class B>
    void add(const A& a, const B& b)
    {
        if (a.size() == 0) return;
        difference_ = std::max(difference_, (a - b).cwiseAbs().maxCoeff());
        scale_ = std::max(scale_, b.cwiseAbs().maxCoeff());
        if (!a.allFinite()) difference_ = 1e300;
    }
    double value() const { return difference_ / scale_; }

private:
    // Forces in the tests are of order one: what is smaller than this is a zero with rounding.
    double difference_ = 0, scale_ = 1e-6;
};

// Body accelerations and joint loads of one answer against another.
inline double disagreement(const Accelerations& a, const Accelerations& truth)
{
    RelativeError linear, angular, force, torque, joint;
    for (std::size_t i = 0; i < truth.body.size(); ++i) {
        linear.add(a.body[i].linear, truth.body[i].linear);
        angular.add(a.body[i].angular, truth.body[i].angular);
        force.add(a.load[i].force, truth.load[i].force);
        torque.add(a.load[i].torque, truth.load[i].torque);
    }
    joint.add(a.joint, truth.joint);
    return std::max({linear.value(), angular.value(), force.value(), torque.value(), joint.value()});
}

}  // namespace sinew::test
