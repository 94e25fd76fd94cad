// The flesh of a skin in motion: a spring mesh whose pins follow the skinned points.
#include "sinew/character/flesh.h"

#include <algorithm>
#include <cmath>

#include "sinew/character/bake.h"
#include "sinew/math/small_solve.h"
#include "sinew/math/symmetric_eigen.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/rig/timeline.h"
#include "sinew/soft/solve.h"

namespace sinew {
namespace {

constexpr double longestPhase = 0.1;  // rad: how far the flesh swings within a step
constexpr double closedSeam = 1e-4;   // of the flesh's size: a loop that is this close needs no more rounds
constexpr double mostNumbers = 4e7;   // of all frames
constexpr double flatMap = 1e-6;      // of what a map with three equal scales would fill: no way back
constexpr double solverTolerance = 1e-3;  // Newton's last step is taken whole, and ends far nearer

class FleshSimulation {
public:
    FleshSimulation(const Rig& rig, const SkinSurface& skin, const FleshRegion& region, const Clip& clip,
                    const BakePlan& plan, const FleshOptions& options, double gravity)
        : rig_(rig), skin_(skin), region_(region), clip_(clip), plan_(plan), options_(options)
    {
        model_.gravity = Vec3(0, -gravity * options.weight, 0);
    }

    Result<FleshMotion> run();

private:
    void chooseTimes();
    void buildMesh();
    void damp(double h);
    void placeTargets(double time);
    bool advance(double to, double h);
    void record();
    void close();

    std::size_t soft() const { return static_cast<std::size_t>(region_.softCount); }
    double clipTime(double time) const
    {
        return plan_.warmUp > 0 ? sourceTime(plan_.duration, true, time) : time;
    }
    Vec3 way(std::size_t v) const
    {
        const auto i = static_cast<int>(3 * v);
        return Vec3(state_.x[i], state_.x[i + 1], state_.x[i + 2]) - end_[v].position;
    }

