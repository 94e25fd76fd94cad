#include "sinew/apps/still_record.h"

#include "sinew/force/laws.h"
#include "sinew/io/csv/motion_csv.h"

namespace sinew {

StillRecord::StillRecord(Evaluation& scene, CsvFile trajectory, CsvFile series)
    : scene_(scene),
      method_(*findMethod("featherstone")),
      trajectory_(std::move(trajectory)),
      series_(std::move(series))
{
    accelerations_.resize(scene.model);
}

std::string StillRecord::begin()
{
    std::string fault = trajectory_.write(trajectoryHeader(scene_.model));
    return fault.empty() ? series_.write(seriesHeader(scene_.model)) : fault;
}

std::string StillRecord::frame(double time)
{
    const State& state = scene_.state;
    text_.clear();
    appendTrajectoryRow(time, scene_.model, state, text_);
    const std::string fault = trajectory_.write(text_);
    if (!fault.empty()) return fault;
    sceneForces(scene_.model, state, scene_.forces);
    method_.accelerate(scene_.model, state, scene_.forces, work_, accelerations_);
    text_.clear();
    appendSeriesRow(time, scene_.model, state, scene_.forces, accelerations_, text_);
    return series_.write(text_);
}

std::string StillRecord::finish()
{
    std::string fault = trajectory_.sync();
    return fault.empty() ? series_.sync() : fault;
}

}  // namespace sinew
