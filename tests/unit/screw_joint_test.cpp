// A joint type that the library does not have, in one file: a screw, whose one angle turns about an axis
// and slides along it. It is registered, and then everything that asks a joint what it is has to take it.
#include <gtest/gtest.h>

#include "sinew/force/laws.h"
#include "sinew/integrate/integrators.h"
#include "sinew/integrate/step_work.h"
#include "sinew/math/rotation.h"
#include "sinew/model/check.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/measure.h"
#include "sinew/state/series.h"
#include "support/random_tree.h"

namespace sinew::screw_joint_test {
namespace {

constexpr double pitch = 0.3;  // m/rad

// ---- the type -----------------------------------------------------------------------------------

void compileAxes(const JointDescription& source, const std::string& pointer, const Mat3& R_CW, Joint& joint,
                 compiling::Checker& check)
{
    const double sign = joint.childIsFirst ? -1 : 1;
    joint.axis = sign * (R_CW * check.direction(source.axis, pointer + "/axis", "screw"));
}

Transform transform(const Joint& joint, const double* q)
{
    Transform X;
    X.R = joint.R_PC_rest * expRotation(q[0] * joint.axis).toRotationMatrix();
    X.r = joint.anchorParent - X.R * joint.anchorChild + pitch * q[0] * (joint.R_PC_rest * joint.axis);
    return X;
}

void subspace(const Joint& joint, const double*, const Transform&, Subspace& S)
{
    S << joint.anchorChild.cross(joint.axis) + pitch * joint.axis, joint.axis;
}

Force force(const Joint& joint, const double*, const double* Q, const Transform&)
{
    return {Vec3::Zero(), Q[0] * joint.axis};
}

void velocityOf(const Joint& joint, const double*, const Transform&, const Motion& relative, double* u)
{
    u[0] = joint.axis.dot(relative.angular);
}

void coordinatesOf(const Joint& joint, const BodyState& parent, const BodyState& child, double* q,
                   double* u)
{
    const Quat Q = (parent.orientation * Quat(joint.R_PC_rest)).conjugate() * child.orientation;
    const Vec3 axis = parent.orientation * Vec3(joint.R_PC_rest * joint.axis);
    const Vec3 offset = anchorOnChild(joint, child) - anchorOnParent(joint, &parent);
    q[0] = unwrapAngle(twistAngle(Q, joint.axis), axis.dot(offset) / pitch);  // the offset counts turns
    const Vec3 spin = child.angularVelocity - child.orientation.conjugate() * parent.angularVelocityWorld();
    u[0] = joint.axis.dot(spin);
}

const JointTypeInfo screwJoint = {
    .name = "screw",
    .freedoms = 1,
    .axes = 1,
    .compileAxes = compileAxes,
    .transform = transform,
    .subspace = subspace,
    .force = force,
    .velocityOf = velocityOf,
    .coordinatesOf = coordinatesOf,
};

JointType screw()
{
    static const JointType type = registerJointType(screwJoint);
    return type;
}

// ---- the checks ---------------------------------------------------------------------------------

Description screwTree(Random& random, int bodies)
{
    test::TreeOptions options;
    options.bodies = bodies;
    options.joints = {screw(), JointType::hinge, JointType::spherical};
    options.rootJoints = {screw()};
    options.mayFloat = false;
    return test::randomTree(random, options);
}

TEST(ScrewJoint, has_a_name_and_columns_like_any_other)
{
    const JointType type = screw();
    EXPECT_EQ(jointTypeFromName("screw"), type);
    EXPECT_STREQ(jointTypeName(screw()), "screw");
    Random random(1);
    const Model model = test::mustCompile(screwTree(random, 1));
    const std::vector<std::string> names = seriesNames(model);
    EXPECT_NE(std::find(names.begin(), names.end(), "to_body0.angle"), names.end());
    Description lacks = screwTree(random, 1);
    lacks.joints[0].axis.reset();
    const Result<Model> failed = compile(lacks);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().text(), "/joints/0/axis: is missing; a screw joint needs it");
}

TEST(ScrewJoint, moves_along_its_subspace)
{
    Random random(2);
    constexpr double e = 1e-6, tolerance = 1e-8;
    for (int t = 0; t < 10; ++t) {
        const Model model = test::mustCompile(screwTree(random, 2));
        const Joint& joint = model.joints[0];
        const double q = random.normal(), after = q + e, before = q - e;
        const Transform X = jointTransform(joint, &q), A = jointTransform(joint, &after),
                        B = jointTransform(joint, &before);
        Subspace S;
        jointSubspace(joint, &q, X, S);
        const Vec3 linear = X.R.transpose() * (A.r - B.r) / (2 * e);
        const Vec3 angular = logRotation(Quat(Mat3(B.R.transpose() * A.R))) / (2 * e);
        EXPECT_LT((S.col(0).head<3>() - linear).norm(), tolerance);
        EXPECT_LT((S.col(0).tail<3>() - angular).norm(), tolerance);
    }
}

// Rows come out of the subspace: they forbid what it does not have, and stay so as the joint moves.
TEST(ScrewJoint, gets_rows_that_leave_its_subspace_free)
{
    Random random(3);
    for (int t = 0; t < 10; ++t) {
        const Model model = test::mustCompile(screwTree(random, 6));
        const State state = test::randomState(random, model);
        for (int i = 0; i < model.size(); ++i) {
            if (model.joints[i].type != screw()) continue;
            ConstraintRows rows;
            constraintRows(model.joints[i], parentState(model, state, i), state.bodies[i], rows);
            ASSERT_EQ(rows.count, 5);
            const auto velocity = [&](int body) {
                const BodyState& b = state.bodies[body];
                return (Vec6() << b.velocity, b.angularVelocityWorld()).finished();
            };
            for (int r = 0; r < rows.count; ++r) {
                double rate = rows.child.row(r).dot(velocity(i));
                const int parent = model.joints[i].parent;
                if (parent >= 0) rate += rows.parent.row(r).dot(velocity(parent));
                EXPECT_NEAR(rate, 0, 1e-12);
                EXPECT_NEAR(rows.violation[r], 0, 1e-12);
            }
        }
    }
}

// The bias of those rows is in here: without it kkt's bodies would leave their joints.
TEST(ScrewJoint, is_the_same_to_all_methods_that_take_it)
{
    Random random(4);
    Work work, other;
    Accelerations a, truth;
    for (int t = 0; t < 20; ++t) {
        const Model model = test::mustCompile(screwTree(random, 1 + random.below(10)));
        const State state = test::randomState(random, model);
        const Forces forces = test::randomForces(random, model);
        a.resize(model);
        truth.resize(model);
        findMethod("kkt")->accelerate(model, state, forces, other, truth);
        for (const char* name : {"featherstone", "baraff"}) {
            ASSERT_EQ(unsupportedReason(*findMethod(name), model), "");
            findMethod(name)->accelerate(model, state, forces, work, a);
            EXPECT_LT(test::disagreement(a, truth), 1e-9) << name;
        }
    }
}

TEST(ScrewJoint, is_refused_by_what_does_not_know_it)
{
    Random random(5);
    const Description d = screwTree(random, 2);
    const Model model = test::mustCompile(d);
    const std::string reason = unsupportedReason(*findMethod("hakenberg"), model);
    EXPECT_NE(reason.find("a screw joint; it supports hinge, spherical, free"), std::string::npos)
        << reason;
    Description loop = d;
    loop.joints.push_back(loop.joints[0]);
    loop.joints.back().name = "second";
    const Result<Model> failed = compile(loop);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().text().find("which a screw joint cannot"), std::string::npos)
        << failed.error().text();
}

