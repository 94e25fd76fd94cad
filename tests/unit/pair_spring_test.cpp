// Springs between bodies, medium and attractors: forces against energies and momentum, derivatives against
// differences, for every kind of end; and Newton's matrix of the implicit step with them.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/force/laws.h"
#include "sinew/force/laws/pair_springs.h"
#include "sinew/integrate/implicit.h"
#include "sinew/integrate/step_work.h"
#include "sinew/model/fields.h"
#include "sinew/model/mirror.h"
#include "sinew/model/springs.h"
#include "support/newton_defect.h"
#include "support/random_tree.h"

namespace sinew::pair_spring_test {
namespace {

constexpr double e = 1e-6;
// Of central differences of forces of size 100.
constexpr double tolerance = 1e-6;

enum Kind { point, pin, polyline, curve, closedCurve, pinOnCurve, plane, sphere, cylinder, turn, kinds };
const char* const names[] = {"point",          "pin",   "polyline", "curve",    "closed curve",
                             "pin on a curve", "plane", "sphere",   "cylinder", "turn"};

SpringForm formOf(Kind kind, Random& random)
{
    SpringCurve path{{Vec3(-1, 0.2, 0.3), Vec3(0, 0.5, 0.1), Vec3(0.7, 0, -0.4), Vec3(1.5, 0.3, 0.6)}};
    switch (kind) {
        case polyline:
            return path;
        case curve:
        case pinOnCurve:
            path.smooth = true;
            return path;
        case closedCurve:
            path.smooth = path.closed = true;
            return path;
        case plane:
            return SpringPlane{test::randomVector(random, 0.3), test::randomVector(random).normalized()};
        case sphere:
            return SpringSphere{test::randomVector(random, 0.3), 0.4};
        case cylinder:
            return SpringCylinder{test::randomVector(random, 0.3), test::randomVector(random).normalized(),
                                  0.3};
        default:
            return SpringPoint{test::randomVector(random, 0.3)};
    }
}

SpringDescription springOf(Kind kind, Random& random, const std::string& first, const std::string& second)
{
    SpringDescription s;
    s.first.body = first;
    s.second.body = second;
    if (kind == turn) {
        s.turnStiffness = 30;
        s.turnDamping = 2;
        return s;
    }
    s.first.form = SpringPoint{test::randomVector(random, 0.5)};
    s.second.form = formOf(kind, random);
    s.length = kind == pin || kind == pinOnCurve ? 0 : 0.4;
    s.stiffness = 40;
    s.damping = 3;
    return s;
}

// Two floating trees and what is between them.
Description scene(Random& random, int bodies)
{
    test::TreeOptions options;
    options.bodies = bodies;
    options.joints = {JointType::hinge, JointType::spherical, JointType::slide};
    Description d = test::randomTree(random, options);
    Description other = test::randomTree(random, options);
    for (BodyDescription& b : other.bodies) {
        b.name = "o" + b.name;
        b.pose.position += Vec3(0.5, 0.3, -0.4);
        d.bodies.push_back(b);
    }
    for (JointDescription& j : other.joints) {
        j.name = "o" + j.name;
        if (j.first != "world") j.first = "o" + j.first;
        if (j.second != "world") j.second = "o" + j.second;
        j.position += Vec3(0.5, 0.3, -0.4);
        d.joints.push_back(j);
    }
    return d;
}

State moved(const State& state, int body, int k, double by)
{
    State s = state;
    const Vec3 d = by * Vec3::Unit(k % 3);
    if (k < 3) {
        s.bodies[body].position += d;
    } else {
        // The angular velocity in the world stays.
        const Vec3 spin = state.bodies[body].angularVelocityWorld();
        s.bodies[body].orientation = (expRotation(d) * state.bodies[body].orientation).normalized();
        s.bodies[body].angularVelocity = s.bodies[body].orientation.conjugate() * spin;
    }
    return s;
}
State pushed(const State& state, int body, int k, double by)
{
    State s = state;
    const Vec3 d = by * Vec3::Unit(k % 3);
    if (k < 3)
        s.bodies[body].velocity += d;
    else
        s.bodies[body].angularVelocity += state.bodies[body].orientation.conjugate() * d;
    return s;
}

// Minus the differences of the wrenches on two bodies, by one of them.
Vec6 wrench(const Model& model, const State& state, int body)
{
    Forces forces;
    sceneForces(model, state, forces);
    Vec6 f;
    f << forces.body[body].force, forces.body[body].torque;
    return f;
}

TEST(PairSpring, tangents_are_those_of_differences_for_every_kind_of_end)
{
    Random random(3);
    for (int kind = 0; kind < kinds; ++kind)
        for (int t = 0; t < 16; ++t) {
            Description d = scene(random, 1);
            d.gravity.setZero();
            const bool hasWorld = t % 4 == 3;
            const std::string a = d.bodies[0].name, b = hasWorld ? "world" : d.bodies[1].name;
            d.springs = {springOf(static_cast<Kind>(kind), random, a, b)};
            if (t % 2) std::swap(d.springs[0].first, d.springs[0].second);
            const Model model = test::mustCompile(d);
            const State state = test::randomState(random, model);
            std::vector<PairTangent> tangents;
            pairForceTangents(model, state, {}, tangents);
            ASSERT_EQ(tangents.size(), 1u);
            const PairTangent& tangent = tangents[0];
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) {
                    if (tangent.body[i] < 0 || tangent.body[j] < 0) continue;
                    Mat6 K = tangent.U[i] * tangent.stiffness[j], D = tangent.U[i] * tangent.damping[j];
                    if (i == j) K += tangent.own[i];
                    for (int k = 0; k < 6; ++k) {
                        const auto change = [&](auto&& change) -> Vec6 {
                            return -(wrench(model, change(state, tangent.body[j], k, e), tangent.body[i]) -
                                     wrench(model, change(state, tangent.body[j], k, -e),
                                            tangent.body[i])) /
                                   (2 * e);
                        };
                        const Vec6 byPlace = change(moved), byVelocity = change(pushed);
                        EXPECT_LT((K.col(k) - byPlace).norm(), tolerance * (1 + byPlace.norm()))
                            << names[kind] << " " << t << " " << i << j << k;
                        EXPECT_LT((D.col(k) - byVelocity).norm(), tolerance * (1 + byVelocity.norm()))
                            << names[kind] << " " << t << " " << i << j << k;
                    }
                }
        }
}

TEST(PairSpring, forces_are_equal_and_opposite_and_go_down_the_energy)
{
    Random random(5);
    for (int kind = 0; kind < kinds; ++kind)
        for (int t = 0; t < 8; ++t) {
            Description d = scene(random, 1);
            d.gravity.setZero();
            d.springs = {springOf(static_cast<Kind>(kind), random, d.bodies[0].name, d.bodies[1].name)};
            const Model model = test::mustCompile(d);
            State state = test::randomState(random, model);
            Forces forces;
            sceneForces(model, state, forces);
            Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
            double size = 0;
            for (int i = 0; i < 2; ++i) {
                force += forces.body[i].force;
                torque += forces.body[i].torque + state.bodies[i].position.cross(forces.body[i].force);
                size += forces.body[i].force.norm() * (1 + state.bodies[i].position.norm()) +
                        forces.body[i].torque.norm();
            }
            EXPECT_LT(force.norm() + torque.norm(), 1e-14 * (1 + size)) << names[kind];

            // Without motion: minus the gradient of the energy.
            for (BodyState& body : state.bodies) body.velocity = body.angularVelocity = Vec3::Zero();
            const auto energy = [&](const State& s) {
                Energy sum;
                findForceLaw("pair_spring")->addEnergies(model, s, [&](int) -> Energy& { return sum; });
                return sum.elastic;
            };
            for (int i = 0; i < 2; ++i) {
                const Vec6 f = wrench(model, state, i);
                for (int k = 0; k < 6; ++k) {
                    const double slope =
                        (energy(moved(state, i, k, e)) - energy(moved(state, i, k, -e))) / (2 * e);
                    EXPECT_NEAR(f[k], -slope, 1e-6 * (1 + f.norm())) << names[kind] << " " << i << k;
                }
            }
        }
}

TEST(PairSpring, one_sided_ones_pull_or_push_only)
{
    Random random(6);
    for (const SpringActs acts : {SpringActs::push, SpringActs::pull})
        for (int t = 0; t < 40; ++t) {
            Description d = scene(random, 1);
            d.springs = {springOf(point, random, d.bodies[0].name, d.bodies[1].name)};
            d.springs[0].length = 1;
            d.springs[0].acts = acts;
            const Model model = test::mustCompile(d);
            const State state = test::randomState(random, model);
            const SpringPull pull = springPull(model.springs[0], state);
            const bool isBeyond = acts == SpringActs::pull ? pull.length > 1 : pull.length < 1;
            if (!isBeyond) EXPECT_EQ(pull.force.norm(), 0);
            const double inward = pull.force.dot(pull.nearest - pull.place);
            EXPECT_GE(acts == SpringActs::pull ? inward : -inward, 0);
            std::vector<PairTangent> tangents;
            pairForceTangents(model, state, {}, tangents);
            EXPECT_EQ(tangents[0].stiffness[0].isZero(0), pull.force.isZero(0));
        }
}

TEST(PairSpring, the_nearest_place_of_a_curve_is_nearest)
{
    Random random(7);
    for (const bool smooth : {false, true})
        for (const bool closed : {false, true}) {
            SpringCurve c{{Vec3(-1, 0.2, 0.3), Vec3(0, 0.5, 0.1), Vec3(0.7, 0, -0.4), Vec3(1.5, 0.3, 0.6)}};
            c.smooth = smooth;
            c.closed = closed;
            for (int t = 0; t < 200; ++t) {
                const Vec3 p = test::randomVector(random);
                const SpringReach reach = springReach(c, p);
                EXPECT_NEAR(reach.distance, (p - reach.nearest).norm(), 1e-14);
                // Near the curve's own samples nothing is nearer.
                for (int s = 0; s < 400; ++s) {
                    const Vec3 near = springReach(c, test::randomVector(random, 0.8)).nearest;
                    EXPECT_GE((p - near).norm(), reach.distance - 1e-12);
                }
                if (reach.tangent.norm() > 0)
                    EXPECT_LT(std::abs(reach.tangent.dot(p - reach.nearest)), 1e-8);
            }
        }
}

TEST(PairSpring, mirrored_springs_and_fields_push_as_in_a_mirror)
{
    Random random(12);
    for (int kind = 0; kind <= kinds; ++kind)
        for (int axis = 0; axis < 3; ++axis) {
            Description d = scene(random, 1);
            d.gravity.setZero();
            if (kind < kinds) {
                d.springs = {springOf(static_cast<Kind>(kind), random, d.bodies[0].name, d.bodies[1].name)};
            } else {
                d.medium = {0.4, 1.3};
                for (BodyDescription& b : d.bodies) b.drag.radius = 0.2;
                FieldDescription wind, gusts, vortex, attractor;
                wind.velocity = {1, 2, 3};
                gusts.type = FieldDescription::Type::gusts;
                gusts.speed = 3;
                gusts.velocity = {0.3, 0.1, 0};
                gusts.orientation = expRotation(Vec3(0.1, 0.5, 0.3));
                vortex.type = FieldDescription::Type::vortex;
                vortex.speed = 4;
                vortex.radius = 0.5;
                vortex.axis = {1, 2, 0.5};
                attractor.type = FieldDescription::Type::attractor;
                attractor.strength = 5;
                attractor.position = {0.3, 1, 0};
                d.fields = {wind, gusts, vortex, attractor};
            }
            Description image = d;
            for (BodyDescription& b : image.bodies) b = mirrored(b, axis);
            for (SpringDescription& s : image.springs) s = mirrored(s, axis);
            for (FieldDescription& f : image.fields) f = mirrored(f, axis);
            const Model model = test::mustCompile(d), other = test::mustCompile(image);
            const State state = test::randomState(random, model);
            State seen = state;
            for (std::size_t i = 0; i < seen.bodies.size(); ++i) {
                BodyState& b = seen.bodies[i];
                const Pose pose = mirrored(Pose{b.position, b.orientation}, axis);
                b.velocity = mirrored(b.velocity, axis);
                b.angularVelocity = mirroredTurn(b.angularVelocity, axis);
                b.position = pose.position;
                b.orientation = pose.orientation;
            }
            Forces forces, seenForces;
            sceneForces(model, state, forces);
            sceneForces(other, seen, seenForces);
            for (std::size_t i = 0; i < 2; ++i) {
                EXPECT_LT((mirrored(forces.body[i].force, axis) - seenForces.body[i].force).norm(), 1e-10);
                EXPECT_LT((mirroredTurn(forces.body[i].torque, axis) - seenForces.body[i].torque).norm(),
                          1e-10);
            }
        }
}

// ---- Newton's matrix ------------------------------------------------------------------------------

TEST(PairSpring, newtons_matrix_with_springs_and_fields_is_the_derivative_of_the_residual)
{
    Random random(8);
    for (int what = 0; what <= kinds; ++what)
        for (int t = 0; t < 4; ++t) {
            Description d = scene(random, 1 + random.below(5));
            const auto any = [&] {
                return d.bodies[static_cast<std::size_t>(random.below(static_cast<int>(d.bodies.size())))]
                    .name;
            };
            for (int s = 0; s < 3; ++s) {
                const std::string a = any();
                std::string b = s == 0 ? std::string("world") : any();
                while (b == a) b = any();
                if (what < kinds) d.springs.push_back(springOf(static_cast<Kind>(what), random, a, b));
            }
            if (what == kinds) {
                d.medium = {0.4, 1.3};
                for (BodyDescription& b : d.bodies) b.drag.radius = random.uniform(0.1, 0.3);
                FieldDescription gusts, vortex, attractor;
                gusts.type = FieldDescription::Type::gusts;
                gusts.speed = 3;
                vortex.type = FieldDescription::Type::vortex;
                vortex.speed = 4;
                vortex.radius = 0.5;
                attractor.type = FieldDescription::Type::attractor;
                attractor.strength = 5;
                attractor.softening = 0.3;
                d.fields = {gusts, vortex, attractor};
            }
            const Model model = test::mustCompile(d);
            State start = test::randomState(random, model);
            start.previous = test::randomState(random, model).bodies;
            State end = start;
            for (const Joint& joint : model.joints) {
                Vec6 move;
                for (double& x : move) x = 0.3 * random.normal();
                jointRetract(joint, start.q.data() + joint.q, move.data(), end.q.data() + joint.q);
            }
            end.time += 0.1;
            for (const double part : {1., 2. / 3})
                EXPECT_LT(test::newtonDefect(model, start, end, 0.1, part), 5e-6)
                    << (what < kinds ? names[what] : "fields") << " " << t;
        }
}

}  // namespace
}  // namespace sinew::pair_spring_test
