// Settings are ids that the compiler checks, or names that create() looks up.
#include <gtest/gtest.h>

#include <type_traits>

#include "scenes.h"
#include "sinew/simulation/settings.h"

namespace sinew::settings_test {
namespace {

using test::arm;
using test::refusal;

// The mistakes that positions and strings allow.
static_assert(!std::is_constructible_v<NamedChoice<SolverId>, IntegratorId>);
static_assert(!std::is_constructible_v<NamedChoice<IntegratorId>, SolverId>);
static_assert(!std::is_constructible_v<NamedChoice<SolverId>, int>);
static_assert(!std::is_convertible_v<NamedChoice<SolverId>, NamedChoice<IntegratorId>>);

TEST(Settings, have_an_id_for_every_row_of_the_tables)
{
    const std::pair<SolverId, const char*> solvers[] = {{SolverId::kkt, "kkt"},
                                                        {SolverId::hakenberg, "hakenberg"},
                                                        {SolverId::baraff, "baraff"},
                                                        {SolverId::armstrongGreen, "armstrong_green"},
                                                        {SolverId::featherstone, "featherstone"}};
    const std::pair<IntegratorId, const char*> steps[] = {
        {IntegratorId::implicit, "implicit"},
        {IntegratorId::semiImplicitEuler, "semi_implicit_euler"},
        {IntegratorId::rk4, "rk4"},
        {IntegratorId::explicitEuler, "explicit_euler"},
        {IntegratorId::implicitEuler, "implicit_euler"},
        {IntegratorId::implicitBdf2, "implicit_bdf2"},
        {IntegratorId::conservative, "conservative"},
        {IntegratorId::hernandez, "hernandez"},
        {IntegratorId::bands, "bands"},
        {IntegratorId::midpoint, "midpoint"},
        {IntegratorId::heun, "heun"},
        {IntegratorId::heunSlides, "heun_slides"},
        {IntegratorId::semiImplicitSlides, "semi_implicit_slides"},
        {IntegratorId::velocityVerlet, "velocity_verlet"},
        {IntegratorId::positionVerlet, "position_verlet"},
        {IntegratorId::leapfrog, "leapfrog"},
        {IntegratorId::dormandPrince, "dormand_prince"}};
    EXPECT_EQ(std::size(solvers), methods().size());
    EXPECT_EQ(std::size(steps), integrators().size());
    for (const auto& [id, name] : solvers) {
        EXPECT_STREQ(settingName(id), name);
        EXPECT_EQ(&methodOf(id), findMethod(name));
        EXPECT_EQ(solverNamed(name).value(), id);
    }
    for (const auto& [id, name] : steps) {
        EXPECT_STREQ(settingName(id), name);
        EXPECT_EQ(&integratorOf(id), findIntegrator(name));
        EXPECT_EQ(integratorNamed(name).value(), id);
    }
    for (const Coordinates each : {Coordinates::body, Coordinates::joint})
        EXPECT_EQ(coordinatesNamed(settingName(each)).value(), each);
    for (const Method& method : methods())
        EXPECT_STREQ(coordinatesName(method), settingName(method.coordinates));
}

TEST(Settings, by_id_and_by_name_are_the_same)
{
    const Description d = arm();
    const auto chosen = [&](const Settings& settings) {
        Result<Simulation> made = Simulation::create(d, settings);
        EXPECT_TRUE(made) << refusal(made);
        return std::pair(made.value().method, made.value().integrator);
    };
    EXPECT_EQ(chosen({.solver = SolverId::kkt, .integrator = IntegratorId::rk4, .step = 1e-3}),
              chosen({.solver = "kkt", .integrator = "rk4", .step = 1e-3}));
    EXPECT_EQ(chosen({.coordinates = Coordinates::body}), chosen({.coordinates = "maximal"}));
    EXPECT_EQ(chosen({}), std::pair(findMethod("featherstone"), findIntegrator("implicit")));
    EXPECT_EQ(chosen({.coordinates = Coordinates::body}).first, findMethod("baraff"));
}

TEST(Settings, that_name_nothing_come_back_as_an_error)
{
    const Description d = arm();
    EXPECT_EQ(refusal(Simulation::create(d, {.solver = "rk4"})),
              "solver: there is no solver 'rk4'; known are kkt, hakenberg, baraff, armstrong_green, "
              "featherstone");
    EXPECT_EQ(refusal(solverNamed("rk4")), refusal(Simulation::create(d, {.solver = "rk4"})));
    EXPECT_EQ(refusal(integratorNamed("kkt")), refusal(Simulation::create(d, {.integrator = "kkt"})));
    EXPECT_EQ(refusal(coordinatesNamed("body")), refusal(Simulation::create(d, {.coordinates = "body"})));
    EXPECT_EQ(refusal(Simulation::create(d, {.solver = SolverId::kkt, .coordinates = Coordinates::joint})),
              "coordinates: solver 'kkt' is in maximal coordinates, not in joint ones");
}

}  // namespace
}  // namespace sinew::settings_test
