#include "sinew/optimize/motion_plan.h"

#include <algorithm>
#include <cmath>

#include "sinew/optimize/motion_contact.h"

namespace sinew {
namespace {

constexpr double sameTime = 1e-9;

// The motion of a plan, as another mesh is to have it.
template <class Sampler>
void fit(const MotionProblem& problem, MotionPlan& plan, Sampler&& sampler)
{
    MotionSample samples[mostStages];
    plan.nodes.resize(plan.pieces.size() + 1);
    PieceStart at = plan.start;
    for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
        MotionPiece& piece = plan.pieces[k];
        for (int j = 0; j < plan.points.stages; ++j)
            sampler(piece.start + plan.points.c[j] * piece.length, samples[j]);
        fitPiece(*problem.model, at, samples, plan.points.stages, piece.y.data());
        PieceMotion end;
        end.set(*problem.model, plan.points, at, piece.y.data(), piece.length, 1, false);
        at = {end.q, end.u};
    }
    placeNodes(problem, plan);
}

}  // namespace

std::vector<double> breaks(const MotionProblem& problem)
{
    std::vector<double> times = {0, problem.duration};
    const auto add = [&](double t) {
        if (t > 0 && t < problem.duration) times.push_back(t);
    };
    for (const MotionCondition& condition : problem.conditions) {
        add(condition.time);
        add(condition.end());
    }
    for (const ContactPhase& phase : problem.phases) {
        add(phase.from);
        add(phase.until);
    }
    std::sort(times.begin(), times.end());
    std::vector<double> result;
    for (const double t : times)
        if (result.empty() || t - result.back() > sameTime) result.push_back(t);
    return result;
}

void sizePiece(const MotionProblem& problem, const GaussPoints& points, MotionPiece& piece)
{
    const int n = problem.model->freedomCount;
    piece.y = VecX::Zero(n * points.stages);
    piece.forces = VecX::Zero(n * points.stages);
    const int places = contactPlaces(problem, piece);
    piece.contact = VecX::Zero(3 * places * points.stages);
    // All points in contact bear the weight.
    const double weight = problem.model->mass() * problem.model->gravity.norm();
    eachPlace(problem, piece.start + 0.5 * piece.length,
              [&](const ContactPhase& phase, int own, int place) {
                  if (phase.isHold()) return;
                  const double share = weight / placeUnit(problem, phase, own) / places;
                  for (int j = 0; j < points.stages; ++j)
                      for (int c = 0; c < 3; ++c)
                          piece.contact[3 * (j * places + place) + c] = share * phase.normal[c];
              });
    keepInCones(problem, points.stages, piece);
}

int MotionPlan::pieceAt(double time, double& part) const
{
    int first = 0, last = static_cast<int>(pieces.size()) - 1;
    while (first < last) {
        const int middle = (first + last + 1) / 2;
        if (pieces[static_cast<std::size_t>(middle)].start <= time)
            first = middle;
        else
            last = middle - 1;
    }
    const MotionPiece& piece = pieces[static_cast<std::size_t>(first)];
    part = std::clamp((time - piece.start) / piece.length, 0., 1.);
    return first;
}

void MotionPlan::read(const Model& model, double time, VecX& q, VecX& u, VecX* a) const
{
    double part = 0;
    const std::size_t k = static_cast<std::size_t>(pieceAt(time, part));
    PieceMotion motion;
    motion.set(model, points, nodes[k], pieces[k].y.data(), pieces[k].length, part, false);
    q = motion.q;
    u = motion.u;
    if (a) *a = motion.a;
}

void MotionPlan::readForces(const Model& model, double time, VecX& Q) const
{
    double part = 0;
    const MotionPiece& piece = pieces[static_cast<std::size_t>(pieceAt(time, part))];
    const GaussPoints::Values at = points.at(part);
    Q.setZero(model.freedomCount);
    for (int j = 0; j < points.stages; ++j)
        for (int k = 0; k < model.freedomCount; ++k)
            Q[k] += at.shape[j] * piece.forces[j * model.freedomCount + k];
}

Vec3 MotionPlan::readPlace(const MotionProblem& problem, double time, int place) const
{
    double part = 0;
    const MotionPiece& piece = pieces[static_cast<std::size_t>(pieceAt(time, part))];
    const GaussPoints::Values at = points.at(part);
    const int places = contactPlaces(problem, piece);
    Vec3 f = Vec3::Zero();
    for (int j = 0; j < points.stages; ++j)
        for (int c = 0; c < 3; ++c) f[c] += at.shape[j] * piece.contact[3 * (j * places + place) + c];
    return f;
}