// A body on a screw under gravity, beside the closed form: m g pitch turns it, against J + m pitch² (+ m d²
// about the axis), however it is stepped.
TEST(ScrewJoint, falls_as_its_pitch_lets_it)
{
    for (const char* integrator : {"rk4", "implicit"})
        for (const bool reversed : {false, true}) {
            Description d;
            d.gravity = Vec3(0, -10, 0);
            BodyDescription body;
            body.name = "nut";
            body.mass = 2;
            body.inertia = Mat3(Vec3(0.1, 0.2, 0.3).asDiagonal());
            d.bodies.push_back(body);
            JointDescription joint;
            joint.name = "thread";
            joint.type = screw();
            joint.first = reversed ? "nut" : "world";
            joint.second = reversed ? "world" : "nut";
            joint.position = Vec3(0.5, 0, 0);
            joint.axis = Vec3::UnitY();
            d.joints.push_back(joint);
            Settings settings;
            settings.integrator = integrator;
            settings.step = 1e-3;
            Result<Simulation> made = Simulation::create(d, settings);
            ASSERT_TRUE(made) << made.error().text();
            Simulation& simulation = made.value();
            for (int i = 0; i < 1000; ++i) ASSERT_TRUE(simulation.step().ok);
            const double inertia = 0.2 + 2 * 0.5 * 0.5 + 2 * pitch * pitch;
            const double expected = -0.5 * (2 * 10 * pitch) / inertia * 1.0;
            const double sign = reversed ? -1 : 1;
            // BDF2 begins with a step of first order.
            EXPECT_NEAR(simulation.state.q[0], sign * expected, 1e-4) << integrator << reversed;
        }
}

TEST(ScrewJoint, keeps_energy)
{
    Random random(6);
    Description d = screwTree(random, 4);
    const Model model = test::mustCompile(d);
    State state = test::randomState(random, model);
    const double before = energy(model, state).total();
    StepWork work;
    const Integrator& rk4 = *findIntegrator("rk4");
    for (int i = 0; i < 1000; ++i)
        rk4.stepFor (*findMethod("featherstone"))(model, *findMethod("featherstone"), sceneForces, 1e-3,
                                                  state, work);
    EXPECT_NEAR(energy(model, state).total(), before, 1e-7 * std::abs(before));
}

}  // namespace
}  // namespace sinew::screw_joint_test
