// Scene files written and read back: the same bits.
#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/base/random.h"
#include "sinew/io/json/scene.h"
#include "sinew/state/state.h"
#include "support/same_scene.h"

namespace sinew {
namespace {

std::vector<std::string> sceneFiles()
{
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(SINEW_SCENE_DIR))
        if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    return files;
}

// Numbers of every size, so that a lost digit shows.
struct RandomScene {
    Random random;

    double number() { return random.normal() * std::pow(10, random.below(13) - 6); }
    Vec3 vector() { return {number(), number(), number()}; }
    Pose pose() { return {vector(), Quat(number(), number(), number(), number()).normalized()}; }
    bool coin() { return random.below(2) == 0; }
    std::optional<Vec3> maybeVector() { return coin() ? std::optional(vector()) : std::nullopt; }
    std::optional<double> maybeNumber() { return coin() ? std::optional(number()) : std::nullopt; }
    std::vector<double> numbers()
    {
        std::vector<double> all(static_cast<std::size_t>(random.below(4)));
        for (double& x : all) x = number();
        return all;
    }
    Shape shape()
    {
        switch (random.below(6)) {
            case 0:
                return Sphere{number()};
            case 1:
                return Box{vector()};
            case 2:
                return Capsule{number(), number()};
            case 3:
                return Cylinder{number(), number()};
            case 4:
                return Ellipsoid{vector()};
            default:
                return ConvexMesh{{vector(), vector(), vector(), vector()}, {{0, 1, 2}, {3, 2, 1}}};
        }
    }
    BodyDescription body(int i)
    {
        BodyDescription b;
        b.name = "body \"" + std::to_string(i) + "\" é";
        if (coin()) b.pose = pose();
        b.mass = maybeNumber();
        if (coin())
            b.inertia = coin() ? Mat3(vector().asDiagonal()) : Mat3(vector() * vector().transpose());
        b.center = maybeVector();
        for (int k = random.below(3); k > 0; --k)
            b.shapes.push_back({shape(), pose(), maybeNumber(), maybeNumber()});
        b.friction = maybeNumber();
        b.restitution = maybeNumber();
        b.staticFriction = maybeNumber();
        b.rollingFriction = maybeNumber();
        b.spinningFriction = maybeNumber();
        if (coin()) b.layer = "layer";
        b.collides = coin();
        b.color = maybeVector();
        b.velocity = maybeVector();
        b.angularVelocity = maybeVector();
        return b;
    }
    JointDescription joint(int i)
    {
        JointDescription j;
        j.name = "joint" + std::to_string(i);
        j.type = static_cast<JointType>(random.below(jointTypeCount()));
        j.first = "world";
        j.second = "b/~\\";
        if (coin()) j.position = vector();
        j.axis = maybeVector();
        j.axis2 = maybeVector();
        if (coin()) j.stiffness = number();
        if (coin()) j.damping = number();
        j.motor = numbers();
        j.coordinate = numbers();
        j.velocity = numbers();
        j.rest = numbers();
        j.lower = numbers();
        j.upper = numbers();
        if (coin()) j.limitStiffness = number();
        if (coin()) j.armature = number();
        j.twistStiffness = maybeNumber();
        j.swingLimit = maybeNumber();
        if (coin()) {
            SwingConeDescription& cone = j.swingCone.emplace();
            if (coin()) cone.center = vector();
            cone.toward = vector();
            for (double& reach : cone.reach) reach = number();
        }
        return j;
    }
    ObstacleDescription obstacle(int i)
    {
        ObstacleDescription o;
        if (coin()) o.name = "obstacle" + std::to_string(i);
        if (coin()) o.position = vector();
        o.friction = maybeNumber();
        o.restitution = maybeNumber();
        o.staticFriction = maybeNumber();
        o.rollingFriction = maybeNumber();
        o.spinningFriction = maybeNumber();
        if (coin()) o.layer = "layer";
        o.type = static_cast<ObstacleDescription::Type>(random.below(4));
        switch (o.type) {
            case ObstacleDescription::Type::plane:
                if (coin()) o.normal = vector();
                break;
            case ObstacleDescription::Type::sphere:
                o.radius = number();
                break;
            case ObstacleDescription::Type::shape:
                while (std::holds_alternative<Sphere>(o.shape)) o.shape = shape();
                break;
            case ObstacleDescription::Type::terrain:
                o.terrain = terrain();
                break;
        }
        if (o.type == ObstacleDescription::Type::plane || o.type == ObstacleDescription::Type::sphere) {
            if (coin()) o.stiffness = number();
            if (coin()) o.damping = coin() ? 0 : number();
        } else if (coin()) {
            o.orientation = pose().orientation;
        }
        return o;
    }
    Terrain terrain()
    {
        if (coin()) return HeightField{3, 2, number(), {1, 0, number(), number(), -1, number()}};
        return TriangleMesh{{vector(), vector(), vector(), vector()}, {{0, 1, 2}, {2, 1, 3}}};
    }
    ContactDescription contact()
    {
        ContactDescription c;
        c.response = static_cast<ContactDescription::Response>(random.below(4));
        c.accuracy = static_cast<ContactDescription::Accuracy>(random.below(2));
        c.solver = static_cast<ContactDescription::Solver>(random.below(3));
        for (double* value : {&c.friction, &c.restitution, &c.rollingFriction, &c.spinningFriction, &c.keep,
                              &c.stiffness, &c.damping})
            if (coin()) *value = number();
        for (std::optional<double>* value : {&c.bounceSpeed, &c.tolerance})
            if (coin()) *value = number();
        if (coin()) c.staticFriction = number();
        if (coin()) c.sweeps = random.below(1000);
        c.atFraction = coin();
        c.plainInertia = coin();
        c.sleeping = coin();
        for (int k = random.below(3); k > 0; --k) c.ignore.push_back({"b/~\\", "layer"});
        return c;
    }
    TargetDescription target()
    {
        TargetDescription t;
        t.body = "b/~\\";
        t.point = maybeVector();
        for (double* value : {&t.stiffness, &t.damping, &t.turnStiffness, &t.turnDamping})
            if (coin()) *value = number();
        for (int k = random.below(4); k > 0; --k) t.path.push_back(pathKey());
        t.smooth = coin();
        return t;
    }
    TargetDescription::Key pathKey()
    {
        TargetDescription::Key key{number(), maybeVector(), {}};
        if (coin()) key.orientation = coin() ? Quat::Identity() : pose().orientation;
        return key;
    }
    SignalPart signalPart()
    {
        switch (random.below(6)) {
            case 0:
                return ConstantSignal{number()};
            case 1:
                return SineSignal{number(), number(), number(), number()};
            case 2:
                return PulseSignal{number(), number(), number(), number(), number()};
            case 3:
                return StepSignal{number(), number(), number(), number()};
            case 4:
                return NoiseSignal{number(), number(), static_cast<std::uint32_t>(random.below(1 << 30))};
            default:
                return KeySignal{
                    {{number(), number()}, {number(), number()}}, coin(), coin() ? 0 : number()};
        }
    }
    PrescribedDescription prescribed()
    {
        PrescribedDescription p;
        if (coin()) {
            p.joint = "j";
            for (int k = 1 + random.below(3); k > 0; --k) {
                p.motion.emplace_back(signalPart());
                if (coin()) p.motion.back().parts.push_back(signalPart());
            }
        } else {
            p.body = "b/~\\";
            for (int k = 1 + random.below(3); k > 0; --k) p.path.push_back(pathKey());
            p.smooth = coin();
            p.point = maybeVector();
        }
        if (coin()) p.from = number();
        p.until = maybeNumber();
        if (coin()) p.blend = number();
        return p;
    }
    Description scene()
    {
        Description d;
        if (coin()) d.name = "scene\\";
        if (coin()) d.about = "two\nlines\tand \"quotes\"";
        if (coin()) d.gravity = vector();
        if (coin()) d.inertiaFloor = number();
        for (int i = random.below(4); i > 0; --i) d.bodies.push_back(body(i));
        for (int i = random.below(4); i > 0; --i) d.joints.push_back(joint(i));
        for (int i = random.below(3); i > 0; --i)
            d.forces.push_back({"x", vector(), vector(), maybeVector()});
        if (coin()) d.roots = {"a", "b"};
        for (int i = random.below(3); i > 0; --i) d.obstacles.push_back(obstacle(i));
        if (coin()) d.contact = coin() ? contact() : ContactDescription{};
        for (int i = random.below(3); i > 0; --i) d.targets.push_back(target());
        for (int i = random.below(3); i > 0; --i) d.couplings.push_back({"j", "k", number(), number()});
        for (int i = random.below(3); i > 0; --i)
            d.switches.push_back({number(), coin() ? "" : "j", coin()});
        for (int i = random.below(3); i > 0; --i) d.prescribed.push_back(prescribed());
        if (coin())
            d.run = {"kkt",
                     "rk4",
                     coin() ? "" : "maximal",
                     maybeNumber(),
                     maybeNumber(),
                     maybeNumber(),
                     coin() ? std::optional(random.below(100)) : std::nullopt,
                     coin(),
                     maybeNumber()};
        return d;
    }
};

TEST(Scene, any_description_survives_writing_and_reading_bit_for_bit)
{
    RandomScene source{Random(11)};
    for (int i = 0; i < 500; ++i) {
        const Description before = source.scene();
        const std::string text = writeScene(before);
        const Result<Description> after = parseScene(text, "f");
        ASSERT_TRUE(after) << after.error().text() << "\n" << text;
        expectSame(before, after.value());
        ASSERT_FALSE(HasFailure()) << text;
    }
}

TEST(Scene, every_scene_of_the_project_reads_compiles_starts_and_survives_rewriting)
{
    const std::vector<std::string> files = sceneFiles();
    ASSERT_GE(files.size(), 6u);
    for (const std::string& file : files) {
        const Result<Description> scene = readScene(file);
        ASSERT_TRUE(scene) << scene.error().text();
        EXPECT_FALSE(scene.value().about.empty()) << file;
        const Result<Model> model = compile(scene.value());
        ASSERT_TRUE(model) << inFile(model.error(), file).text();
        const Result<State> state = initialState(model.value(), scene.value());
        ASSERT_TRUE(state) << inFile(state.error(), file).text();
        const Result<Description> again = parseScene(writeScene(scene.value()), file);
        ASSERT_TRUE(again) << again.error().text();
        expectSame(scene.value(), again.value());
    }
}

}  // namespace
}  // namespace sinew
