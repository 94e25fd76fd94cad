// Spring meshes in scenes: the same physics turned, moved, mirrored, scaled and reordered; a drape against
// a fine explicit step; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "sinew/base/random.h"
#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/recording/checkpoint.h"
#include "sinew/simulation/simulation.h"
#include "sinew/soft/relax.h"
#include "sinew/state/measure.h"
#include "sinew/state/mesh_state.h"

namespace sinew {
namespace {

using M = SpringMeshDescription;

// A cloth with a corner on a body, over an ellipsoid, in a vortex: as vertices and faces, so that it can be
// mirrored.
Description tablecloth()
{
    Description d;
    BodyDescription weight;
    weight.name = "weight";
    weight.pose.position = Vec3(-0.4, 0.32, -0.4);
    weight.shapes.push_back({Sphere{0.05}, {}, {}, 0.1});
    d.bodies.push_back(weight);
    ObstacleDescription table;
    table.type = ObstacleDescription::Type::shape;
    table.shape = Ellipsoid{Vec3(0.3, 0.15, 0.25)};
    table.position = Vec3(0.03, 0.12, 0);
    d.obstacles.push_back(table);
    d.contact.emplace();
    d.medium.density = 1.2;
    FieldDescription vortex;
    vortex.type = FieldDescription::Type::vortex;
    vortex.position = Vec3(0.1, 0, 0.2);
    vortex.radius = 0.5;
    vortex.speed = 3;
    d.fields.push_back(vortex);
    M cloth;
    cloth.name = "cloth";
    constexpr int n = 6;
    for (int k = 0; k <= n; ++k)
        for (int i = 0; i <= n; ++i)
            cloth.vertices.push_back(
                Vec3(0.8 * i / n - 0.4, 0.3 + 0.01 * ((3 * i + 5 * k) % 4), 0.8 * k / n - 0.4));
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i) {
            const int a = k * (n + 1) + i, b = a + 1, c = a + n + 2, e = a + n + 1;
            cloth.faces.push_back({a, e, c});
            cloth.faces.push_back({a, c, b});
        }
    cloth.mass = 0.2;
    cloth.stiffness = 120;
    cloth.damping = 0.2;
    cloth.bend = 5;
    cloth.fold = 1e-3;
    cloth.foldDamping = 1e-5;
    cloth.drag = 1;
    cloth.lift = 0.3;
    cloth.thickness = 0.01;
    cloth.friction = 0.4;
    cloth.tolerance = 1e-9;
    PinDescription corner;
    corner.at.vertices = {0};
    corner.body = "weight";
    cloth.pins.push_back(corner);
    cloth.forces.push_back({{{48}, {}, {}, {}}, Vec3(0.1, 0.2, -0.1), {}});
    d.meshes.push_back(cloth);
    return d;
}

// Places of the vertices after some steps.
std::vector<Vec3> placesAfter(const Description& d, int steps, double h)
{
    Result<Simulation> made = Simulation::create(d, {.step = h});
    EXPECT_TRUE(made) << made.error().text();
    std::vector<Vec3> places;
    if (!made) return places;
    Simulation& simulation = made.value();
    for (int i = 0; i < steps; ++i) {
        const StepReport report = simulation.step();
        EXPECT_TRUE(report.ok) << report.message;
    }
    const VecX& x = simulation.state.meshes[0].x;
    for (int i = 0; i < x.size() / 3; ++i) places.push_back(Vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    return places;
}

void expectSame(const std::vector<Vec3>& places, const std::vector<Vec3>& wanted, double tolerance)
{
    ASSERT_EQ(places.size(), wanted.size());
    double most = 0;
    for (std::size_t i = 0; i < places.size(); ++i) most = std::max(most, (places[i] - wanted[i]).norm());
    EXPECT_LT(most, tolerance);
}

constexpr int steps = 12;
constexpr double h = 1.0 / 60;

TEST(SpringMeshScene, isTheSameTurnedAndMoved)
{
    const std::vector<Vec3> plain = placesAfter(tablecloth(), steps, h);
    const Quat turn = expRotation(Vec3(0.4, -1.1, 0.7));
    for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(300, -200, 100)}) {
        const auto moved = [&](const Vec3& p) { return Vec3(turn * p) + shift; };
        Description d = tablecloth();
        d.gravity = turn * d.gravity;
        for (BodyDescription& body : d.bodies)
            body.pose = {moved(body.pose.position), turn * body.pose.orientation};
        for (ObstacleDescription& o : d.obstacles) {
            o.position = moved(o.position);
            o.orientation = turn * o.orientation;
        }
        d.fields[0].position = moved(d.fields[0].position);
        d.fields[0].axis = turn * d.fields[0].axis;
        M& cloth = d.meshes[0];
        cloth.pose = {moved(cloth.pose.position), turn * cloth.pose.orientation};
        cloth.forces[0].force = turn * cloth.forces[0].force;
        std::vector<Vec3> wanted = plain;
        for (Vec3& p : wanted) p = moved(p);
        expectSame(placesAfter(d, steps, h), wanted, shift.isZero(0) ? 1e-8 : 1e-6);
    }
}

