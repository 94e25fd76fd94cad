// What `sinew crowd` is about to do, fully checked before anything is written.
#pragma once

#include <memory>
#include <string>

#include "sinew/apps/commands.h"
#include "sinew/crowd/variation.h"
#include "sinew/io/load_scene.h"

namespace sinew {

struct CrowdJob {
    SceneFile scene;
    std::string variation;         // the text of the file
    std::unique_ptr<Model> model;  // stays where it is
    CrowdSettings settings;
    std::uint64_t seed = 1;
    double duration = 0, fps = 0;
    int stepsOfFrame = 1;
    std::uint64_t frames = 0;  // with that at the start
    std::optional<Crowd> crowd;
    std::vector<std::string> drawnNames;
    std::vector<std::vector<double>> drawn;  // of each character
    std::vector<double> masses;              // factors
};

Result<CrowdJob> prepareCrowd(const CrowdOptions& options);

}  // namespace sinew
