// Spring meshes: derivatives, momentum, equilibria in closed form, the step by itself.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.h"
#include "sinew/math/sparse_cholesky.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"
#include "sinew/soft/contact.h"
#include "sinew/soft/solve.h"
#include "sinew/state/mesh_state.h"

namespace sinew {
namespace {

using M = SpringMeshDescription;

M clothOf(int segments, double stiffness)
{
    M mesh;
    mesh.name = "cloth";
    mesh.form = M::Form::cloth;
    mesh.size = {1, 1};
    mesh.segments = {segments, segments};
    mesh.stiffness = stiffness;
    mesh.mass = 0.3;
    return mesh;
}

// A mesh alone in the world, moved by hand.
struct Alone {
    Model model;
    MeshState state;
    LargeVector<BodyState> none;
    MeshSurroundings around;

    explicit Alone(const M& mesh, const Vec3& gravity = Vec3(0, -9.81, 0), bool ground = false)
    {
        Description description;
        description.gravity = gravity;
        description.meshes.push_back(mesh);
        if (ground) description.obstacles.emplace_back();
        Result<Model> compiled = compile(description);
        EXPECT_TRUE(compiled) << compiled.error().text();
        model = std::move(compiled.value());
        state = std::move(initialState(model, description).value().meshes[0]);
        around.model = &model;
        around.start = around.end = &none;
    }
    const SpringMesh& mesh() const { return model.meshes[0]; }
    Vec3 at(int i) const { return Vec3(state.x[3 * i], state.x[3 * i + 1], state.x[3 * i + 2]); }
    void shake(double size, std::uint64_t seed)
    {
        Random random(seed);
        for (double& x : state.x) x += size * random.normal();
        for (double& v : state.v) v += size * random.normal();
    }
};

// A ball with all that a mesh can have: folds, bends, struts, pressure, limits, dampers, soft pins.
M everything()
{
    M mesh;
    mesh.name = "ball";
    mesh.form = M::Form::ball;
    mesh.size = {0.4};
    mesh.segments = {1};
    mesh.pose.position = Vec3(0, 0.15, 0);
    mesh.stiffness = 200;
    mesh.damping = 3;
    mesh.bend = 30;
    mesh.bendDamping = 0.5;
    mesh.fold = 0.2;
    mesh.foldDamping = 0.01;
    mesh.struts = 50;
    mesh.pressure = 40;
    mesh.bulk = 5000;
    mesh.strainLimit = 0.05;
    mesh.thickness = 0.01;
    PinDescription pin;
    pin.at.near = Vec3(0, 0.2, 0);
    pin.stiffness = 20;
    pin.damping = 1;
    mesh.pins.push_back(pin);
    return mesh;
}

TEST(SpringMesh, forcesAreTheGradientOfThePotential)
{
    Alone ball(everything(), Vec3(0, -9.81, 0), true);
    MeshStep step;
    step.begin(ball.mesh(), ball.state, ball.around, 0.01);
    ball.shake(0.02, 7);
    step.lookAround(ball.state.x, true, true);
    ASSERT_FALSE(step.contacts.empty());
    VecX g, x = ball.state.x;
    step.gradient(x, g);
    const double scale = g.cwiseAbs().maxCoeff();
    for (int i = 0; i < x.size(); ++i) {
        const double d = 1e-6, kept = x[i];
        x[i] = kept + d;
        const double above = step.energy(x);
        x[i] = kept - d;
        const double below = step.energy(x);
        x[i] = kept;
        EXPECT_NEAR((above - below) / (2 * d), g[i], 1e-6 * scale) << i;
    }
}

// Where springs are stretched and faces flat, what H leaves out is nothing: then it is the derivative of
// the gradient.
TEST(SpringMesh, matrixIsTheDerivativeWhereItLeavesNothingOut)
{
    M cloth = clothOf(3, 100);
    cloth.damping = 2;
    cloth.bend = 10;
    cloth.strainLimit = 0.01;
    Alone sheet(cloth);
    MeshStep step;
    step.begin(sheet.mesh(), sheet.state, sheet.around, 0.02);
    for (double& x : sheet.state.x) x *= 1.3;
    step.lookAround(sheet.state.x, true, true);
    MeshHessian H;
    step.hessian(sheet.state.x, H);
    const SpringMesh& mesh = sheet.mesh();
    VecX x = sheet.state.x, up, down;
    const double d = 1e-6;
    double scale = 0;
    for (double entry : H.diagonal) scale = std::max(scale, std::fabs(entry));
    for (int j = 0; j < x.size(); ++j) {
        const double kept = x[j];
        x[j] = kept + d;
        step.gradient(x, up);
        x[j] = kept - d;
        step.gradient(x, down);
        x[j] = kept;
        VecX column = VecX::Zero(x.size());
        for (int k = 0; k < 3; ++k) column[3 * (j / 3) + k] = H.diagonal[9 * (j / 3) + 3 * (j % 3) + k];
        for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
            const auto& [a, b] = mesh.edges[e];
            for (int k = 0; k < 3; ++k) {
                if (b == j / 3) column[3 * a + k] = H.off[9 * e + 3 * (j % 3) + k];
                if (a == j / 3) column[3 * b + k] = H.off[9 * e + 3 * k + j % 3];
            }
        }
        for (int i = 0; i < x.size(); ++i)
            ASSERT_NEAR((up[i] - down[i]) / (2 * d), column[i], 1e-6 * scale) << i << " " << j;
    }
}

TEST(SparseCholesky, solvesWhatDenseEliminationDoes)
{
    Random random(3);
    // The longer the edges, the wider the fronts: up to one of nearly all nodes.
    for (const auto& [block, reach] : {std::pair{1, 0.6}, {3, 0.6}, {1, 1.5}, {3, 1.5}}) {
        std::vector<Vec3> places;
        for (int i = 0; i < 60; ++i)
            places.push_back(Vec3(random.normal(), random.normal(), random.normal()));
        std::vector<SparseCholesky::Edge> edges;
        for (int i = 0; i < 60; ++i)
            for (int j = i + 1; j < 60; ++j)
                if ((places[i] - places[j]).norm() < reach)
                    edges.push_back(i % 2 ? std::array{i, j} : std::array{j, i});
        const int n = 60 * block;
        MatX A = MatX::Zero(n, n);
        std::vector<double> diagonal(60 * block * block), off(edges.size() * block * block);
        for (std::size_t e = 0; e < edges.size(); ++e)
            for (int c = 0; c < block; ++c)
                for (int r = 0; r < block; ++r) {
                    const double x = random.normal();
                    off[(e * block + c) * block + r] = x;
                    A(edges[e][0] * block + r, edges[e][1] * block + c) = x;
                    A(edges[e][1] * block + c, edges[e][0] * block + r) = x;
                }
        for (int i = 0; i < 60; ++i)
            for (int k = 0; k < block; ++k) {
                diagonal[(i * block + k) * block + k] = 40;
                A(i * block + k, i * block + k) = 40;
            }
        SparseCholesky factor;
        factor.analyze(places, edges, block);
        ASSERT_TRUE(factor.factorize(diagonal, off));
        const int columns = block == 1 ? 3 : 1;
        VecX x(n * columns), b(n * columns);
        for (double& entry : b) entry = random.normal();
        x = b;
        factor.solve({x.data(), static_cast<std::size_t>(x.size())}, columns);
        for (int r = 0; r < columns; ++r)
            for (int i = 0; i < n; ++i) {
                double sum = 0;
                for (int j = 0; j < n; ++j) sum += A(i, j) * x[j * columns + r];
                EXPECT_NEAR(sum, b[i * columns + r], 1e-11);
            }
        diagonal[0] = -1;
        EXPECT_FALSE(factor.factorize(diagonal, off));
    }
}

// A cloth that hangs by one side and swings down from where it lay flat, stiff against its inertia: where a
// free corner was, and how many iterations were taken.
struct Swing {
    std::vector<Vec3> corner;
    int iterations = 0;
    bool gainsEnergy = false;
};
Swing swingOf(M::Step kind)
{
    M mesh = clothOf(16, 1e5);
    mesh.bend = 100;
    mesh.damping = 20;
    mesh.step = kind;
    PinDescription side;
    side.at.box = {{Vec3(-0.5, 0, -0.5), Vec3(0.5, 0, -0.5)}};
    mesh.pins.push_back(side);
    Alone cloth(mesh);
    const auto total = [&] {
        const MeshEnergy e = meshEnergy(cloth.mesh(), cloth.state, cloth.model.gravity, *cloth.around.end);
        return e.kinetic + e.potential + e.elastic;
    };
    Swing swing;
    MeshSolver solver;
    double energy = total();
    for (int k = 0; k < 90; ++k) {
        const MeshState before = cloth.state;
        const MeshSolution solution =
            solver.advance(cloth.mesh(), before, cloth.around, 1.0 / 60, cloth.state);
        EXPECT_TRUE(solution.converged);
        swing.iterations += solution.iterations;
        const double now = total();
        if (kind == M::Step::newton) EXPECT_TRUE(solver.isThinWorth);
        swing.gainsEnergy = swing.gainsEnergy || now > energy + 1e-9;
        energy = now;
        swing.corner.push_back(cloth.at(cloth.mesh().size() - 1));
    }
    return swing;
}

// Also: Newton's method with tensions of their own takes few iterations, and the quick step lags little.
TEST(SpringMesh, stiffClothSwingsWithoutGainAndQuickStepsFollow)
{
    const Swing newton = swingOf(M::Step::newton), quick = swingOf(M::Step::quick),
                fast = swingOf(M::Step::fast);
    EXPECT_FALSE(newton.gainsEnergy);
    EXPECT_LT(newton.iterations, 6 * 90);
    const auto off = [&](const Swing& swing) {
        double most = 0;
        for (std::size_t k = 0; k < 90; ++k)
            most = std::max(most, (swing.corner[k] - newton.corner[k]).norm());
        return most;
    };
    EXPECT_LT(off(quick), 0.2);
    EXPECT_LT(off(quick), 0.25 * off(fast));
}

TEST(SpringMesh, keepsMomentumWhereNothingActsFromOutside)
{
    for (M::Step kind : {M::Step::newton, M::Step::fast, M::Step::quick}) {
        M mesh = everything();
        mesh.pins.clear();
        mesh.tolerance = 1e-9;
        mesh.fold = 0.02;
        mesh.step = kind;
        mesh.iterations = 300;
        Alone ball(mesh, Vec3::Zero());
        ball.shake(0.005, 3);
        const auto momenta = [&] {
            Vec3 P = Vec3::Zero(), L = Vec3::Zero();
            for (int i = 0; i < ball.mesh().size(); ++i) {
                const Vec3 v(ball.state.v[3 * i], ball.state.v[3 * i + 1], ball.state.v[3 * i + 2]);
                P += ball.mesh().masses[i] * v;
                L += ball.mesh().masses[i] * ball.at(i).cross(v);
            }
            return std::pair(P, L);
        };
        const auto [P, L] = momenta();
        MeshSolver solver;
        for (int k = 0; k < 50; ++k) {
            const MeshState before = ball.state;
            const MeshSolution solution =
                solver.advance(ball.mesh(), before, ball.around, 0.01, ball.state);
            ASSERT_TRUE(solution.converged) << solution.iterations << " " << solution.residual;
        }
        const auto [P1, L1] = momenta();
        EXPECT_LT((P1 - P).norm(), kind == M::Step::newton ? 1e-13 : 1e-9) << P.norm();
        // Implicit Euler keeps no angular momentum: x' × m v' − x × m v = −h² Σ v' × f. It is lost at first
        // order.
        EXPECT_LT((L1 - L).norm(), 0.2 * L.norm());
    }
}

// n springs in a row under their own weight: spring k carries the n − k masses below it, so that the last
// mass hangs at n L + (m g/k) n (n + 1)/2.
TEST(SpringMesh, hangingChainStretchesAsItShould)
{
    constexpr int n = 10;
    constexpr double L = 0.1, k = 50, mass = 0.02, g = 9.81;
    M chain;
    chain.name = "chain";
    for (int i = 0; i <= n; ++i) chain.vertices.push_back(Vec3(0, -L * i, 0));
    for (int i = 0; i < n; ++i) chain.edges.push_back({i, i + 1});
    chain.mass = mass * (n + 1);
    chain.massBy = M::MassBy::vertex;
    chain.stiffness = k;
    chain.damping = 0.5;
    chain.tolerance = 1e-9;
    PinDescription top;
    top.at.vertices = {0};
    chain.pins.push_back(top);
    Alone hanging(chain);
    MeshSolver solver;
    for (int step = 0; step < 1500; ++step) {
        const MeshState before = hanging.state;
        ASSERT_TRUE(
            solver.advance(hanging.mesh(), before, hanging.around, 1.0 / 60, hanging.state).converged);
    }
    EXPECT_NEAR(hanging.at(n).y(), -(n * L + mass * g / k * n * (n + 1) / 2), 1e-8);
    EXPECT_EQ(hanging.at(n).x(), 0);
}

// A cube of columns that do not hold each other (no struts) hangs by its top face: each column as the
// chain, with the spring constants of its edges and its share of the mass.
TEST(SpringMesh, jellyCubeStretchesAsItsColumnsDo)
{
    constexpr int n = 4;
    constexpr double size = 0.2, k = 80, mass = 0.64, g = 9.81;
    M jelly;
    jelly.name = "jelly";
    jelly.form = M::Form::beam;
    jelly.size = {size, size, size};
    jelly.segments = {n, n, n};
    jelly.mass = mass;
    jelly.massBy = M::MassBy::vertex;
    jelly.stiffness = k;
    jelly.struts = 0;
    jelly.damping = 0.5;
    jelly.tolerance = 1e-9;
    PinDescription top;
    top.at.box = {{Vec3(-1, size / 2, -1), Vec3(1, size / 2, 1)}};
    jelly.pins.push_back(top);
    Alone cube(jelly);
    MeshSolver solver;
    for (int step = 0; step < 600; ++step) {
        const MeshState before = cube.state;
        ASSERT_TRUE(solver.advance(cube.mesh(), before, cube.around, 1.0 / 60, cube.state).converged);
    }
    const double m = mass / ((n + 1) * (n + 1) * (n + 1));
    for (int i = 0; i < cube.mesh().size(); ++i) {
        const Vec3& rest = cube.mesh().rest[i];
        const int below =
            static_cast<int>(std::lround((size / 2 - rest.y()) / (size / n)));  // springs above it
        double drop = 0;
        for (int s = 1; s <= below; ++s) drop += m * g / k * (n + 1 - s);
        EXPECT_NEAR(cube.at(i).y(), rest.y() - drop, 1e-8);
        EXPECT_NEAR(cube.at(i).x(), rest.x(), 1e-8);
    }
}

// The volume of a balloon settles where pressure and bulk balance the pull of its springs: with springs
// that do not pull at all, at V = V₀ (1 + pressure/bulk).
TEST(SpringMesh, pressureSwellsABalloon)
{
    M ball = everything();
    ball.pins.clear();
    ball.stiffness = ball.bend = ball.fold = 0;
    ball.struts = 0;
    ball.strainLimit.reset();
    ball.damping = 2;
    ball.tolerance = 1e-8;
    Alone balloon(ball, Vec3::Zero());
    MeshSolver solver;
    for (int step = 0; step < 2000; ++step) {
        const MeshState before = balloon.state;
        ASSERT_TRUE(solver.advance(balloon.mesh(), before, balloon.around, 0.01, balloon.state).converged);
    }
    const double rest = balloon.mesh().restVolume;
    EXPECT_NEAR(enclosedVolume(balloon.mesh(), balloon.state.x) / rest, 1 + 40.0 / 5000, 1e-6);
}

// A cloth in the wind of its own fall: C_D ½ ρ A v² = m g.
TEST(SpringMesh, flatClothFallsAtItsTerminalVelocity)
{
    M cloth = clothOf(4, 1e4);
    cloth.drag = 1.2;
    Description description;
    description.medium.density = 1.2;
    description.meshes.push_back(cloth);
    description.run.step = 1.0 / 60;
    Result<Simulation> simulation = Simulation::create(description, {});
    ASSERT_TRUE(simulation) << simulation.error().text();
    ASSERT_TRUE(simulation.value().advance(10).ok);
    const double expected = std::sqrt(2 * 0.3 * 9.81 / (1.2 * 1.2));
    for (int i = 0; i < 25; ++i)
        EXPECT_NEAR(simulation.value().state.meshes[0].v[3 * i + 1], -expected, 1e-6 * expected);
}

// Coulomb: on a slope of 20° what has more friction than tan 20° stays, what has less slides at g (sin − μ
// cos).
TEST(SpringMesh, staysOnASlopeOrSlidesByCoulombsLaw)
{
    const double slope = 20 * 3.141592653589793 / 180, g = 9.81;
    for (double friction : {0.1, 0.6}) {
        M cloth = clothOf(6, 500);
        cloth.friction = friction;
        Description description;
        // The ground lies flat and gravity is turned.
        description.gravity = g * Vec3(std::sin(slope), -std::cos(slope), 0);
        ContactDescription contact;
        contact.friction = friction;
        description.contact = contact;
        description.obstacles.emplace_back();
        description.meshes.push_back(cloth);
        Result<Simulation> simulation = Simulation::create(description, {.step = 1.0 / 240});
        ASSERT_TRUE(simulation) << simulation.error().text();
        ASSERT_TRUE(simulation.value().advance(1).ok);
        const MeshState& state = simulation.value().state.meshes[0];
        double way = 0;
        for (int i = 0; i < 49; ++i)
            way += (state.x[3 * i] - simulation.value().start.meshes[0].x[3 * i]) / 49;
        const double acceleration = g * (std::sin(slope) - friction * std::cos(slope));
        if (acceleration < 0)
            EXPECT_LT(way, 0.02 * simulation.value().model().meshes[0].length);
        else
            EXPECT_NEAR(way, 0.5 * acceleration, 0.01 * acceleration);
    }
}

// Whoever pins a weight to a cloth sees both fall as one: momentum of all is kept, and turns of mesh and
// body agree.
TEST(SpringMesh, pinsAndBodiesPullEachOther)
{
    for (const bool isRigid : {true, false}) {
        M cloth = clothOf(4, 300);
        cloth.velocity = Vec3(0, 0, 0.5);
        cloth.tolerance = 1e-7;
        PinDescription pin;
        pin.at.vertices = {0, 1};
        pin.body = "weight";
        if (!isRigid) pin.stiffness = 400;
        cloth.pins.push_back(pin);
        Description description;
        description.gravity = Vec3::Zero();
        BodyDescription weight;
        weight.name = "weight";
        weight.pose.position = Vec3(-0.5, 0.1, -0.5);
        weight.shapes.push_back({Box{Vec3(0.1, 0.05, 0.08)}, {}, {}, 0.05});
        weight.angularVelocity = Vec3(1, 2, 0.5);
        description.bodies.push_back(weight);
        cloth.collides = false;
        description.meshes.push_back(cloth);
        Result<Simulation> created =
            Simulation::create(description, {.integrator = IntegratorId::implicitEuler, .step = 1.0 / 60});
        ASSERT_TRUE(created) << created.error().text();
        Simulation& simulation = created.value();
        const Momentum before = momentum(simulation.model(), simulation.state);
        int turns = 0, caps = 0;
        for (int step = 0; step < 60; ++step) {
            const StepReport report = simulation.step();
            ASSERT_TRUE(report.ok) << report.message;
            turns += report.statistics.meshTurns;
            caps += report.statistics.meshCaps;
        }
        const Momentum after = momentum(simulation.model(), simulation.state);
        EXPECT_EQ(caps, 0);
        EXPECT_LE(turns, 60 * 25);
        RecordProperty("turns_a_step", turns / 60);
        EXPECT_LT((after.linear - before.linear).norm(), 1e-7 * before.linearScale) << isRigid;
        if (isRigid) {
            const BodyState& body = simulation.state.bodies[0];
            const MeshPin& held = simulation.model().meshes[0].pins[0];
            const VecX& x = simulation.state.meshes[0].x;
            EXPECT_LT((body.position + Vec3(body.orientation * held.point) - Vec3(x[0], x[1], x[2])).norm(),
                      1e-8);
        }
    }
}

// The same mesh by the integrators of ode/: each has its order.
TEST(SpringMesh, isSteppedByEveryScheme)
{
    const auto endOf = [](const char* scheme, double h, double damping) {
        M mesh = everything();
        mesh.pins.clear();
        mesh.strainLimit.reset();  // a kink costs an order
        mesh.damping = damping;
        mesh.bendDamping = mesh.foldDamping = 0;
        mesh.collides = false;
        mesh.step = M::Step::scheme;
        mesh.scheme = scheme;
        mesh.forces.push_back({{{3}, {}, {}, {}}, Vec3(2, 1, 0), {}});
        Description description;
        description.meshes.push_back(mesh);
        Result<Simulation> made = Simulation::create(description, {.step = h});
        EXPECT_TRUE(made) << made.error().text();
        EXPECT_TRUE(made.value().advance(0.064).ok);
        return made.value().state.meshes[0].x;
    };
    const struct {
        const char* name;
        double order, damping;
    } cases[] = {{"explicit_euler", 1, 1},
                 {"midpoint", 2, 1},
                 {"heun", 2, 1},
                 {"rk4", 4, 1},
                 {"velocity_verlet", 2, 0},
                 {"leapfrog", 2, 0},
                 {"semi_implicit_euler", 1, 1},
                 {"position_verlet", 2, 0}};
    for (const auto& c : cases) {
        const VecX exact = endOf("rk4", 1e-5, c.damping);
        const double coarse = (endOf(c.name, 4e-4, c.damping) - exact).norm(),
                     fine = (endOf(c.name, 2e-4, c.damping) - exact).norm();
        EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.3) << c.name << " " << coarse << " " << fine;
    }
}

TEST(SpringMesh, schemesRefuseWhatTheyDoNotTake)
{
    Description description;
    M mesh = clothOf(2, 10);
    mesh.step = M::Step::scheme;
    mesh.scheme = "rk5";
    description.meshes.push_back(mesh);
    const auto fault = [&] { return compile(description).error().text(); };
    EXPECT_TRUE(fault().starts_with(
        "/meshes/0/step: unknown step 'rk5'; there are newton, fast, quick, explicit_euler,"));
    description.meshes[0].scheme = "leapfrog";
    description.meshes[0].damping = 1;
    EXPECT_EQ(
        fault(),
        "/meshes/0/step: leapfrog takes no forces that depend on velocity, such as those of dampers; use "
        "velocity_verlet");
    description.meshes[0].damping = 0;
    description.obstacles.emplace_back();
    EXPECT_EQ(
        fault(),
        "/meshes/0/step: by leapfrog a mesh has no contact; say \"collides\": false, or step by newton");
}

}  // namespace
}  // namespace sinew
