// The passes of recursion/ in both number types against the dense mass matrix, with armatures and with the
// blocks of stiffness and damping that linearly implicit steps add; and places against the table of joints.
#include <gtest/gtest.h>

#include "sinew/dynamics/inverse.h"
#include "sinew/dynamics/methods.h"
#include "sinew/math/dense_solve.h"
#include "sinew/math/rotation.h"
#include "sinew/recursion/advance.h"
#include "sinew/recursion/loads.h"
#include "sinew/recursion/others.h"
#include "support/random_tree.h"

namespace sinew::test::recursion_test {
namespace {

using namespace recursion;

constexpr int trees = 60;
// Sixty random trees of up to twenty links; their mass matrices have condition numbers up to 10⁴.
constexpr double doubleTolerance = 1e-10, floatTolerance = 2e-3;

template <class T>
double tolerance()
{
    return std::is_same_v<T, double> ? doubleTolerance : floatTolerance;
}

Description someTree(Random& random, const std::vector<JointType>& joints)
{
    TreeOptions options;
    options.bodies = 1 + random.below(20);
    options.joints = options.rootJoints = joints;
    Description d = randomTree(random, options);
    for (JointDescription& joint : d.joints)
        if (jointTypeInfo(joint.type).isArticulated() && random.below(3) == 0)
            joint.armature = random.uniform(0.01, 1);
    return d;
}

std::vector<JointType> allJoints()
{
    std::vector<JointType> types;
    for (int t = 0; t < jointTypeCount(); ++t) types.push_back(static_cast<JointType>(t));
    return types;
}

template <class T>
std::vector<T> numbers(const VecX& from)
{
    std::vector<T> to;
    for (double x : from) to.push_back(T(x));
    return to;
}

// A figure in the number type T, with all of its memory.
template <class T>
struct Copy {
    std::vector<LinkData<T>> data;
    std::vector<Placed<T>> bodies;
    std::vector<Wrench<T>> forces;
    std::vector<T> jointForces, rates;
    std::vector<JointBlock<T>> blocks;
    std::vector<Link<T>> links;
    std::vector<Resistance<T>> gathered;
    std::vector<Extra<T>> extras;

