// The surroundings of particles, prepared for a step. Memory without meaning otherwise.
#pragma once

#include <vector>

#include "sinew/field/air.h"
#include "sinew/model/model.h"

namespace sinew {

struct ParticleWork {
    struct Attractor {
        float x, y, z, strength, squaredSoftening;
        int exponent;
        bool byMass;  // an acceleration; otherwise a force
    };
    Air<float> air;
    std::vector<Attractor> attractors;

    void prepare(const Model& model, double time);
};

}  // namespace sinew
