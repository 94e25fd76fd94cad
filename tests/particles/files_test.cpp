// Scenes, checkpoints and files of particles.
#include "particles/scenes.h"

#include <cstdio>
#include <filesystem>

#include "sinew/base/hash.h"
#include "sinew/io/binary/points_file.h"
#include "sinew/io/json/json.h"
#include "sinew/io/json/scene.h"
#include "sinew/recording/checkpoint.h"
#include "sinew/state/measure.h"

namespace sinew {
namespace {

using namespace testing_particles;

std::string path(const char* name)
{
    const std::string folder = std::string(SINEW_TEST_OUTPUT_DIR) + "/particles";
    std::filesystem::create_directories(folder);
    return folder + "/" + name;
}

// The verdict on a scene whose only system has these keys beside a name and a point.
std::string verdict(const std::string& keys, const std::string& emitter = R"({"type": "point"})")
{
    const std::string text = R"({"sinew": 1, "bodies": [{"name": "bone", "mass": 1, "inertia": [1, 1, 1]}],
        "particles": [{"name": "grains", "emitter": )" +
                             emitter + (keys.empty() ? "" : ", " + keys) + "}]}";
    Result<Description> scene = parseScene(text, "f");
    if (!scene) return scene.error().text();
    const Result<Model> model = compile(scene.value());
    return model ? std::string() : inFile(model.error(), "f").text();
}

TEST(ParticleScene, what_is_wrong_is_told_in_one_line)
{
    EXPECT_EQ(verdict(""), "");
    EXPECT_EQ(verdict(R"("life": -1)"), "f: /particles/0/life: is -1; it must be from 1e-09 to 1e+09 s");
    EXPECT_EQ(verdict(R"("life": {"mean": 1, "deviation": 0.5})"),
              "f: /particles/0/life: is from -1 to 3, four deviations about the mean; it must be from "
              "1e-09 to 1e+09 s");
    EXPECT_EQ(verdict(R"("most": 1000000000)"),
              "f: /particles/0/most: is 1000000000; a system holds from 1 to 10000000 particles at a time");
    EXPECT_EQ(verdict(R"("rate": 1e9)"),
              "f: /particles/0/rate: is 1e+09; it must be from 0 to 1e+08 births a second");
    EXPECT_EQ(verdict(R"("bursts": [{"count": 1000000000}])"),
              "f: /particles/0/bursts/0/count: is 1000000000; it must be from 1 to 10000000");
    EXPECT_EQ(verdict(R"("size": 0)"), "f: /particles/0/size: is 0; it must be from 1e-09 to 1e+09 m");
    EXPECT_EQ(verdict("", R"({"type": "point", "body": "arm"})"),
              "f: /particles/0/emitter/body: there is no body 'arm'");
    EXPECT_EQ(verdict("", R"({"type": "body", "body": "bone"})"),
              "f: /particles/0/emitter/body: 'bone' has no shapes to emit from; use the type point");
    EXPECT_EQ(verdict("", R"({"type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0]], "faces": [[0,1,3]]})"),
              "f: /particles/0/emitter/faces/0/2: there is no vertex 3; the mesh has 3, counted from 0");
    EXPECT_EQ(verdict("", R"({"type": "disc"})"),
              "f: /particles/0/emitter: the emitter disc needs the key \"radius\"");
    EXPECT_EQ(verdict("", R"({"type": "disk", "radius": 1})"),
              "f: /particles/0/emitter/type: unknown emitter \"disk\"; did you mean \"disc\"?");
    EXPECT_EQ(verdict(R"("opacity": 2)"), "f: /particles/0/opacity: is 2; it must be from 0 to 1");
    EXPECT_EQ(verdict(R"("color": [1, 2, 0])"), "f: /particles/0/color/1: is 2; it must be from 0 to 1");
    EXPECT_EQ(verdict(R"("over_life": {"size": [[0.5, 1], [0.2, 1]]})"),
              "f: /particles/0/over_life/size/1/0: must be later than the one before");
    EXPECT_EQ(verdict(R"("bounce": {"keep": 1.5})"),
              "f: /particles/0/bounce/keep: is 1.5; it must be from 0 to 1");
    EXPECT_EQ(verdict(R"("target": {"stiffness": 1})"),
              "f: /particles/0/target: follows a path or a body; give one of them");
    EXPECT_EQ(verdict(R"("target": {"path": [{"time": 0}]})"),
              "f: /particles/0/target: has no spring and no damper; give stiffness, damping or both");
    EXPECT_EQ(
        verdict(R"("velocity": {"speed": 1, "from": [0,0,0]})"),
        "f: /particles/0/velocity: a velocity at birth is a list, {\"speed\", \"direction\", \"angle\"}, "
        "{\"from\", \"to\"} or {\"mean\", \"deviation\"}");
    EXPECT_EQ(
        verdict(R"("life": {"from": 1})"),
        "f: /particles/0/life: a number, {\"from\", \"to\"} or {\"mean\", \"deviation\"} is expected");
    EXPECT_EQ(verdict(R"("trail": {"places": 1000000})"),
              "f: /particles/0/trail/places: is 1000000; it must be from 0 to 1000");
    // What no file can say, but a program.
    ParticlesDescription particles = burstOf(1);
    particles.life.value = std::nan("");
    const Result<Model> model = compile(sceneOf(particles));
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().text(), "/particles/0/life: has a number that is not finite");
}