void placeNodes(const MotionProblem& problem, MotionPlan& plan)
{
    plan.nodes.resize(plan.pieces.size() + 1);
    plan.nodes[0] = plan.start;
    PieceMotion end;
    for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
        const MotionPiece& piece = plan.pieces[k];
        end.set(*problem.model, plan.points, plan.nodes[k], piece.y.data(), piece.length, 1, false);
        plan.nodes[k + 1] = {end.q, end.u};
    }
}

MotionPlan stillPlan(const MotionProblem& problem, double longest, int stages)
{
    MotionPlan plan;
    plan.points = GaussPoints::of(stages);
    plan.start = {problem.base.q, VecX::Zero(problem.model->freedomCount)};
    const std::vector<double> times = breaks(problem);
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
        const double span = times[i + 1] - times[i];
        const int count = std::max(1, static_cast<int>(std::ceil(span / longest - sameTime)));
        for (int k = 0; k < count; ++k) {
            MotionPiece& piece = plan.pieces.emplace_back();
            piece.start = times[i] + span * k / count;
            piece.length = times[i] + span * (k + 1) / count - piece.start;
            sizePiece(problem, plan.points, piece);
        }
    }
    placeNodes(problem, plan);
    return plan;
}

void followKeys(const MotionProblem& problem, const std::vector<KeyPose>& keys, MotionPlan& plan)
{
    if (keys.empty()) return;
    const Model& model = *problem.model;
    plan.start = {keys.front().q, VecX::Zero(model.freedomCount)};
    VecX way;
    fit(problem, plan, [&](double time, MotionSample& sample) {
        std::size_t k = 0;
        while (k + 1 < keys.size() && keys[k + 1].time <= time) ++k;
        sample = {keys[k].q, VecX::Zero(model.freedomCount), VecX::Zero(model.freedomCount)};
        if (time <= keys.front().time || k + 1 == keys.size()) return;
        // 3 x² − 2 x³ of the way from one to the next.
        const double span = keys[k + 1].time - keys[k].time, x = (time - keys[k].time) / span;
        poseDifference(model, keys[k].q, keys[k + 1].q, way);
        poseSum(model, keys[k].q, VecX(x * x * (3 - 2 * x) * way), sample.q);
        sample.u = 6 * x * (1 - x) / span * way;
        sample.a = (6 - 12 * x) / (span * span) * way;
    });
}

MotionPlan refined(const MotionProblem& problem, const MotionPlan& plan, const std::vector<char>& cut)
{
    MotionPlan finer;
    finer.points = plan.points;
    finer.start = plan.start;
    finer.weight = plan.weight;
    finer.costs = plan.costs;
    finer.lastMultipliers = plan.lastMultipliers;
    for (std::size_t k = 0; k < plan.pieces.size(); ++k) {
        const MotionPiece& piece = plan.pieces[k];
        const int parts = cut[k] ? 2 : 1;
        for (int part = 0; part < parts; ++part) {
            MotionPiece& next = finer.pieces.emplace_back();
            next.start = piece.start + piece.length * part / parts;
            next.length = piece.length / parts;
            sizePiece(problem, finer.points, next);
            // Rows count by the root of the time that they stand for.
            next.multipliers = piece.multipliers;
            for (double& multiplier : next.multipliers) multiplier /= std::sqrt(parts);
            if (part == 0) next.momentMultipliers = piece.momentMultipliers;
            const int columns = static_cast<int>(piece.contact.size()) / plan.points.stages;
            next.contact.setZero(next.contact.size());
            for (int j = 0; j < plan.points.stages; ++j) {
                const GaussPoints::Values at = plan.points.at((part + plan.points.c[j]) / parts);
                for (int i = 0; i < plan.points.stages; ++i)
                    for (int c = 0; c < columns; ++c)
                        next.contact[j * columns + c] += at.shape[i] * piece.contact[i * columns + c];
            }
            keepInCones(problem, plan.points.stages, next);
        }
    }
    fit(problem, finer, [&](double time, MotionSample& sample) {
        plan.read(*problem.model, time, sample.q, sample.u, &sample.a);
    });
    return finer;
}

}  // namespace sinew
