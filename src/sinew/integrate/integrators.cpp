#include "sinew/integrate/integrators.h"

#include "sinew/base/text.h"
#include "sinew/integrate/bands.h"
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

constexpr const char* implicitSource = "Hernandez et al. 2011; Tournier et al. 2015";
constexpr Integrator table[] = {
    {.name = "implicit",
     .title = "the default: implicit_bdf2",
     .source = implicitSource,
     .order = 2,
     .inBodyCoordinates = implicitBdf2Step,
     .inJointCoordinates = implicitBdf2Step,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    {.name = "semi_implicit_euler",
     .title = "velocity first, then position with it; Hakenberg's own step",
     .source = "Hakenberg, algorithm for animation; Parent",
     .order = 1,
     .inBodyCoordinates = semiImplicitEulerInBodies,
     .inJointCoordinates = semiImplicitEulerInJoints},
    {.name = "rk4",
     .title = "classical Runge-Kutta on the rotation group",
     .source = "Parent; Munthe-Kaas 1999",
     .order = 4,
     .inBodyCoordinates = rungeKutta4InBodies,
     .inJointCoordinates = rungeKutta4InJoints},
    {.name = "explicit_euler",
     .title = "the plain one, for comparison",
     .source = "Parent",
     .order = 1,
     .inBodyCoordinates = explicitEulerInBodies,
     .inJointCoordinates = explicitEulerInJoints},
    {.name = "implicit_euler",
     .title = "backward Euler with geometric stiffness, by Newton",
     .source = implicitSource,
     .order = 1,
     .inBodyCoordinates = implicitEulerStep,
     .inJointCoordinates = implicitEulerStep,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    {.name = "implicit_bdf2",
     .title = "BDF2 on the same equations",
     .source = implicitSource,
     .order = 2,
     .inBodyCoordinates = implicitBdf2Step,
     .inJointCoordinates = implicitBdf2Step,
     .bringsEquations = true,
     .bytes = bytesOfImplicit},
    // Its joint forces are of its own making, of energies and in the middle of the step.
    {.name = "conservative",
     .title = "keeps energy and both momenta to rounding",
     .source = "Hakenberg's theorem by Simo & Wong 1991, Betsch & Steinmann 2001",
     .order = 2,
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
     .inBodyCoordinates = nullptr,
     .inJointCoordinates = bandsStep,
     .onlyWith = "armstrong_green",
     .hasSlowBand = true,
     .holdsLoops = false},
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

}  // namespace sinew