TEST(ParticleScene, is_written_as_it_was_read)
{
    const char* const text =
        R"({"sinew": 1, "bodies": [{"name": "bone", "mass": 1, "inertia": [1, 1, 1]}], "particles": [
      {"name": "all", "emitter": {"type": "sphere", "body": "bone", "position": [1, 2, 3], "radius": 2, "surface": true, "inherit": 0.5},
       "rate": {"sine": {"amplitude": 3, "offset": 10}}, "spread": 4, "from": 1, "until": 2, "bursts": [{"time": 1, "count": 5, "every": 2}],
       "most": 77, "seed": 3, "velocity": {"direction": [1, 0, 0], "speed": {"mean": 3, "deviation": 0.1}, "angle": 0.3},
       "outward": {"from": 1, "to": 2}, "life": {"from": 1, "to": 2}, "size": 0.02, "opacity": 0.5, "color": {"from": [1, 0, 0], "to": [0, 1, 0]},
       "shape": "streak", "shadow": true, "emission": true,
       "over_life": {"size": [[0, 1], [1, 2]], "opacity": [[0, 1]], "drag": [[0.5, 2]], "color": [[0, [1, 1, 1]], [1, [0, 0, 1]]]},
       "mass": 0.1, "drag_coefficient": 1, "gravity": 0.5, "target": {"stiffness": 1, "damping": 2, "body": "bone", "point": [0, 0, 1]},
       "bounce": {"response": "penalty", "keep": 0.5, "friction": 0.1, "stiffness": 10, "damping": 1, "dies": true}, "trail": {"places": 3, "every": 0.1}},
      {"name": "mesh", "emitter": {"type": "mesh", "vertices": [[0,0,0],[1,0,0],[0,1,0]], "faces": [[0,1,2]]},
       "spread": "even", "velocity": {"from": [0, 0, 0], "to": [1, 1, 1]}, "bounce": {"time": "step"}},
      {"name": "plain", "emitter": {"type": "point"}, "velocity": [1, 2, 3], "bounce": true}]})";
    const Result<Description> scene = parseScene(text, "f");
    ASSERT_TRUE(scene) << scene.error().text();
    const std::string once = writeScene(scene.value());
    const Result<Description> again = parseScene(once, "f");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(writeScene(again.value()), once);
    for (const char* word : {"\"spread\": 4", "\"spread\": \"even\"", "\"response\": \"penalty\"",
                             "\"time\": \"step\"", "\"places\": 3", "\"inherit\": 0.5", "\"dies\": true"})
        EXPECT_NE(once.find(word), once.npos) << word;
    EXPECT_TRUE(compile(scene.value()));
}

Description fountain()
{
    ParticlesDescription water;
    water.name = "water";
    water.rate = 500;
    water.most = 700;
    water.life = {Spread::Kind::uniform, 0.5, 1.5};
    water.velocity.kind = BirthVelocity::Kind::cone;
    water.velocity.speed.value = 5;
    water.velocity.angle = 0.3;
    water.bounce = BounceDescription{};
    water.trail = 3;
    Description scene = sceneOf(water);
    scene.obstacles.emplace_back();
    return scene;
}

