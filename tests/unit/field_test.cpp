// Winds, gusts, vortices, attractors and resistance: values against closed forms, derivatives against
// differences.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/field/air.h"
#include "sinew/field/medium.h"

namespace sinew::field_test {
namespace {

using Type = FieldDescription::Type;
constexpr double differenceStep = 1e-5;
// Central differences of smooth functions of size one: h² and rounding over h.
constexpr double differenceError = 1e-8;

FieldDescription gusts(double speed, double size, std::uint32_t seed = 7)
{
    FieldDescription field;
    field.type = Type::gusts;
    field.speed = speed;
    field.size = size;
    field.duration = 2;
    field.velocity = {1, 0.2, 0};
    field.seed = seed;
    makeGustWaves(field);
    return field;
}
FieldDescription vortex()
{
    FieldDescription field;
    field.type = Type::vortex;
    field.position = {0.3, 0, -0.2};
    field.axis = Vec3(1, 2, -0.5).normalized();
    field.radius = 0.7;
    field.speed = 3;
    return field;
}
FieldDescription wind()
{
    FieldDescription field;
    field.velocity = {1, 2, 3};
    field.signal = Signal(SineSignal{1, 0.5, 0.3, 2});
    return field;
}
FieldDescription attractor(int exponent, double softening, bool byMass)
{
    FieldDescription field;
    field.type = Type::attractor;
    field.position = {0.5, -0.3, 0.1};
    field.strength = exponent % 2 ? -1.3 : 2.1;
    field.exponent = exponent;
    field.softening = softening;
    field.byMass = byMass;
    return field;
}
Vec3 somewhere(Random& random)
{
    return {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
}
template <class F>
Mat3 differences(const Vec3& x, F&& f)
{
    Mat3 out;
    for (int i = 0; i < 3; ++i) {
        Vec3 a = x, b = x;
        a[i] -= differenceStep;
        b[i] += differenceStep;
        out.col(i) = (f(b) - f(a)) / (2 * differenceStep);
    }
    return out;
}

TEST(Field, the_gradient_of_the_air_is_that_of_differences)
{
    Random random(1);
    const std::vector<FieldDescription> fields = {wind(), gusts(2, 1.5), vortex()};
    for (int i = 0; i < 50; ++i) {
        const Vec3 x = somewhere(random);
        const double time = random.uniform(0, 5);
        Mat3 gradient;
        airVelocity(fields, time, x, &gradient);
        const Mat3 expected = differences(x, [&](const Vec3& at) { return airVelocity(fields, time, at); });
        EXPECT_LT((gradient - expected).norm(), differenceError * 10);
    }
}

TEST(Field, gusts_and_vortices_neither_gather_nor_thin_the_air)
{
    Random random(2);
    const std::vector<FieldDescription> fields = {gusts(5, 0.8), vortex()};
    for (int i = 0; i < 50; ++i) {
        Mat3 gradient;
        airVelocity(fields, 1.5, somewhere(random), &gradient);
        EXPECT_NEAR(gradient.trace(), 0, 1e-13 * gradient.norm());
    }
}

TEST(Field, prepared_air_is_the_same_air)
{
    Random random(3);
    const std::vector<FieldDescription> fields = {wind(), gusts(2, 1.5), vortex(), attractor(2, 0, true)};
    Air<double> air;
    Air<float> small;
    for (int i = 0; i < 50; ++i) {
        const Vec3 x = somewhere(random);
        const double time = random.uniform(0, 1000);
        air.prepare(fields, time);
        small.prepare(fields, time);
        const Vec3 expected = airVelocity(fields, time, x);
        const Triple<double> u = air.velocity(x.x(), x.y(), x.z());
        const Triple<float> v = small.velocity(float(x.x()), float(x.y()), float(x.z()));
        EXPECT_LT((Vec3(u.x, u.y, u.z) - expected).norm(), 1e-13 * (1 + expected.norm()));
        EXPECT_LT((Vec3(v.x, v.y, v.z) - expected).norm(), 2e-5);  // 24 bits, some waves of gradient 10
    }
}

TEST(Field, gusts_are_as_fast_as_they_say_and_change_with_the_seed)
{
    Random random(4);
    const std::vector<FieldDescription> fields = {gusts(3, 1)};
    double square = 0;
    constexpr int samples = 20000;
    for (int i = 0; i < samples; ++i)
        square += airVelocity(fields, random.uniform(0, 100), 30 * somewhere(random)).squaredNorm();
    // Twelve waves, sampled over many lengths: the mean is known to about one part in √20000.
    EXPECT_NEAR(std::sqrt(square / samples), 3, 0.05);
    const std::vector<FieldDescription> others = {gusts(3, 1, 8)};
    EXPECT_GT((airVelocity(fields, 0, Vec3::Zero()) - airVelocity(others, 0, Vec3::Zero())).norm(), 0.01);
}

TEST(Field, mirrored_and_turned_gusts_are_the_image_of_gusts)
{
    const FieldDescription plain = gusts(2, 1);
    FieldDescription image = plain;
    const Quat R = Quat(0.3, -0.5, 0.2, 0.6).normalized();
    const Mat3 D = Vec3(-1, 1, 1).asDiagonal();
    const Mat3 A = R.toRotationMatrix() * D;
    const Vec3 shift(0.4, 0.5, -0.6);
    image.mirrored = true;
    image.orientation = R;
    image.position = shift;
    image.velocity = A * plain.velocity;
    Random random(5);
    for (int i = 0; i < 20; ++i) {
        const Vec3 x = somewhere(random);
        const Vec3 u = airVelocity({&plain, 1}, 2.5, x), v = airVelocity({&image, 1}, 2.5, A * x + shift);
        EXPECT_LT((v - A * u).norm(), 1e-12);
    }
}

TEST(Field, a_vortex_is_fastest_at_its_radius_and_turns_like_a_right_hand)
{
    FieldDescription field = vortex();
    field.axis = {0, 0, 1};
    field.position.setZero();
    const auto around = [&](double r) { return airVelocity({&field, 1}, 0, Vec3(r, 0, 0.4)); };
    EXPECT_LT((around(field.radius) - Vec3(0, field.speed, 0)).norm(), 1e-14);
    EXPECT_LT(around(0.9 * field.radius).norm(), field.speed);
    EXPECT_LT(around(1.1 * field.radius).norm(), field.speed);
    EXPECT_EQ(around(0).norm(), 0);
}

TEST(Field, attractors_pull_down_their_potential_and_know_their_gradient)
{
    Random random(6);
    for (int exponent = -1; exponent <= 4; ++exponent)
        for (const double softening : {0., 0.4})
            for (const bool byMass : {false, true}) {
                const FieldDescription field = attractor(exponent, softening, byMass);
                constexpr double mass = 1.7, time = 0.3;
                const auto force = [&](const Vec3& x) -> Vec3 {
                    const Attraction a = attraction({&field, 1}, time, x);
                    return mass * a.acceleration + a.force;
                };
                for (int i = 0; i < 10; ++i) {
                    Vec3 x = somewhere(random);
                    while ((x - field.position).norm() < 0.5) x = somewhere(random);
                    AttractionGradient gradient;
                    attraction({&field, 1}, time, x, &gradient);
                    const Mat3 whole = mass * gradient.acceleration + gradient.force;
                    const double scale = 1 + whole.norm() * 100;
                    EXPECT_LT((whole - differences(x, force)).norm(), differenceError * scale);
                    Vec3 down;
                    for (int k = 0; k < 3; ++k) {
                        const Vec3 e = differenceStep * Vec3::Unit(k);
                        down[k] = -(attractionEnergy({&field, 1}, time, x + e, mass) -
                                    attractionEnergy({&field, 1}, time, x - e, mass)) /
                                  (2 * differenceStep);
                    }
                    EXPECT_LT((down - force(x)).norm(), differenceError * scale) << exponent;
                }
            }
}

TEST(Field, the_logarithmic_potential_is_a_logarithm)
{
    const FieldDescription field = attractor(1, 0, true);
    const double at1 = attractionEnergy({&field, 1}, 0, field.position + Vec3(1, 0, 0), 1);
    for (const double r : {1e-8, 0.3, 0.7, 0.9999, 1.4, 2., 17., 1e9}) {
        const double at = attractionEnergy({&field, 1}, 0, field.position + Vec3(r, 0, 0), 1);
        const double exact =
            field.strength * std::log((field.position + Vec3(r, 0, 0) - field.position).norm());
        EXPECT_NEAR(at - at1, exact, 1e-15 * (1 + std::abs(exact)) * 4) << r;
    }
}

TEST(Field, resistance_knows_its_derivative)
{
    const MediumDescription medium{0.3, 1.2};
    const Resistance<double> resistance = resistanceOf(medium, sphereDrag(0.2));
    EXPECT_DOUBLE_EQ(resistance.linear, 6 * pi * 0.3 * 0.2);
    EXPECT_DOUBLE_EQ(resistance.quadratic, 0.5 * 1.2 * 0.47 * pi * 0.04);
    Random random(8);
    for (int i = 0; i < 20; ++i) {
        const Vec3 v = 3 * somewhere(random);
        Mat3 D;
        resist(resistance, v, &D);
        const Mat3 expected = differences(v, [&](const Vec3& at) { return resist(resistance, at); });
        EXPECT_LT((D + expected).norm(), differenceError);
    }
    Mat3 D;
    EXPECT_EQ(resist(resistance, Vec3::Zero(), &D).norm(), 0);
    EXPECT_LT((D - resistance.linear * Mat3::Identity()).norm(), 1e-15);
}

}  // namespace
}  // namespace sinew::field_test