    const Rig& rig_;
    const SkinSurface& skin_;
    const FleshRegion& region_;
    const Clip& clip_;
    const BakePlan& plan_;
    const FleshOptions& options_;
    Model model_;
    SpringMesh mesh_;
    MeshSolver solver_;
    MeshState state_, before_;
    LargeVector<BodyState> start_, end_;  // one for each vertex: where the skinning has it, m
    std::vector<Mat3> maps_;              // of soft vertices, at the end
    int stepsPerFrame_ = 1;
    FleshMotion out_;
};

// Keys as the bones have them, but none after the end of the clip.
void FleshSimulation::chooseTimes()
{
    const double length = plan_.duration - plan_.from;
    const int last = std::max(1, static_cast<int>(std::ceil(length * plan_.fps - 1e-3)));
    for (int k = 0; k <= last; ++k)
        out_.times.push_back(std::min(plan_.from + k / plan_.fps, plan_.duration));
    const double longest = longestPhase / (2 * pi * options_.stiffness);
    stepsPerFrame_ =
        std::max(plan_.stepsPerFrame, static_cast<int>(std::ceil(1 / (plan_.fps * longest) - 1e-9)));
    out_.step = 1 / (plan_.fps * stepsPerFrame_);
}

void FleshSimulation::placeTargets(double time)
{
    const std::vector<AffineMap> binds =
        bindMaps(skin_, boneMaps(rig_, localPose(rig_, clip_, clipTime(time))));
    for (std::size_t v = 0; v < region_.vertices.size(); ++v) {
        const int point = region_.vertices[v].point;
        const AffineMap map = skinMap(skin_, binds, point);
        end_[v].position = plan_.unit * (map * skin_.points[static_cast<std::size_t>(point)]);
        if (v < soft()) maps_[v] = map.linear;
    }
}

void FleshSimulation::buildMesh()
{
    const std::size_t count = region_.vertices.size();
    const double squared = std::pow(2 * pi * options_.stiffness, 2);
    start_.resize(count);
    end_.resize(count);
    maps_.resize(soft());
    placeTargets(plan_.from);
    mesh_.collides = false;
    mesh_.tolerance = solverTolerance;
    mesh_.masses.assign(count, 1.0);
    mesh_.ownStiffness.assign(count, 0.0);
    for (std::size_t v = 0; v < count; ++v) {
        mesh_.rest.push_back(end_[v].position);
        MeshPin pin;
        pin.vertex = pin.body = static_cast<int>(v);
        pin.isRigid = !region_.vertices[v].isSoft;
        if (!pin.isRigid) pin.stiffness = squared / region_.vertices[v].give;
        mesh_.pins.push_back(pin);
    }
    mesh_.edges = region_.edges;
    mesh_.length = 0;
    for (std::size_t e = 0; e < mesh_.edges.size(); ++e) {
        MeshSpring spring;
        spring.a = mesh_.edges[e][0];
        spring.b = mesh_.edges[e][1];
        spring.edge = static_cast<int>(e);
        spring.stiffness = squared;
        mesh_.springs.push_back(spring);
        for (const int end : mesh_.edges[e]) mesh_.ownStiffness[static_cast<std::size_t>(end)] += squared;
        mesh_.length += (mesh_.rest[static_cast<std::size_t>(spring.b)] -
                         mesh_.rest[static_cast<std::size_t>(spring.a)])
                            .norm() /
                        static_cast<double>(mesh_.edges.size());
    }
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    for (std::size_t v = 0; v < soft(); ++v) {
        low = low.cwiseMin(mesh_.rest[v]);
        high = high.cwiseMax(mesh_.rest[v]);
    }
    out_.size = (high - low).norm() / plan_.unit;
    // Points without any triangle between them.
    if (mesh_.edges.empty()) mesh_.length = std::max(plan_.unit * out_.size, 1e-6 * plan_.unit);
}

// What the step does not damp by itself.
void FleshSimulation::damp(double h)
{
    for (MeshPin& pin : mesh_.pins) {
        if (pin.isRigid) continue;
        const double frequency = std::sqrt(pin.stiffness);
        pin.damping = 2 * frequency * std::max(0.0, options_.damping - 0.5 * frequency * h);
    }
}

bool FleshSimulation::advance(double to, double h)
{
    start_ = end_;
    placeTargets(to);
    for (MeshSpring& spring : mesh_.springs)
        spring.rest = (end_[static_cast<std::size_t>(spring.b)].position -
                       end_[static_cast<std::size_t>(spring.a)].position)
                          .norm();
    const MeshSurroundings around{&model_, &start_, &end_, to};
    before_ = state_;
    const bool found = solver_.advance(mesh_, before_, around, h, state_).converged;
    ++out_.steps;
    return found && std::isfinite(state_.x.squaredNorm());
}

void FleshSimulation::record()
{
    std::vector<Vec3> offsets(soft(), Vec3::Zero());
    for (std::size_t v = 0; v < soft(); ++v) {
        const Vec3 moved = way(v) / plan_.unit;
        out_.largest = std::max(out_.largest, moved.norm());
        const Mat3& map = maps_[v];
        const double scale = map.norm() / std::sqrt(3.0);
        if (!(std::abs(map.determinant()) > flatMap * scale * scale * scale)) continue;
        offsets[v] = map.inverse() * moved;
        out_.stretch =
            std::max(out_.stretch, std::sqrt(SymmetricEigen3(map.transpose() * map).eigenvalues()[2]));
    }
    out_.offsets.push_back(std::move(offsets));
}

// What is left between the last frame of a cycle and its first is spread over the cycle.
void FleshSimulation::close()
{
    const std::vector<Vec3> first = out_.offsets.front(), last = out_.offsets.back();
    const std::size_t count = out_.offsets.size() - 1;
    for (std::size_t k = 1; k <= count; ++k)
        for (std::size_t v = 0; v < soft(); ++v)
            out_.offsets[k][v] +=
                static_cast<double>(k) / static_cast<double>(count) * (first[v] - last[v]);
    out_.offsets.back() = first;
}

Result<FleshMotion> FleshSimulation::run()
{
    chooseTimes();
    if (3.0 * static_cast<double>(soft()) * static_cast<double>(out_.times.size()) > mostNumbers)
        return settingFault("flesh",
                            "so many soft points over so many keys are more than " +
                                std::to_string(static_cast<int>(mostNumbers)) +
                                " numbers; choose fewer bones, a shorter clip or fewer keys per second");
    buildMesh();
    // As the animation moves at that moment.
    const int count = mesh_.size();
    state_.x.setZero(3 * count);
    state_.v.setZero(3 * count);
    state_.a.setZero(3 * count);
    for (int v = 0; v < count; ++v)
        for (int i = 0; i < 3; ++i) state_.x[3 * v + i] = end_[static_cast<std::size_t>(v)].position[i];
    start_ = end_;
    const double moment = 1e-3 / plan_.fps;
    placeTargets(plan_.from + moment);
    for (int v = 0; v < count; ++v)
        for (int i = 0; i < 3; ++i)
            state_.v[3 * v + i] =
                (end_[static_cast<std::size_t>(v)].position[i] - state_.x[3 * v + i]) / moment;
    placeTargets(plan_.from);

    for (int cycle = 0; cycle <= plan_.warmUp; ++cycle) {
        out_.offsets.clear();
        out_.stretch = 0;
        out_.largest = 0;
        record();
        for (std::size_t k = 1; k < out_.times.size(); ++k) {
            const double from = out_.times[k - 1], h = (out_.times[k] - from) / stepsPerFrame_;
            if (!(h > 0)) return settingFault("fps", "the clip is too short for keys of its own");
            damp(h);
            for (int s = 1; s <= stepsPerFrame_; ++s)
                if (!advance(s == stepsPerFrame_ ? out_.times[k] : from + s * h, h))
                    return Diagnostic{"the flesh found no rest at " + std::to_string(out_.times[k]) +
                                      " s of the clip; a jump of the animation may be the cause"};
            record();
        }
        out_.seam = 0;
        for (std::size_t v = 0; plan_.warmUp > 0 && v < soft(); ++v)
            out_.seam = std::max(out_.seam, (out_.offsets.back()[v] - out_.offsets.front()[v]).norm());
        out_.seam *= out_.stretch;
        if (out_.seam <= closedSeam * out_.size) break;
    }
    if (plan_.warmUp > 0) close();
    if (out_.largest > 0.5 * out_.size)
        out_.notes.push_back("the flesh moves by more than half of its size; raise its stiffness");
    return std::move(out_);
}

}  // namespace

Result<FleshMotion> simulateFlesh(const Rig& rig, const SkinSurface& skin, const FleshRegion& region,
                                  const Clip& clip, const BakePlan& plan, const FleshOptions& options,
                                  double gravity)
{
    return FleshSimulation(rig, skin, region, clip, plan, options, gravity).run();
}

}  // namespace sinew