TEST(ParticleCheckpoint, a_resumed_run_has_the_same_bits)
{
    const Description scene = fountain();
    Simulation whole = begin(scene), half = begin(scene);
    run(whole, 3);
    run(half, 1.5);
    const std::string file = path("half.bin");
    ASSERT_FALSE(saveCheckpoint(file, half, scene));
    Result<Simulation> resumed = loadCheckpoint(file);
    ASSERT_TRUE(resumed) << resumed.error().text();
    EXPECT_EQ(stateHash(resumed.value().state), stateHash(half.state));
    run(resumed.value(), 1.5);
    EXPECT_EQ(stateHash(resumed.value().state), stateHash(whole.state));
    EXPECT_EQ(resumed.value().state.particles[0].trail, whole.state.particles[0].trail);
    EXPECT_EQ(resumed.value().state.particles[0].died, whole.state.particles[0].died);
    // Back at the start it does all of it again.
    whole.reset();
    run(whole, 1.5);
    EXPECT_EQ(stateHash(whole.state), stateHash(half.state));
}

TEST(ParticleCheckpoint, a_state_that_does_not_fit_is_refused)
{
    const Description scene = fountain();
    Simulation simulation = begin(scene);
    run(simulation, 1);
    State wrong = simulation.state;
    wrong.particles[0].x[0] = std::nanf("");
    EXPECT_TRUE(simulation.setState(wrong));
    wrong = simulation.state;
    wrong.particles[0].alive = 701;
    EXPECT_TRUE(simulation.setState(wrong));
    wrong = simulation.state;
    wrong.particles.emplace_back();
    EXPECT_TRUE(simulation.setState(wrong));
    EXPECT_FALSE(simulation.setState(simulation.state));
}

TEST(PointsFile, comes_back_to_the_bit_and_tells_damage)
{
    Simulation simulation = begin(fountain());
    const std::string file = path("points.sinewp");
    PointsFrame frame;
    {
        PointsWriter writer(file, pointsHeader(simulation.model(), 60, true));
        for (int k = 0; k < 10; ++k) {
            recordPoints(simulation.model(), simulation.state, true, 0, frame);
            writer.add(frame);
            run(simulation, 1. / 60);
        }
        ASSERT_EQ(writer.finish(), "");
    }
    Result<PointsReader> reader = PointsReader::open(file);
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(reader.value().frames(), 10u);
    EXPECT_EQ(reader.value().header().systems[0].name, "water");
    EXPECT_EQ(reader.value().header().fps, 60);
    PointsFrame back;
    ASSERT_FALSE(reader.value().frame(9, back));
    EXPECT_EQ(back.time, frame.time);
    EXPECT_EQ(back.systems[0].places, frame.systems[0].places);
    EXPECT_EQ(back.systems[0].velocities, frame.systems[0].velocities);
    EXPECT_EQ(back.systems[0].sizes, frame.systems[0].sizes);
    EXPECT_EQ(back.systems[0].colors, frame.systems[0].colors);
    EXPECT_EQ(back.systems[0].ids, frame.systems[0].ids);
    EXPECT_EQ(reader.value().outline(9).value().counts[0], frame.systems[0].places.size() / 3);

    Result<std::string> bytes = json::readFile(file);
    ASSERT_TRUE(bytes);
    const auto faultOfBytes = [&](std::string text) -> std::string {
        const std::string other = path("damaged.sinewp");
        EXPECT_EQ(writeWhole(other, text), "");
        Result<PointsReader> opened = PointsReader::open(other);
        if (!opened) return opened.error().message;
        PointsFrame any;
        for (std::uint64_t k = 0; k < opened.value().frames(); ++k)
            if (const auto fault = opened.value().frame(k, any)) return fault->message;
        return {};
    };
    EXPECT_EQ(faultOfBytes(bytes.value()), "");
    EXPECT_EQ(faultOfBytes("SINEWTRJ"),
              "is not a file of Sinew's particles: it does not begin with SINEWPTS");
    EXPECT_EQ(faultOfBytes(bytes.value().substr(0, bytes.value().size() - 1)),
              "is cut off: frame 9 is not whole; 9 frames are");
    std::string other = bytes.value();
    other[other.size() - 30] ^= 1;
    EXPECT_EQ(faultOfBytes(other), "frame 9 is damaged: the check sum does not fit");
    other = bytes.value();
    other[33] ^= 1;
    EXPECT_EQ(faultOfBytes(other), "its header is damaged: the check sum does not fit");
    // Every prefix and every changed byte is refused or read, never more.
    for (std::size_t i = 0; i < 60; ++i) {
        other = bytes.value();
        other[i * 7 % other.size()] ^= static_cast<char>(1 + i % 255);
        (void)faultOfBytes(other);
        (void)faultOfBytes(bytes.value().substr(0, i * 13 % bytes.value().size()));
    }
}

}  // namespace
}  // namespace sinew
