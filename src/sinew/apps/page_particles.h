// The particles of a run in its page: thinned to what a browser opens in a moment, and packed.
#pragma once

#include <cstdint>
#include <string>

#include "sinew/io/whole_file.h"
#include "sinew/model/model.h"

namespace sinew {

// How much of them the page holds.
struct ParticleExtent {
    std::uint64_t every = 1;  // one in so many of the page's frames, between which they go on as they fly
    std::uint64_t oneIn = 1;  // particles, by the number of their birth
};

// The entry of the page's data (web/README.md) from the file of particles, which has as many frames as the
// tables; one in `every` of them goes into the page. Gives an empty string, or what is wrong.
std::string writeParticles(WholeFile& page, const std::string& path, const Model& model,
                           std::uint64_t frames, std::uint64_t every, ParticleExtent& extent);

}  // namespace sinew