TEST(SpringMeshScene, isTheSameInAMirror)
{
    std::vector<Vec3> wanted = placesAfter(tablecloth(), steps, h);
    const auto mirror = [](const Vec3& p) { return Vec3(-p.x(), p.y(), p.z()); };
    for (Vec3& p : wanted) p = mirror(p);
    Description d = tablecloth();
    for (BodyDescription& body : d.bodies) body.pose.position = mirror(body.pose.position);
    for (ObstacleDescription& o : d.obstacles) o.position = mirror(o.position);
    d.fields[0].position = mirror(d.fields[0].position);
    d.fields[0].speed = -d.fields[0].speed;
    M& cloth = d.meshes[0];
    for (Vec3& p : cloth.vertices) p = mirror(p);
    for (auto& face : cloth.faces) std::swap(face[1], face[2]);
    cloth.forces[0].force = mirror(cloth.forces[0].force);
    expectSame(placesAfter(d, steps, h), wanted, 1e-8);
}

TEST(SpringMeshScene, isTheSameInAnotherOrder)
{
    const std::vector<Vec3> plain = placesAfter(tablecloth(), steps, h);
    Description d = tablecloth();
    M& cloth = d.meshes[0];
    std::vector<int> order(cloth.vertices.size());
    std::iota(order.begin(), order.end(), 0);
    Random random(5);
    for (std::size_t i = order.size(); i-- > 1;)
        std::swap(order[i], order[random.below(static_cast<int>(i) + 1)]);
    std::vector<Vec3> vertices(order.size()), wanted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        vertices[order[i]] = cloth.vertices[i];
        wanted[order[i]] = plain[i];
    }
    cloth.vertices = vertices;
    for (auto& face : cloth.faces)
        for (int& corner : face) corner = order[corner];
    std::reverse(cloth.faces.begin(), cloth.faces.end());
    cloth.pins[0].at.vertices = {order[0]};
    cloth.forces[0].at.vertices = {order[48]};
    expectSame(placesAfter(d, steps, h), wanted, 1e-7);
}

// Lengths times s, masses times m, the same gravity: times grow by √s, forces by m.
TEST(SpringMeshScene, isTheSameAtAnotherSize)
{
    const std::vector<Vec3> plain = placesAfter(tablecloth(), steps, h);
    for (double s : {1e-2, 50.0}) {
        const double m = 7, t = std::sqrt(s);
        Description d = tablecloth();
        for (BodyDescription& body : d.bodies) {
            body.pose.position *= s;
            body.shapes[0].shape = Sphere{0.05 * s};
            body.shapes[0].mass = 0.1 * m;
        }
        for (ObstacleDescription& o : d.obstacles) {
            o.position *= s;
            o.shape = Ellipsoid{s * Vec3(0.3, 0.15, 0.25)};
        }
        d.medium.density *= m / (s * s * s);
        d.fields[0].position *= s;
        d.fields[0].radius *= s;
        d.fields[0].speed *= s / t;
        M& cloth = d.meshes[0];
        for (Vec3& p : cloth.vertices) p *= s;
        cloth.mass *= m;
        cloth.stiffness *= m / s;
        cloth.bend *= m / s;
        cloth.damping *= m / t;
        cloth.fold *= m * s;
        cloth.foldDamping *= m * s * t;
        cloth.thickness *= s;
        cloth.forces[0].force *= m;
        std::vector<Vec3> wanted = plain;
        for (Vec3& p : wanted) p *= s;
        expectSame(placesAfter(d, steps, h * t), wanted, 1e-6 * s);
    }
}

