// Where and how a particle begins.
#pragma once

#include "sinew/model/model.h"
#include "sinew/model/particles.h"
#include "sinew/state/state.h"

namespace sinew::particle {

// The motion of bodies over a step, as particles see it: straight between its ends.
struct StepMotion {
    const LargeVector<BodyState>* start = nullptr;
    const LargeVector<BodyState>* end = nullptr;
    double time = 0, h = 0;  // of the start, and the length of the step

    BodyState bodyAt(int body, double part) const;  // 0: at the start, 1: at the end
};

struct Birth {
    Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();  // world
};

// The birth of that number at a part of the step.
Birth birthOf(const ParticleSystem& system, std::uint64_t number, const StepMotion& motion, double part);

// When in the step the k-th of `count` births is, as a part of it.
double momentOf(const ParticleSystem& system, std::uint64_t number, int k, int count);

// How many are born in a step that begins at a time; `step` counts steps.
int birthsIn(const ParticleSystem& system, double time, double h, std::uint64_t step);

}  // namespace sinew::particle
