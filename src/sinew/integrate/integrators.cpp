#include "sinew/integrate/integrators.h"

#include "sinew/base/text.h"
#include "sinew/integrate/bands.h"
#include "sinew/integrate/by_scheme.h"
#include "sinew/integrate/conservative.h"
#include "sinew/integrate/explicit.h"
#include "sinew/integrate/hernandez.h"
#include "sinew/integrate/implicit.h"
#include "sinew/model/springs.h"

namespace sinew {
namespace {

double bytesOfImplicit(const Model& model, Coordinates coordinates)
{
    const auto freedomsBelow = [&](int body) {
        if (body < 0) return 0;
        const Skeleton& skeleton = model.skeletons[model.skeletonOf[body]];
        int count = 0;
        for (int i = 0; i < skeleton.count; ++i) count += model.joints[skeleton.first + i].freedoms();
        return count;
    };
    // The rows of each loop over the freedoms of its figures, three arrays of them (contact/delassus.h);
    // in body coordinates a column of the border for each of its lines (math/bordered_tree.h).
    double rows = 0, overFreedoms = 0;
    for (const LoopJoint& loop : model.loops) {
        rows += loop.rows();
        overFreedoms += 3. * loop.rows() * (freedomsBelow(loop.child) + freedomsBelow(loop.joint.parent));
    }
    // Springs between bodies have up to six rows over all freedoms, three arrays of them
    // (contact/pair_rows.h).
    const double pairs = 6. * static_cast<double>(model.springs.size());
    if (coordinates == Coordinates::joint)
        return sizeof(double) *
               (overFreedoms + 2 * rows * rows + pairs * (3. * model.freedomCount + 2 * pairs));
    const double lines = rows + pairs + 12. * static_cast<double>(model.loops.size());
    return sizeof(double) * lines * (12. * model.size() + 3 * lines);
}

constexpr const char* byNewton = "1 an iteration";
constexpr const char* anyStep = "any step";
constexpr const char* grows = "swings grow at any step";
constexpr const char* linearMomentum = "linear momentum, if maximal";
constexpr const char* implicitSource = "Hernandez et al. 2011; Tournier et al. 2015";
constexpr Integrator table[] = {
    {.name = "implicit",
     .title = "the default: implicit_bdf2",
     .source = implicitSource,
     .order = 2,
     .evaluations = byNewton,
     .stability = anyStep,
     .conserves = "linear momentum; loses little energy",
     .inBodyCoordinates = implicitBdf2Step,
     .inJointCoordinates = implicitBdf2Step,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    {.name = "semi_implicit_euler",
     .title = "velocity first, then position with it; Hakenberg's own step",
     .source = "Hakenberg, algorithm for animation; Parent",
     .order = 1,
     .evaluations = "1",
     .stability = "h w < 2",
     .conserves = "linear momentum, if maximal; energy bounded without joints",
     .inBodyCoordinates = semiImplicitEulerInBodies,
     .inJointCoordinates = semiImplicitEulerInJoints},
    {.name = "rk4",
     .title = "classical Runge-Kutta on the rotation group",
     .source = "Parent; Munthe-Kaas 1999",
     .order = 4,
     .evaluations = "4",
     .stability = "h w < 2.83",
     .conserves = linearMomentum,
     .inBodyCoordinates = rungeKutta4InBodies,
     .inJointCoordinates = rungeKutta4InJoints},
    {.name = "explicit_euler",
     .title = "the plain one, for comparison",
     .source = "Parent",
     .order = 1,
     .evaluations = "1",
     .stability = grows,
     .conserves = linearMomentum,
     .inBodyCoordinates = explicitEulerInBodies,
     .inJointCoordinates = explicitEulerInJoints},
    {.name = "implicit_euler",
     .title = "backward Euler with geometric stiffness, by Newton",
     .source = implicitSource,
     .order = 1,
     .evaluations = byNewton,
     .stability = anyStep,
     .conserves = "linear momentum; loses energy",
     .inBodyCoordinates = implicitEulerStep,
     .inJointCoordinates = implicitEulerStep,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    {.name = "implicit_bdf2",
     .title = "BDF2 on the same equations",
     .source = implicitSource,
     .order = 2,
     .evaluations = byNewton,
     .stability = anyStep,
     .conserves = "linear momentum; loses little energy",
     .inBodyCoordinates = implicitBdf2Step,
     .inJointCoordinates = implicitBdf2Step,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    // Its joint forces are of its own making, of energies and in the middle of the step.
    {.name = "conservative",
     .title = "keeps energy and both momenta to rounding",
     .source = "Hakenberg's theorem by Simo & Wong 1991, Betsch & Steinmann 2001",
     .order = 2,
     .evaluations = byNewton,
     .stability = "any step that is found",
     .conserves = "energy, linear and angular momentum",
     .inBodyCoordinates = conservativeStep,
     .inJointCoordinates = nullptr,
     .bringsEquations = true,
     .takes = {.body = false, .drive = false, .pair = false},
     .knowsArmature = false,
     .bytes = bytesOfImplicit},
    {.name = "hernandez",
     .title = "linearly implicit Euler with implicit joint constraints, as published",
     .source = "Hernandez et al. 2011",
     .order = 1,
     .evaluations = "1 and a solve",
     .stability = "soft and fast figures blow up",
     .conserves = "linear momentum",
     .inBodyCoordinates = hernandezStep,
     .inJointCoordinates = nullptr,
     .bringsEquations = true,
     .takes = {.pair = false},
     .knowsPrescribed = false,
     .holdsLoops = false},
    {.name = "bands",
     .title = "what varies slowly is computed every few steps only",
     .source = "Armstrong & Green 1985 (15)-(38)",
     .order = 1,
     .evaluations = "1, cheaper",
     .stability = "h w < 2",
     .conserves = "nothing",
     .inBodyCoordinates = nullptr,
     .inJointCoordinates = bandsStep,
     .onlyWith = "armstrong_green",
     .hasSlowBand = true,
     .holdsLoops = false},
    {.name = "midpoint",
     .title = "along the slope in the middle of the step",
     .source = "Parent: Runge-Kutta of 2nd order",
     .order = 2,
     .evaluations = "2",
     .stability = grows,
     .conserves = linearMomentum,
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "midpoint">,
     .inJointCoordinates = stepByScheme<JointCoordinates, "midpoint">},
    {.name = "heun",
     .title = "along the mean of the slopes at both ends",
     .source = "Heun 1900",
     .order = 2,
     .evaluations = "2",
     .stability = grows,
     .conserves = linearMomentum,
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "heun">,
     .inJointCoordinates = stepByScheme<JointCoordinates, "heun">},
    {.name = "heun_slides",
     .title = "Heun as the slides print it: only places get the mean",
     .source = "Parent, as printed",
     .order = 1,
     .evaluations = "1",
     .stability = grows,
     .conserves = linearMomentum,
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "heun_slides">,
     .inJointCoordinates = stepByScheme<JointCoordinates, "heun_slides">},
    {.name = "semi_implicit_slides",
     .title = "along the slope where an Euler step leads: the slides' semi-implicit Euler",
     .source = "Parent, as printed",
     .order = 1,
     .evaluations = "2",
     .stability = "h w < 1",
     .conserves = "linear momentum, if maximal; loses energy",
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "semi_implicit_slides">,
     .inJointCoordinates = stepByScheme<JointCoordinates, "semi_implicit_slides">},
    {.name = "velocity_verlet",
     .title = "places by the acceleration at the start, velocities by its mean",
     .source = "Swope et al. 1982",
     .order = 2,
     .evaluations = "2",
     .stability = "h w < 2",
     .conserves = "linear momentum, if maximal; energy bounded without joints",
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "velocity_verlet">,
     .inJointCoordinates = stepByScheme<JointCoordinates, "velocity_verlet">},
    {.name = "position_verlet",
     .title = "from the last two places; bodies without joints",
     .source = "Parent; Stoermer 1907, Verlet 1967",
     .order = 2,
     .evaluations = "2",
     .stability = "h w < 2",
     .conserves = "energy bounded; spin of bodies that are no balls: order 1",
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "position_verlet">,
     .inJointCoordinates = nullptr,
     .placesOnly = true},
    {.name = "leapfrog",
     .title = "velocities at half steps; bodies without joints",
     .source = "Parent, corrected",
     .order = 2,
     .evaluations = "2",
     .stability = "h w < 2",
     .conserves = "energy bounded; spin of bodies that are no balls: order 1",
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "leapfrog">,
     .inJointCoordinates = nullptr,
     .placesOnly = true},
    {.name = "dormand_prince",
     .title = "Runge-Kutta 5(4) with error control inside of each step",
     .source = "Dormand & Prince 1980; Hairer, Norsett & Wanner",
     .order = 5,
     .evaluations = "1 + 6 a part",
     .stability = "adapts to the tolerance",
     .conserves = "all to the tolerance",
     .inBodyCoordinates = stepByScheme<BodyCoordinates, "dormand_prince">,
     .inJointCoordinates = stepByScheme<JointCoordinates, "dormand_prince">,
     .adapts = true},
};

}  // namespace

std::span<const Integrator> integrators()
{
    return table;
}

const Integrator* findIntegrator(std::string_view name)
{
    for (const Integrator& integrator : table)
        if (name == integrator.name) return &integrator;
    return nullptr;
}

std::string unsupportedLaw(const Integrator& integrator, const Model& model)
{
    for (const ForceKind kind : {ForceKind::body, ForceKind::drive, ForceKind::pair}) {
        if (integrator.takes.has(kind)) continue;
        for (const ForceLawInfo* law : forceLaws())
            if (law->kind == kind && !law->isInJoint && law->isIn(model)) return law->noun;
        for (const Joint& joint : model.joints)
            for (const ForceLawInfo* law : forceLaws())
                if (law->kind == kind && law->isInJoint && law->isInJoint(model, joint))
                    return law->noun + (" of joint " + quotedName(joint.name));
    }
    return {};
}

std::string velocityForce(const Model& model)
{
    for (int i = 0; i < model.size(); ++i)
        if (!model.joints[i].isFree()) return "those of joint " + quotedName(model.joints[i].name);
    if (!model.loops.empty()) return "those of joint " + quotedName(model.loops.front().joint.name);
    for (const ForceLawInfo* law : forceLaws())
        if (!law->ofPlacesOnly && law->isIn(model)) return law->noun;
    return {};
}

}  // namespace sinew
