// A million particles that are born, live, are dragged, blown about and bounce: how many frames a second,
// on one core, and what each part of the work takes. Times are those of the processor.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/particle/look.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/particle_state.h"

namespace {

using namespace sinew;

// Of the processor, so that what else the machine does counts less.
double now()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Parts {
    bool drag = false, wind = false, gusts = false, ground = false, curves = false;
};

Description scene(int count, const Parts& parts)
{
    Description scene;
    ParticlesDescription snow;
    snow.name = "snow";
    snow.emitter.type = EmitterDescription::Type::disc;
    snow.emitter.pose.position = Vec3(0, 4, 0);
    snow.emitter.radius = 5;
    snow.most = static_cast<int>(1.05 * count);
    snow.life = {Spread::Kind::uniform, 1.5, 2.5};
    snow.rate = 0.5 * count;
    snow.velocity.kind = BirthVelocity::Kind::cone;
    snow.velocity.angle = 0.5;
    snow.velocity.speed = {Spread::Kind::normal, 2, 0.3};
    snow.size = {Spread::Kind::uniform, 0.5e-3, 2e-3};
    snow.density = 200;
    if (parts.curves) {
        snow.sizeOverLife = {{0, 0.2}, {0.1, 1}, {1, 0.5}};
        snow.opacityOverLife = {{0, 0}, {0.1, 1}, {1, 0}};
        snow.colorOverLife = {{0, Vec3(1, 1, 1)}, {1, Vec3(0.5, 0.6, 1)}};
        snow.dragOverLife = {{0, 1}, {1, 2}};
    }
    if (parts.drag) scene.medium = {1.8e-5, 1.2};
    if (parts.wind) {
        FieldDescription wind;
        wind.velocity = Vec3(2, 0, 0);
        scene.fields.push_back(wind);
    }
    if (parts.gusts) {
        FieldDescription gusts;
        gusts.type = FieldDescription::Type::gusts;
        gusts.speed = 1;
        gusts.size = 2;
        scene.fields.push_back(gusts);
    }
    if (parts.ground) {
        scene.obstacles.emplace_back();
        snow.bounce = BounceDescription{};
        snow.bounce->friction = 0.3;
    }
    scene.particles.push_back(snow);
    return scene;
}

void measure(const char* name, int count, const Parts& parts, double alone)
{
    Result<Simulation> made = Simulation::create(scene(count, parts), {});
    if (!made) {
        std::fprintf(stderr, "%s\n", made.error().text().c_str());
        std::exit(1);
    }
    Simulation& simulation = made.value();
    ParticleLook look;
    const auto frame = [&] {
        (void)simulation.step();
        lookAt(simulation.model().particles[0], simulation.state.particles[0], false, look);
    };
    for (int i = 0; i < 160; ++i) frame();
    double best = 1e9, sum = 0;
    constexpr int rounds = 6, frames = 10;
    const std::uint64_t before = simulation.state.particles[0].born;
    for (int round = 0; round < rounds; ++round) {
        const auto start = now();
        for (int i = 0; i < frames; ++i) frame();
        const double each = (now() - start) / frames;
        best = each < best ? each : best;
        sum += each;
    }
    const auto start = now();
    for (int i = 0; i < 10; ++i)
        lookAt(simulation.model().particles[0], simulation.state.particles[0], false, look);
    const double looks = (now() - start) / 10;
    const ParticleState& state = simulation.state.particles[0];
    std::printf("| %s | %d | %.0f | %.1f | %.1f | %.1f | %.0f | %.2f |\n", name, state.alive,
                static_cast<double>(state.born - before) / (rounds * frames), 1e3 * best,
                1e3 * sum / rounds, 1e3 * looks, 1 / best, best / alone);
}

// A plain loop over as much memory, as a measure of the machine at this moment.
double plainLoop(int count)
{
    std::vector<float> rows[9];
    for (auto& row : rows) row.assign(static_cast<std::size_t>(count), 1);
    double best = 1e9;
    for (int round = 0; round < 10; ++round) {
        const auto start = now();
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            for (int k = 0; k < 3; ++k) rows[k][i] += 0.01f * rows[k + 3][i];
        const double each = (now() - start);
        best = each < best ? each : best;
    }
    return best;
}

}  // namespace

int main(int argc, char** argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000000;
    const double alone = plainLoop(count);
    std::printf("%d bytes a particle; a plain x += v h over as many takes %.2f ms.\n\n",
                ParticleState::bytesEach, 1e3 * alone);
    std::printf(
        "| with | alive | births a frame | best ms | mean ms | of that look | frames a second | plain "
        "loops |\n");
    std::printf("|---|---|---|---|---|---|---|---|\n");
    Parts parts;
    measure("births and deaths", count, parts, alone);
    parts.curves = true;
    measure("curves over life", count, parts, alone);
    parts.drag = true;
    measure("viscosity and drag", count, parts, alone);
    parts.wind = true;
    measure("wind", count, parts, alone);
    parts.ground = true;
    measure("ground", count, parts, alone);
    parts.gusts = true;
    measure("gusts", count, parts, alone);
}
