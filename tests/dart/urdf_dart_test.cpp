// Robots from URDF files against DART's reader of the same files: mass matrix, bias forces and
// accelerations at random states.
//
// DART keeps every link, we merge those on fixed joints; both have the same freedoms. Those of a floating
// root differ: u = T(q) u_D with T read off DART's own kinematics (the velocity of our root's centre of
// mass for each of its unit velocities), so that
//     M_D = Tᵀ M T        b_D = Tᵀ (b + M Ṫ u_D)        u̇ = T u̇_D + Ṫ u_D
// with Ṫ u_D the acceleration of that point at u̇_D = 0. World axes: (x, y, z) of a file are (x, z, −y)
// ours.
#include <gtest/gtest.h>

#include <cstdlib>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/DegreeOfFreedom.hpp>
#include <dart/dynamics/Joint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sinew/base/random.h"
#include "sinew/dynamics/inverse.h"
#include "sinew/dynamics/methods.h"
#include "sinew/dynamics/work.h"
#include "sinew/force/laws.h"
#include "sinew/io/urdf/scene.h"
#include "sinew/state/kinematics.h"
#include "support/sample_data.h"

namespace sinew {
namespace {

constexpr int statesPerRobot = 100;
// What both compute in double, by different recursions, on robots whose links differ by 10⁴ in mass.
constexpr double agreement = 1e-8;

// Shapes stand for nothing here, and the meshes are not at hand.
std::string withoutShapes(std::string text)
{
    for (const std::string name : {"visual", "collision", "self_collision_checking", "collision_checking"})
        for (std::size_t at = 0; (at = text.find("<" + name, at)) != text.npos;) {
            const char after = text[at + name.size() + 1];
            const std::string close = "</" + name + ">";
            const std::size_t end = text.find(close, at);
            if ((after != '>' && after != ' ' && after != '\n') || end == text.npos)
                ++at;
            else
                text.erase(at, end + close.size() - at);
        }
    return text;
}

std::string textOf(const std::string& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

dart::dynamics::SkeletonPtr dartRobot(const std::string& text, bool fixedBase)
{
    using Loader = dart::utils::DartLoader;
    Loader::Options options;
    options.mDefaultRootJointType =
        fixedBase ? Loader::RootJointType::FIXED : Loader::RootJointType::FLOATING;
    options.mDefaultInertia.setMass(0);
    options.mDefaultInertia.setMoment(Mat3::Zero());
    dart::dynamics::SkeletonPtr robot = Loader(options).parseSkeletonString(text, dart::common::Uri());
    if (!robot) return robot;
    robot->setGravity(Vec3(0, 0, -9.81));
    for (std::size_t j = 0; j < robot->getNumJoints(); ++j)
        for (std::size_t k = 0; k < robot->getJoint(j)->getNumDofs(); ++k) {
            robot->getJoint(j)->setDampingCoefficient(k, 0);  // compared apart: it is implicit there
            robot->getJoint(j)->setCoulombFriction(k, 0);
        }
    return robot;
}

// Ours from the file's axes.
Mat3 turned()
{
    Mat3 Q;
    Q << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    return Q;
}

class Comparison {
public:
    Comparison(const std::string& text, bool fixedBase)
        : imported_(urdfScene(parseUrdf(text, "robot.urdf").value(), {fixedBase, false}).value()),
          model_(compiled(imported_.scene)),
          robot_(dartRobot(text, fixedBase)),
          random_(7)
    {
        // Without what DART has been told to leave out.
        for (Joint& joint : model_.joints) joint.damping = joint.coulomb = 0;
    }

    void run()
    {
        ASSERT_TRUE(robot_);
        ASSERT_EQ(static_cast<int>(robot_->getNumDofs()), model_.freedomCount);
        EXPECT_NEAR(robot_->getMass(), model_.mass(), agreement * robot_->getMass());
        for (int i = 0; i < statesPerRobot; ++i) compareState();
    }

    double worst[3] = {0, 0, 0};  // mass matrix, bias, accelerations, relative
    const Imported& imported() const { return imported_; }
    int freedoms() const { return model_.freedomCount; }

private:
    static Model compiled(const Description& scene)
    {
        Result<Model> model = compile(scene);
        EXPECT_TRUE(model) << model.error().text();
        return model.value();
    }

    bool floats() const { return model_.joints[0].type == JointType::free; }

    // DART's and our state, the same one.
    State place(VecX& dartVelocity)
    {
        const auto uniform = [&] { return random_.uniform(-1, 1); };
        State state = restState(model_);
        for (std::size_t d = 0; d < robot_->getNumDofs(); ++d) {
            robot_->setPosition(d, 1.5 * uniform());
            dartVelocity[static_cast<int>(d)] = 2 * uniform();
        }
        robot_->setVelocities(dartVelocity);
        robot_->setAccelerations(VecX::Zero(dartVelocity.size()));
        for (int i = 0; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            if (joint.type != JointType::hinge && joint.type != JointType::slide) continue;
            const auto* other = robot_->getJoint(joint.name);
            if (other == nullptr) {
                ADD_FAILURE() << "DART has no joint " << joint.name;
                continue;
            }
            state.q[joint.q] = other->getPosition(0);
            state.u[joint.u] = other->getVelocity(0);
        }
        if (floats()) {
            // The root's frame in the file is that of our body before it was moved to the centre of mass.
            const Eigen::Isometry3d frame = root()->getWorldTransform();
            const Mat3 R = turned() * frame.linear();
            const Vec3 p = turned() * frame.translation() + R * model_.bodies[0].center;
            const Quat turn(Mat3(model_.joints[0].R_PC_rest.transpose() * R));
            state.q.segment<3>(model_.joints[0].q) = p;
            state.q.segment<4>(model_.joints[0].q + 3) = turn.coeffs();
            state.u.segment<6>(model_.joints[0].u) = rootVelocity();
        }
        bodiesFromJoints(model_, state);
        return state;
    }

    const dart::dynamics::BodyNode* root() const { return robot_->getBodyNode(model_.bodies[0].name); }

    // The same coordinates as our free joint has.
    Vec6 rootVelocity() const
    {
        const Vec3 center = model_.bodies[0].center;
        Vec6 u;
        u << turned() * root()->getLinearVelocity(center),
            root()->getWorldTransform().linear().transpose() * root()->getAngularVelocity();
        return u;
    }
    Vec6 rootAcceleration() const
    {
        const Vec3 center = model_.bodies[0].center;
        // R ω_B = ω_W, so the rate of ω_B is the angular acceleration turned into the body's axes.
        Vec6 a;
        a << turned() * root()->getLinearAcceleration(center),
            root()->getWorldTransform().linear().transpose() * root()->getAngularAcceleration();
        return a;
    }

    // u = T u_D at the present place.
    MatX transform(const VecX& velocity)
    {
        const int n = model_.freedomCount;
        MatX T = MatX::Zero(n, n);
        for (int i = 0; i < model_.size(); ++i) {
            const Joint& joint = model_.joints[i];
            if (joint.type != JointType::hinge && joint.type != JointType::slide) continue;
            T(joint.u, static_cast<int>(robot_->getJoint(joint.name)->getDof(0)->getIndexInSkeleton())) = 1;
        }
        if (floats())
            for (int d = 0; d < n; ++d) {
                robot_->setVelocities(VecX::Unit(n, d));
                T.block<6, 1>(model_.joints[0].u, d) = rootVelocity();
            }
        robot_->setVelocities(velocity);
        return T;
    }

    void compareState()
    {
        const int n = model_.freedomCount;
        VecX velocity(n);
        const State state = place(velocity);
        Work work;
        Forces forces;
        forces.setZero(model_);
        for (int i = 0; i < model_.size(); ++i)
            forces.body[i].force = model_.bodies[i].mass * model_.gravity;
        MatX M;
        massMatrix(model_, state, work, M);
        VecX bias;
        biasForces(model_, state, forces.body, work, bias);
        Accelerations accelerations;
        accelerations.resize(model_);
        findMethod("featherstone")->accelerate(model_, state, forces, work, accelerations);

        const MatX T = transform(velocity);
        VecX drift = VecX::Zero(n);  // Ṫ u_D
        if (floats()) drift.segment<6>(model_.joints[0].u) = rootAcceleration();

        const MatX massOfDart = robot_->getMassMatrix();
        const VecX biasOfDart = robot_->getCoriolisAndGravityForces();
        note(0, (T.transpose() * M * T - massOfDart).norm() / massOfDart.norm());
        note(1, (T.transpose() * (bias + M * drift) - biasOfDart).norm() / biasOfDart.norm());

        robot_->setForces(VecX::Zero(n));
        robot_->computeForwardDynamics();
        const VecX expected = T * robot_->getAccelerations() + drift;
        note(2, (accelerations.joint - expected).norm() / expected.norm());
    }

    void note(int which, double difference)
    {
        // A difference that is no number must not pass for none.
        if (!(difference <= worst[which])) worst[which] = difference;
    }

    Imported imported_;
    Model model_;
    dart::dynamics::SkeletonPtr robot_;
    Random random_;
};

void expectAgreement(const std::string& name, const std::string& text)
{
    for (const bool fixedBase : {true, false}) {
        Comparison comparison(text, fixedBase);
        comparison.run();
        std::printf("%s, %s base, %d freedoms: mass matrix %.1e, bias %.1e, accelerations %.1e\n",
                    name.c_str(), fixedBase ? "fixed" : "floating", comparison.freedoms(),
                    comparison.worst[0], comparison.worst[1], comparison.worst[2]);
        for (const double worst : comparison.worst) EXPECT_LE(worst, agreement) << name;
    }
}

TEST(UrdfAgainstDart, every_sample_robot_has_the_same_equations_of_motion)
{
    const std::string folder = sampleData("urdf");
    if (folder.empty()) GTEST_SKIP() << sampleDataMissing;
    int robots = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder))
        if (file.path().extension() == ".urdf") {
            expectAgreement(file.path().filename().string(), withoutShapes(textOf(file.path().string())));
            ++robots;
        }
    EXPECT_GT(robots, 0);
}

// Turned frames, a turned inertia, a slide, fixed parts with mass and without: all that matters, small.
TEST(UrdfAgainstDart, a_robot_with_every_kind_of_turned_frame_has_the_same_equations_of_motion)
{
    expectAgreement("small robot", R"(<robot name="small">
  <link name="base"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 0.5"/><mass value="3"/>
    <inertia ixx="0.03" iyy="0.05" izz="0.06" ixy="0.002" ixz="-0.001" iyz="0.004"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0.1 0.4" rpy="1 2 3"/><mass value="1.5"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="-0.003"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.004" izz="0.0045" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0 0.05" rpy="0 1 0"/><mass value="0.2"/>
    <inertia ixx="0.0002" iyy="0.0003" izz="0.0004" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="point"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.1 0 0.2" rpy="0.4 0.5 -0.6"/>
    <axis xyz="1 2 -1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="b" type="prismatic"><parent link="arm"/><child link="rod"/><origin xyz="0 0 0.5" rpy="-1 0.2 0.1"/>
    <axis xyz="0 1 1"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
  <joint name="c" type="fixed"><parent link="rod"/><child link="tool"/><origin xyz="0.3 0 0" rpy="0.7 0.1 -2"/></joint>
  <joint name="d" type="fixed"><parent link="tool"/><child link="point"/><origin xyz="0.3 0 0"/></joint>
</robot>)");
}

}  // namespace
}  // namespace sinew
