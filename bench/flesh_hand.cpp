// The hand of scenes/hand.json with flesh: each of its 16 bones in a block of 112 vertices that is bound to
// it by springs, both ways. Prints the time per frame of 1/60 s.
//
//     bench_flesh_hand [seconds 4]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "sinew/io/json/scene.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/springs.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/mesh_state.h"

namespace {

using namespace sinew;

// Around the bone's own shape, as thick again as the bone.
SpringMeshDescription fleshOf(const BodyDescription& bone)
{
    SpringMeshDescription flesh;
    flesh.name = bone.name + "_flesh";
    flesh.form = SpringMeshDescription::Form::beam;
    flesh.segments = {3, 6, 3};
    const ShapeDescription& part = bone.shapes.front();
    flesh.pose = bone.pose * part.pose;
    if (const auto* capsule = std::get_if<Capsule>(&part.shape)) {
        const double width = 4 * capsule->radius;
        flesh.size = {width, capsule->length + 2 * capsule->radius, width};
    } else if (const auto* box = std::get_if<Box>(&part.shape)) {
        flesh.size = {box->size.x(), 2 * box->size.y(), box->size.z()};
    }
    flesh.mass = 1000 * flesh.size[0] * flesh.size[1] * flesh.size[2];
    flesh.stiffness = 200;
    flesh.damping = 0.05;
    flesh.ignore = {bone.name};
    flesh.collides = false;
    PinDescription bound;
    bound.at.near = Vec3::Zero();
    bound.at.radius = flesh.size[0] + flesh.size[1] + flesh.size[2];  // all
    bound.body = bone.name;
    bound.stiffness = 5;
    bound.damping = 0.01;
    flesh.pins.push_back(bound);
    return flesh;
}

}  // namespace

int main(int count, char** words)
{
    const double seconds = count > 1 ? std::atof(words[1]) : 4;
    Result<Description> read = readScene(SINEW_SCENE_DIR "/hand.json");
    if (!read) return std::fprintf(stderr, "%s\n", read.error().text().c_str()), 2;
    Description& scene = read.value();
    for (const BodyDescription& bone : scene.bodies) scene.meshes.push_back(fleshOf(bone));
    Result<Simulation> made = Simulation::create(scene, {.step = 1.0 / 60});
    if (!made) return std::fprintf(stderr, "%s\n", made.error().text().c_str()), 2;
    Simulation& hand = made.value();
    int vertices = 0, caps = 0;
    for (const SpringMesh& mesh : hand.model().meshes) vertices += mesh.size();
    const int frames = static_cast<int>(60 * seconds);
    long iterations = 0;
    const std::clock_t start = std::clock();
    for (int frame = 0; frame < frames; ++frame) {
        const StepReport report = hand.step();
        if (!report.ok) return std::fprintf(stderr, "%s\n", report.message.c_str()), 3;
        iterations += report.statistics.meshIterations;
        caps += report.statistics.meshCaps;
    }
    const double each = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / frames;
    double off = 0;  // how far flesh is from where its bone would have it, of its size
    for (std::size_t m = 0; m < hand.state.meshes.size(); ++m) {
        const SpringMesh& mesh = hand.model().meshes[m];
        const MeshState& at = hand.state.meshes[m];
        for (const MeshPin& pin : mesh.pins) {
            const BodyState& bone = hand.state.bodies[static_cast<std::size_t>(pin.body)];
            const Vec3 place(at.x[3 * pin.vertex], at.x[3 * pin.vertex + 1], at.x[3 * pin.vertex + 2]);
            off = std::max(off, (place - bone.position - bone.orientation * pin.point).norm());
        }
    }
    std::printf(
        "%d bones, %d vertices of flesh: %.1f ms of the processor a frame, %.1f frames a second; "
        "%.1f iterations, %d cut off, flesh %.1f mm off its bones at the end\n",
        hand.model().size(), vertices, 1e3 * each, 1 / each, static_cast<double>(iterations) / frames, caps,
        1e3 * off);
    return 0;
}
