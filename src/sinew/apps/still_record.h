// The tables of a run whose frames are poses and not a motion: what commands write that move figures
// without forces.
#pragma once

#include <string>

#include "sinew/apps/evaluation.h"
#include "sinew/dynamics/work.h"
#include "sinew/io/csv/csv.h"

namespace sinew {

// A row each per frame. Loads are those of a figure that has just been let go. Functions give an empty
// string, or the line that says why the disk refused.
class StillRecord {
public:
    StillRecord(Evaluation& scene, CsvFile trajectory, CsvFile series);

    std::string begin();
    std::string frame(double time);  // the scene's state
    std::string finish();

private:
    Evaluation& scene_;
    const Method& method_;
    CsvFile trajectory_, series_;
    Work work_;
    Accelerations accelerations_;
    std::string text_;
};

}  // namespace sinew
