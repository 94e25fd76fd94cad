// How a scene is simulated: by which solver and which integrator, in steps of which length.
//
//     Settings settings{.integrator = IntegratorId::rk4, .step = 0.001};
//     Settings read{.integrator = "rk4"};       a name from a file or a person: create() says if there is
//     none
//
// Ids are rows of the tables methods() and integrators(), in the same order, so that a wrong one does not
// compile; for a name there is solverNamed(), or create() itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sinew/base/result.h"
#include "sinew/dynamics/methods.h"
#include "sinew/integrate/integrators.h"

namespace sinew {

enum class SolverId { kkt, hakenberg, baraff, armstrongGreen, featherstone };
enum class IntegratorId {
    implicit,
    semiImplicitEuler,
    rk4,
    explicitEuler,
    implicitEuler,
    implicitBdf2,
    conservative,
    hernandez,
    bands,
    midpoint,
    heun,
    heunSlides,
    semiImplicitSlides,
    velocityVerlet,
    positionVerlet,
    leapfrog,
    dormandPrince
};

const char* settingName(SolverId id);
const char* settingName(IntegratorId id);
const char* settingName(Coordinates coordinates);  // joint or maximal
// The error names those that there are.
Result<SolverId> solverNamed(std::string_view name);
Result<IntegratorId> integratorNamed(std::string_view name);
Result<Coordinates> coordinatesNamed(std::string_view name);
const Method& methodOf(SolverId id);
const Integrator& integratorOf(IntegratorId id);

// A setting: an id, or a name that is still to be looked up. None, or an empty name: nothing is chosen.
template <class Id>
class NamedChoice {
public:
    NamedChoice() = default;
    NamedChoice(Id id) : name_(settingName(id)) {}
    NamedChoice(const char* name) : name_(name) {}
    NamedChoice(std::string_view name) : name_(name) {}
    NamedChoice(std::string name) : name_(std::move(name)) {}

    bool isMade() const { return !name_.empty(); }
    const std::string& name() const { return name_; }
    friend bool operator==(const NamedChoice&, const NamedChoice&) = default;

private:
    std::string name_;
};

// What is left out is as the description wishes, else the default.
struct Settings {
    NamedChoice<SolverId> solver = {};
    NamedChoice<IntegratorId> integrator = {};
    std::optional<double> step = {};            // s
    NamedChoice<Coordinates> coordinates = {};  // another way to choose the solver
    std::optional<int> slowBand = {};           // of the integrator bands
    bool spread = false;                        // of the integrator bands
    std::optional<double> tolerance =
        {};  // of dormand_prince: what a step may be off by, as a part of lengths, radians and speeds

    static constexpr SolverId defaultSolver = SolverId::featherstone;
    static constexpr SolverId maximalSolver = SolverId::baraff;
    // The implicit step and a frame for it; for solvers it does not go with, the explicit pair.
    static constexpr IntegratorId defaultIntegrator = IntegratorId::implicit;
    static constexpr IntegratorId explicitIntegrator = IntegratorId::semiImplicitEuler;
    static constexpr double defaultStep = 1.0 / 60;
    static constexpr double explicitStep = 1e-3;
    static constexpr double shortestStep = 1e-9, longestStep = 1e9;
    static constexpr double defaultTolerance = 1e-6, leastTolerance = 1e-12, mostTolerance = 0.1;
    static constexpr double defaultDuration = 10;
    static constexpr double defaultFps = 60;
};

}  // namespace sinew
