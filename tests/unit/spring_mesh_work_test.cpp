// Where the energy of spring meshes goes, in the balance of a run: dampers, air and friction take what
// closed forms say, and what is left is implicit Euler's own loss, of first order in the step.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/energy_balance.h"
#include "sinew/state/mesh_state.h"

namespace sinew {
namespace {

EnergyBalance meshBalance(const Description& d, double step, double seconds)
{
    Result<Simulation> made = Simulation::create(d, {.step = step});
    EXPECT_TRUE(made) << made.error().text();
    Simulation& s = made.value();
    s.measuresEnergy = true;
    EnergyMeter meter;
    meter.start(s);
    while (s.state.time < seconds - 1e-9) {
        const StepReport report = s.step();
        EXPECT_TRUE(report.ok) << report.message;
        if (!report.ok) break;
        meter.add(s, report);
    }
    return meter.balance;
}

SpringMeshDescription sheet()
{
    SpringMeshDescription mesh;
    mesh.name = "sheet";
    mesh.form = SpringMeshDescription::Form::cloth;
    mesh.size = {0.4, 0.4};
    mesh.segments = {4, 4};
    mesh.mass = 0.2;
    mesh.stiffness = 1000;
    return mesh;
}

// A mass m on a spring, let go at its length at rest: it comes to hang m g/k lower, having lost ½ (m g)²/k.
TEST(MeshWork, dampersTakeWhatIsLost)
{
    Description d;
    SpringMeshDescription mesh;
    mesh.name = "spring";
    mesh.vertices = {Vec3::Zero(), Vec3(0, -1, 0)};
    mesh.edges = {{0, 1}};
    mesh.massBy = SpringMeshDescription::MassBy::vertex;
    mesh.mass = 2;
    mesh.stiffness = 100;
    mesh.damping = 4;
    PinDescription top;
    top.at.vertices = {0};
    mesh.pins.push_back(top);
    d.meshes.push_back(mesh);
    const double lost = 0.5 * 9.81 * 9.81 / 100;
    const EnergyBalance coarse = meshBalance(d, 0.002, 5), fine = meshBalance(d, 0.001, 5);
    EXPECT_NEAR(fine.start - fine.end, lost, 1e-6);
    EXPECT_NEAR(fine.dampers, lost, 0.03 * lost);
    EXPECT_NEAR(fine.dampers - fine.unaccounted(), lost, 1e-6);
    EXPECT_NEAR(fine.unaccounted() / coarse.unaccounted(), 0.5, 0.02);
    EXPECT_EQ(fine.contact, 0);
    EXPECT_EQ(fine.drives, 0);
}

TEST(MeshWork, airTakesTheWeightOfWhatSinks)
{
    Description d;
    d.medium.density = 1.2;
    d.meshes.push_back(sheet());
    d.meshes[0].drag = 1;
    const EnergyBalance b = meshBalance(d, 1.0 / 240, 3);
    EXPECT_GT(b.dampers, 5);
    EXPECT_NEAR(b.unaccounted(), 0, 0.01 * b.dampers);
    // The same against a wind that does not blow: then it counts as a drive.
    FieldDescription wind;
    wind.type = FieldDescription::Type::wind;
    d.fields.push_back(wind);
    const EnergyBalance driven = meshBalance(d, 1.0 / 240, 3);
    EXPECT_NEAR(driven.drives, -b.dampers, 1e-9 * b.dampers);
}

TEST(MeshWork, scriptedForcesPutEnergyIn)
{
    Description d;
    d.gravity.setZero();
    d.meshes.push_back(sheet());
    VertexForceDescription push;
    push.at.box = {{Vec3(-1, -1, -1), Vec3(1, 1, 1)}};
    push.force = Vec3(0.01, 0, 0);
    d.meshes[0].forces.push_back(push);
    const EnergyBalance b = meshBalance(d, 1.0 / 240, 1);
    // All of it moves at F t/m.
    const double speed = 25 * 0.01 / 0.2;
    EXPECT_NEAR(b.end - b.start, 0.5 * 0.2 * speed * speed, 1e-6);
    EXPECT_NEAR(b.drives, b.end - b.start, 0.01 * b.drives);
}

TEST(MeshWork, frictionTakesTheMotionOfWhatSlides)
{
    Description d;
    d.obstacles.emplace_back();
    d.contact.emplace();
    d.meshes.push_back(sheet());
    d.meshes[0].velocity = Vec3(1, 0, 0);
    d.meshes[0].friction = 0.5;
    d.meshes[0].damping = 1;
    const EnergyBalance b = meshBalance(d, 1.0 / 240, 1.5);
    const double moving = 0.5 * 0.2;
    EXPECT_NEAR(b.start - b.end, moving, 0.05 * moving);
    EXPECT_NEAR(b.contact + b.dampers, moving, 0.1 * moving);
    EXPECT_GT(b.contact, 0.8 * moving);
}

}  // namespace
}  // namespace sinew
