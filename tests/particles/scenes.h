// Small particle systems for tests.
#pragma once

#include <gtest/gtest.h>

#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/simulation/simulation.h"
#include "sinew/state/particle_state.h"

namespace sinew::testing_particles {

// Some that are born at once, at the origin, and live for long.
inline ParticlesDescription burstOf(int count)
{
    ParticlesDescription particles;
    particles.name = "grains";
    particles.bursts = {{0, count, 0}};
    particles.births = ParticlesDescription::Births::even;
    particles.most = count;
    particles.life = {Spread::Kind::constant, 1e6, 0};
    return particles;
}

inline Description sceneOf(const ParticlesDescription& particles)
{
    Description scene;
    scene.particles.push_back(particles);
    return scene;
}

inline Simulation begin(const Description& scene, double step = 1. / 60)
{
    Settings settings;
    settings.step = step;
    Result<Simulation> made = Simulation::create(scene, settings);
    EXPECT_TRUE(made) << made.error().text();
    return std::move(made.value());
}

inline void run(Simulation& simulation, double seconds)
{
    const Advance way = simulation.advance(seconds);
    ASSERT_TRUE(way.ok) << way.last.message;
}

inline Vec3 placeOf(const ParticleState& s, int i)
{
    return {s.x[i], s.y[i], s.z[i]};
}
inline Vec3 velocityOf(const ParticleState& s, int i)
{
    return {s.vx[i], s.vy[i], s.vz[i]};
}

}  // namespace sinew::testing_particles