    Copy(const Model& model, const State& state, const Forces& push)
        : jointForces(numbers<T>(push.joint)),
          rates(static_cast<std::size_t>(model.freedomCount)),
          links(model.bodies.size()),
          gathered(model.bodies.size())
    {
        for (int i = 0; i < model.size(); ++i) {
            data.push_back(sinew::converted<T>(model.links[i]));
            const Placed<double> b = read(state.bodies[i]);
            bodies.push_back({sinew::converted<T>(b.position), sinew::converted<T>(b.orientation),
                              sinew::converted<T>(b.velocity), sinew::converted<T>(b.angularVelocity)});
            const Wrench<double> f = read(push.body[i]);
            forces.push_back({sinew::converted<T>(f.force), sinew::converted<T>(f.torque)});
        }
        for (int i : model.extraLinks) {
            Extra<double> extra;
            setExtra(model, i, state.q.data(), state.u.data(), nullptr, extra);
            extras.push_back(recursion::converted<T>(extra));
        }
    }
    auto figure()
    {
        using Given = Written<T, const Wrench<T>*>;
        return recursion::Figure<T, Given, const Placed<T>*>{
            data.data(),
            static_cast<int>(data.size()),
            bodies.data(),
            Given(forces.data(), jointForces.data(), blocks.empty() ? nullptr : blocks.data()),
            links.data(),
            gathered.data(),
            extras.data()};
    }
    void accelerate()
    {
        recursion::eliminate<T>(figure());
        recursion::accelerate<T>(figure(), rates.data());
    }
};

// A positive block per link, and all of them on the diagonal of a matrix. Of hinges only d counts, as their
// springs have it.
JointBlock<double> randomBlock(Random& random, const Joint& joint)
{
    const double size = random.uniform(0.01, 20);
    if (joint.freedoms() == 1) return {size, 0, Vector3<double>::zero()};
    return {size, random.uniform(0, 2), small(randomVector(random))};
}
void addBlock(const Joint& joint, const JointBlock<double>& block, MatX& M)
{
    if (!joint.isArticulated()) return;
    const double along[3] = {block.along.x, block.along.y, block.along.z};
    for (int r = 0; r < joint.freedoms(); ++r) {
        M(joint.u + r, joint.u + r) += block.diagonal;
        for (int c = 0; c < joint.freedoms(); ++c)
            M(joint.u + r, joint.u + c) += block.weight * along[r] * along[c];
    }
}

template <class T>
class Recursion : public testing::Test {
};
using NumberTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(Recursion, NumberTypes);

template <class T>
void compareWithDense(const std::vector<JointType>& joints, bool hasBlocks, std::uint64_t seed)
{
    Random random(seed);
    Work work;
    for (int t = 0; t < trees; ++t) {
        const Model model = mustCompile(someTree(random, joints));
        if (model.freedomCount == 0) continue;
        const State state = randomState(random, model);
        const Forces forces = randomForces(random, model);
        Copy<T> copy(model, state, forces);
        MatX M;
        VecX bias;
        massMatrix(model, state, work, M);
        biasForces(model, state, forces.body, work, bias);
        if (hasBlocks)
            for (int i = 0; i < model.size(); ++i) {
                const JointBlock<double> block = randomBlock(random, model.joints[i]);
                copy.blocks.push_back(
                    {T(block.diagonal), T(block.weight), sinew::converted<T>(block.along)});
                addBlock(model.joints[i], block, M);
            }
        copy.accelerate();
        const VecX truth = solveDense(M, VecX(forces.joint - bias));
        RelativeError error;
        VecX found(model.freedomCount);
        for (int k = 0; k < found.size(); ++k) found[k] = double(copy.rates[static_cast<std::size_t>(k)]);
        error.add(found, truth);
        EXPECT_LT(error.value(), tolerance<T>()) << "tree " << t << " of " << model.size() << " links";
    }
}

TYPED_TEST(Recursion, agrees_with_the_mass_matrix_for_each_joint_type)
{
    for (JointType type : allJoints()) {
        SCOPED_TRACE(jointTypeName(type));
        compareWithDense<TypeParam>({type}, false, 3);
    }
}

TYPED_TEST(Recursion, agrees_with_the_mass_matrix_for_joints_of_all_types)
{
    compareWithDense<TypeParam>(allJoints(), false, 4);
}

TYPED_TEST(Recursion, takes_stiffness_and_damping_of_joints_into_the_matrix)
{
    for (JointType type : allJoints()) {
        SCOPED_TRACE(jointTypeName(type));
        compareWithDense<TypeParam>({type}, true, 5);
    }
    compareWithDense<TypeParam>(allJoints(), true, 6);
}

// A limb of ten million times the mass of what it hangs on: what a joint passes along its own freedoms, and
// what a ball joint's matrix and its right side have in common, are differences of large numbers. With an
// inverse by cofactors no digit was left in trees of ball joints.
TEST(RecursionOfUnevenMasses, keeps_the_digits_of_a_light_parent)
{
    constexpr double ratio = 1e7, relative = 1e-7;  // rounding times the ratio, and a hundred
    const Method& oracle = *findMethod("kkt");
    for (JointType type : {JointType::hinge, JointType::spherical, JointType::slide, JointType::universal,
                           JointType::cylindrical, JointType::planar}) {
        SCOPED_TRACE(jointTypeName(type));
        Random random(8);
        Work work;
        for (int t = 0; t < 20; ++t) {
            TreeOptions options;
            options.bodies = 4;
            options.joints = options.rootJoints = {type};
            options.mayFloat = false;
            Description d = randomTree(random, options);
            for (BodyDescription& body : d.bodies) {
                if (body.name != "body3") continue;
                *body.mass *= ratio;
                body.inertia = Mat3(ratio * *body.inertia);
            }
            const Model model = mustCompile(d);
            const State state = randomState(random, model);
            const Forces forces = randomForces(random, model);
            Copy<double> copy(model, state, forces);
            copy.accelerate();
            Accelerations truth;
            truth.resize(model);
            oracle.accelerate(model, state, forces, work, truth);
            RelativeError error;
            error.add(view(copy.rates.data(), model.freedomCount), truth.joint);
            EXPECT_LT(error.value(), relative) << "tree " << t;
        }
    }
}

TYPED_TEST(Recursion, places_bodies_as_the_table_of_joints_does)
{
    using T = TypeParam;
    Random random(9);
    const double limit = std::is_same_v<T, double> ? 1e-13 : 1e-5;
    for (int t = 0; t < trees; ++t) {
        const Model model = mustCompile(someTree(random, allJoints()));
        State state = randomState(random, model);
        VecX delta(model.freedomCount);
        for (double& x : delta) x = (t % 2 ? 1 : 0.05) * random.normal();
        Copy<T> copy(model, state, randomForces(random, model));
        const std::vector<T> from = numbers<T>(state.q), step = numbers<T>(delta), u = numbers<T>(state.u);
        std::vector<T> q(from.size());
        place(model, copy.data.data(), from.data(), step.data(), q.data(), u.data(), copy.bodies.data());

        const VecX base = state.q;
        for (const Joint& joint : model.joints)
            jointRetract(joint, base.data() + joint.q, delta.data() + joint.u, state.q.data() + joint.q);
        bodiesFromJoints(model, state);
        double away = 0;
        const auto compare = [&](double a, T b) { away = std::max(away, std::abs(a - double(b))); };
        for (int k = 0; k < state.q.size(); ++k) compare(state.q[k], q[static_cast<std::size_t>(k)]);
        for (int i = 0; i < model.size(); ++i) {
            const BodyState& a = state.bodies[i];
            const Placed<T>& b = copy.bodies[static_cast<std::size_t>(i)];
            const Vector3<T> vectors[] = {b.position, b.velocity, b.angularVelocity};
            const Vec3 truth[] = {a.position, a.velocity, a.angularVelocity};
            for (int k = 0; k < 3; ++k) {
                compare(truth[k].x(), vectors[k].x);
                compare(truth[k].y(), vectors[k].y);
                compare(truth[k].z(), vectors[k].z);
            }
            compare(a.orientation.x(), b.orientation.x);
            compare(a.orientation.y(), b.orientation.y);
            compare(a.orientation.z(), b.orientation.z);
            compare(a.orientation.w(), b.orientation.w);
        }
        EXPECT_LT(away, limit * (1 + 10. * model.size())) << "tree " << t;
    }
}

// The step of one pass outward is that of accelerations, a kick and places, one after the other.
TYPED_TEST(Recursion, advances_as_its_passes_do_by_themselves)
{
    using T = TypeParam;
    Random random(11);
    const double limit = std::is_same_v<T, double> ? 1e-13 : 1e-5;
    for (int t = 0; t < trees; ++t) {
        const Model model = mustCompile(someTree(random, allJoints()));
        const State state = randomState(random, model);
        const T h = T(1e-3);
        Copy<T> apart(model, state, randomForces(random, model)), atOnce = apart;
        std::vector<T> q = numbers<T>(state.q), u = numbers<T>(state.u), ownQ = q, ownU = u, way(u.size());
        apart.accelerate();
        for (std::size_t k = 0; k < u.size(); ++k) {
            u[k] = u[k] + h * apart.rates[k];
            way[k] = h * u[k];
        }
        place(model, apart.data.data(), q.data(), way.data(), q.data(), u.data(), apart.bodies.data());
        recursion::eliminate<T>(atOnce.figure());
        recursion::advance<T>(model, atOnce.figure(), h, ownQ.data(), ownU.data(), atOnce.bodies.data());
        double away = 0, size = 1;
        const auto compare = [&](T a, T b) {
            away = std::max(away, std::abs(double(a - b)));
            size = std::max(size, std::abs(double(a)));
        };
        for (std::size_t k = 0; k < q.size(); ++k) compare(q[k], ownQ[k]);
        for (std::size_t k = 0; k < u.size(); ++k) compare(u[k], ownU[k]);
        for (std::size_t i = 0; i < apart.bodies.size(); ++i) {
            const Placed<T>&a = apart.bodies[i], &b = atOnce.bodies[i];
            compare(a.position.x, b.position.x);
            compare(a.velocity.y, b.velocity.y);
            compare(a.angularVelocity.z, b.angularVelocity.z);
            compare(a.orientation.w, b.orientation.w);
        }
        EXPECT_LT(away, limit * size) << "tree " << t;
    }
}

TEST(Exponential, agrees_with_expRotation_on_both_sides_of_the_series)
{
    Random random(10);
    for (int t = 0; t < 2000; ++t) {
        const Vec3 phi = std::exp(random.uniform(-20, 2)) * randomVector(random).normalized();
        const Quat truth = expRotation(phi);
        const Quat found = large(exponential(small(phi)));
        EXPECT_LT((truth.coeffs() - found.coeffs()).cwiseAbs().maxCoeff(), 4e-16) << phi.norm();
        // Small turns keep their digits.
        EXPECT_LT((truth.vec() - found.vec()).norm(), 4e-16 * truth.vec().norm()) << phi.norm();
    }
}

}  // namespace
}  // namespace sinew::test::recursion_test