TEST(SpringMeshScene, goesOnFromACheckpointToTheSameBits)
{
    Result<Simulation> made = Simulation::create(tablecloth(), {.step = h});
    ASSERT_TRUE(made);
    ASSERT_TRUE(made.value().advance(6 * h).ok);
    Checkpoint kept = checkpointOf(made.value(), "f", writeScene(tablecloth()));
    Result<Checkpoint> read = parseCheckpoint(checkpointBytes(kept), "f");
    ASSERT_TRUE(read) << read.error().text();
    Result<Simulation> other =
        Simulation::create(parseScene(read.value().sceneText, "f").value(), {.step = h});
    ASSERT_TRUE(other);
    ASSERT_FALSE(other.value().setState(read.value().state, read.value().clock));
    ASSERT_TRUE(made.value().advance(6 * h).ok);
    ASSERT_TRUE(other.value().advance(6 * h).ok);
    EXPECT_EQ(stateHash(made.value().state), stateHash(other.value().state));
}

// A cloth of 25 by 25 that hangs by one side, at rest: by implicit steps, and by explicit ones of 1/6000 s
// from another place, until no force is left.
TEST(SpringMeshScene, drapesAsAFineExplicitStepDoes)
{
    M cloth;
    cloth.name = "cloth";
    cloth.form = M::Form::cloth;
    cloth.size = {1, 1};
    cloth.segments = {24, 24};
    cloth.mass = 0.3;
    cloth.stiffness = 60;
    cloth.damping = 0.05;
    cloth.bend = 1;
    PinDescription side;
    side.at.box = {{Vec3(-0.5, 0, -0.5), Vec3(0.5, 0, -0.5)}};
    cloth.pins.push_back(side);
    Description d;
    d.meshes.push_back(cloth);
    Result<Simulation> made = Simulation::create(d, {.step = 1.0 / 60});
    ASSERT_TRUE(made) << made.error().text();
    const SpringMesh& mesh = made.value().model().meshes[0];
    // Implicit: relaxation, which is where steps end.
    MeshSurroundings around;
    around.model = &made.value().model();
    const LargeVector<BodyState> none;
    around.start = around.end = &none;
    MeshState implicit = made.value().state.meshes[0];
    ASSERT_TRUE(relax(mesh, around, implicit, 1e-6, 60).converged);
    // Explicit: symplectic Euler with the springs alone.
    const double dt = 1.0 / 6000;
    std::vector<Vec3> x = mesh.rest, v(x.size(), Vec3::Zero()), f(x.size());
    std::vector<char> held(x.size());
    for (const MeshPin& pin : mesh.pins) held[pin.vertex] = 1;
    // It starts hanging straight, a little out of its plane. Whenever its motion is at its fastest it is
    // stopped, so that swings do not go on (dynamic relaxation, A. Day 1965).
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = Vec3(x[i].x(), -(x[i].z() + 0.5), -0.5 + 0.01 * (x[i].z() + 0.5));
    const double weight = cloth.mass / static_cast<double>(x.size()) * d.gravity.norm();
    double left = HUGE_VAL, fastest = 0;
    for (int step = 0; step < 60000 && left > 1e-3 * weight; ++step) {
        for (std::size_t i = 0; i < x.size(); ++i) f[i] = mesh.masses[i] * d.gravity;
        for (const MeshSpring& spring : mesh.springs) {
            const Vec3 way = x[spring.b] - x[spring.a];
            const double length = way.norm();
            const Vec3 along = way / length;
            const Vec3 pull = (spring.stiffness * (length - spring.rest) +
                               spring.damping * along.dot(v[spring.b] - v[spring.a])) *
                              along;
            f[spring.a] += pull;
            f[spring.b] -= pull;
        }
        double moving = 0;
        left = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (held[i]) continue;
            v[i] += dt / mesh.masses[i] * f[i];
            x[i] += dt * v[i];
            moving += mesh.masses[i] * v[i].squaredNorm();
            left = std::max(left, f[i].norm());
        }
        if (moving < fastest) std::fill(v.begin(), v.end(), Vec3::Zero());
        fastest = moving < fastest ? 0 : moving;
    }
    // Narrower at its middle than at the top, it has a fold there, to the front or to the back.
    double sameSide = 0, otherSide = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const int k = 3 * static_cast<int>(i);
        const Vec3 found(implicit.x[k], implicit.x[k + 1], implicit.x[k + 2]);
        sameSide = std::max(sameSide, (found - x[i]).norm());
        otherSide = std::max(otherSide, (found - Vec3(x[i].x(), x[i].y(), -1 - x[i].z())).norm());
    }
    const double off = std::min(sameSide, otherSide);
    RecordProperty("off_in_millimetres", std::to_string(1e3 * off));
    EXPECT_LE(left, 1e-3 * weight);
    EXPECT_LT(off, 1e-3);
    EXPECT_GT(std::max(sameSide, otherSide), 5 * off);  // the fold is there
}

