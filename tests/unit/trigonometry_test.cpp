// The project's own sine, cosine and atan2 against the C library's in extended precision.
#include "sinew/math/trigonometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/base/random.h"
#include "sinew/math/small_trigonometry.h"

namespace sinew {
namespace {

// How far from the exact value, in units in the last place of the result.
double unitsOff(double value, long double exact)
{
    const double size = std::max(std::abs(value), std::numeric_limits<double>::min());
    const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
    return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / unit);
}

class TrigonometryInUnits : public ::testing::Test {
    void SetUp() override
    {
        if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "no extended precision here";
    }
};

TEST_F(TrigonometryInUnits, sine_and_cosine_are_within_one_unit_in_the_last_place)
{
    Random random(1);
    double worstSine = 0, worstCosine = 0;
    for (int i = 0; i < 200000; ++i) {
        const double size = std::pow(10., random.uniform(-8, 5.9));
        const double x = random.uniform(-1, 1) * size;
        worstSine = std::max(worstSine, unitsOff(sine(x), std::sin(static_cast<long double>(x))));
        worstCosine = std::max(worstCosine, unitsOff(cosine(x), std::cos(static_cast<long double>(x))));
    }
    EXPECT_LT(worstSine, 1);
    EXPECT_LT(worstCosine, 1);
}

// Of single numbers, and of lanes, which come to the same bits.
template <class Number, int N>
void expectSmallOnes(double largest)
{
    using Wide = Lanes<Number, N>;
    Random random(3);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        Wide x, s, c;
        for (int k = 0; k < N; ++k)
            x.v[k] =
                static_cast<Number>(random.uniform(-1, 1) * std::pow(10., random.uniform(-8, largest)));
        sineAndCosine(x, s, c);
        for (int k = 0; k < N; ++k) {
            const Number own = x.v[k];
            Number ownS, ownC;
            sineAndCosine(own, ownS, ownC);
            EXPECT_EQ(ownS, s.v[k]);
            EXPECT_EQ(ownC, c.v[k]);
            worst =
                std::max(worst, std::abs(double(ownC) - double(std::cos(static_cast<long double>(own)))));
            worst =
                std::max(worst, std::abs(double(ownS) - double(std::sin(static_cast<long double>(own)))));
            // Small angles keep their digits.
            EXPECT_NEAR(ownS, std::sin(double(own)),
                        2 * std::numeric_limits<Number>::epsilon() * std::abs(double(own)));
        }
    }
    EXPECT_LT(worst, std::numeric_limits<Number>::epsilon());
}

TEST_F(TrigonometryInUnits, those_of_any_number_type_are_right_and_alike_in_all_lanes)
{
    expectSmallOnes<double, 2>(7);  // beyond 10⁶ the library answers
    expectSmallOnes<float, 4>(5);
}

TEST_F(TrigonometryInUnits, they_are_right_beside_multiples_of_a_quarter_turn)
{
    const long double quarter = std::acos(0.0L);
    for (int n = -2000; n <= 2000; ++n) {
        double x = static_cast<double>(n * quarter);
        for (int neighbour = 0; neighbour < 3; ++neighbour) {
            // Extended precision has eleven more bits, of which cancellation here eats most.
            EXPECT_NEAR(sine(x), static_cast<double>(std::sin(static_cast<long double>(x))), 1e-16);
            EXPECT_NEAR(cosine(x), static_cast<double>(std::cos(static_cast<long double>(x))), 1e-16);
            x = std::nextafter(x, 1e9);
        }
    }
}

TEST_F(TrigonometryInUnits, the_angle_of_a_vector_is_within_two_units_in_every_quadrant)
{
    Random random(2);
    double worst = 0;
    for (int i = 0; i < 400000; ++i) {
        const double y = random.uniform(-1, 1) * std::pow(10., random.uniform(-9, 3));
        const double x = random.uniform(-1, 1) * std::pow(10., random.uniform(-9, 3));
        worst = std::max(worst, unitsOff(angleOf(y, x), std::atan2(static_cast<long double>(y), x)));
    }
    EXPECT_LT(worst, 2);
}

TEST(Trigonometry, special_values_are_those_of_the_standard)
{
    const double infinity = std::numeric_limits<double>::infinity();
    for (double y : {0., -0., 1., -1., infinity, -infinity, 1e-300, -1e-300})
        for (double x : {0., -0., 1., -1., infinity, -infinity, 1e-300, -1e-300}) {
            EXPECT_EQ(angleOf(y, x), std::atan2(y, x)) << y << ' ' << x;
            EXPECT_EQ(std::signbit(angleOf(y, x)), std::signbit(std::atan2(y, x))) << y << ' ' << x;
        }
    EXPECT_EQ(sine(0), 0);
    EXPECT_EQ(cosine(0), 1);
    EXPECT_TRUE(std::isnan(sine(infinity)) && std::isnan(cosine(std::nan(""))));
    EXPECT_TRUE(std::isnan(angleOf(std::nan(""), 1)));
    EXPECT_EQ(sine(1e300), std::sin(1e300));
}

}  // namespace
}  // namespace sinew