struct Spoilt {
    const char* name;
    std::function<void(M&)> spoil;
    const char* message;
};

class SpoiltMesh : public testing::TestWithParam<Spoilt> {};

TEST_P(SpoiltMesh, isRefusedInOneLine)
{
    Description d = tablecloth();
    GetParam().spoil(d.meshes[0]);
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().text(), GetParam().message);
}

const Spoilt spoilt[] = {
    {"stiffness", [](M& m) { m.stiffness = -1; }, "/meshes/0/stiffness: is -1; it must be zero or more"},
    {"nan", [](M& m) { m.vertices[3].y() = NAN; }, "/meshes/0/vertices/3: has a number that is not finite"},
    {"index",
     [](M& m) {
         m.faces[2] = {0, 1, 99};
     },
     "/meshes/0/faces/2: there is no vertex 99; the mesh has 49, counted from 0"},
    {"area",
     [](M& m) {
         m.faces[2] = {0, 1, 1};
     },
     "/meshes/0/faces/2: has no area"},
    {"manifold",
     [](M& m) {
         m.faces.push_back({0, 8, 20});
     },
     "/meshes/0/fold: needs a surface; edge 0-8 belongs to several faces on one side"},
    {"open", [](M& m) { m.fold = m.foldDamping = 0, m.pressure = 10; },
     "/meshes/0/pressure: needs a closed surface; edge 0-1 does not belong to one face on each side"},
    {"body", [](M& m) { m.pins[0].body = "nobody"; }, "/meshes/0/pins/0/body: there is no body 'nobody'"},
    {"pins", [](M& m) { m.pins[0].at.vertices = {49}; },
     "/meshes/0/pins/0/vertices: there is no vertex 49; the mesh has 49, counted from 0"},
    {"ways", [](M& m) { m.pins[0].at.near = Vec3(0, 0, 0); },
     "/meshes/0/pins/0: say which vertices in one way: vertices, box or near"},
    {"mass", [](M& m) { m.mass = 0; }, "/meshes/0/mass: is 0; it must be positive"},
    {"size", [](M& m) { m.size = {1}; }, "/meshes/0/size: is for cloth, ball and beam"},
    {"name", [](M& m) { m.name = ""; }, "/meshes/0/name: is empty"},
    {"tolerance", [](M& m) { m.tolerance = 0; }, "/meshes/0/tolerance: is 0; it must be from 1e-12 to 1"},
};
INSTANTIATE_TEST_SUITE_P(Meshes, SpoiltMesh, testing::ValuesIn(spoilt),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SpringMeshScene, aHugeClothIsRefusedBeforeItIsMade)
{
    Description d;
    M cloth;
    cloth.name = "c";
    cloth.form = M::Form::cloth;
    cloth.size = {1, 1};
    cloth.segments = {100000, 100000};
    d.meshes.push_back(cloth);
    const Result<Model> model = compile(d);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().text(),
              "/meshes/0/segments: make 1.00002e+10 vertices; at most 2000000 are taken");
}

TEST(SpringMeshScene, comesBackFromItsFile)
{
    Description d = tablecloth();
    M& cloth = d.meshes[0];
    cloth.edges = {{0, 30}};
    cloth.strainLimit = 0.2;
    cloth.ignore = {"weight"};
    cloth.step = M::Step::quick;
    cloth.iterations = 20;
    const std::string text = writeScene(d);
    const Result<Description> back = parseScene(text, "f");
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(writeScene(back.value()), text);
    EXPECT_EQ(back.value().meshes[0].faces, cloth.faces);
}

}  // namespace
}  // namespace sinew
