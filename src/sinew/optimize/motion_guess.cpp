#include "sinew/optimize/motion_guess.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/rotation.h"
#include "sinew/optimize/motion_contact.h"

namespace sinew {
namespace {

// A recorded motion at any time.
class FramedMotion {
public:
    FramedMotion(const Model& model, const std::vector<KeyPose>& frames) : model_(model), frames_(frames)
    {
        const std::size_t count = frames.size();
        ways_.resize(count);
        for (std::size_t k = 0; k + 1 < count; ++k)
            poseDifference(model, frames[k].q, frames[k + 1].q, ways_[k]);
        const int n = model.freedomCount;
        rates_.assign(count, VecX::Zero(n));
        if (count < 2) return;
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t left = k == 0 ? 0 : k - 1, right = std::min(k, count - 2);
            const double before = span(left), after = span(right);
            for (int i = 0; i < n; ++i)
                rates_[k][i] =
                    (after * ways_[left][i] / before + before * ways_[right][i] / after) / (before + after);
        }
    }

    void read(double time, MotionSample& sample) const
    {
        const int n = model_.freedomCount;
        const bool isBefore = time <= frames_.front().time, isAfter = time >= frames_.back().time;
        if (isBefore || isAfter) {
            sample = {isBefore ? frames_.front().q : frames_.back().q, VecX::Zero(n), VecX::Zero(n)};
            return;
        }
        const auto next = std::upper_bound(frames_.begin(), frames_.end(), time,
                                           [](double t, const KeyPose& key) { return t < key.time; });
        const std::size_t k = static_cast<std::size_t>(next - frames_.begin()) - 1;
        const double h = span(k), x = (time - frames_[k].time) / h;
        VecX phi(n), rate(n), rate2(n);
        for (int i = 0; i < n; ++i) {
            const double way = ways_[k][i], a = h * rates_[k][i], b = h * rates_[k + 1][i];
            const double c2 = 3 * way - 2 * a - b, c3 = a + b - 2 * way;
            phi[i] = x * (a + x * (c2 + x * c3));
            rate[i] = (a + x * (2 * c2 + 3 * x * c3)) / h;
            rate2[i] = (2 * c2 + 6 * x * c3) / (h * h);
        }
        poseSum(model_, frames_[k].q, phi, sample.q);
        sample.u = rate;
        sample.a = rate2;
        for (const Joint& joint : model_.joints) {
            if (!joint.info().hasRotation) continue;
            const int first = joint.u + joint.info().plain();
            const auto at = [first](const VecX& x) { return Vec3(x[first], x[first + 1], x[first + 2]); };
            const RotationMotion turn = movingRotation(at(phi), at(rate), at(rate2));
            for (int c = 0; c < 3; ++c) {
                sample.u[first + c] = turn.velocity[c];
                sample.a[first + c] = turn.acceleration[c];
            }
        }
    }

private:
    double span(std::size_t k) const { return frames_[k + 1].time - frames_[k].time; }

    const Model& model_;
    const std::vector<KeyPose>& frames_;
    std::vector<VecX> ways_, rates_;
};

// The least change of y that brings the end of a piece to this place and velocity: 2 × 2 for each freedom.
void endAt(const Model& model, const GaussPoints& points, const PieceStart& start, const MotionSample& end,
           MotionPiece& piece)
{
    if (points.stages < 2) return;
    const int n = model.freedomCount;
    const GaussPoints::Values last = points.at(1);
    const double h = piece.length;
    double aa = 0, ab = 0, bb = 0;
    for (int j = 0; j < points.stages; ++j) {
        aa += last.way[j] * last.way[j];
        ab += last.way[j] * last.rate[j];
        bb += last.rate[j] * last.rate[j];
    }
    // In the chart of the beginning.
    VecX phi(n), rate = end.u;
    poseDifference(model, start.q, end.q, phi);
    for (const Joint& joint : model.joints) {
        if (!joint.info().hasRotation) continue;
        const int first = joint.u + joint.info().plain();
        const Vec3 turn(phi[first], phi[first + 1], phi[first + 2]),
            u(end.u[first], end.u[first + 1], end.u[first + 2]);
        const Vec3 inChart = rightJacobianInverse(turn) * u;
        for (int c = 0; c < 3; ++c) rate[first + c] = inChart[c];
    }
    for (int k = 0; k < n; ++k) {
        double place = phi[k] - h * start.u[k], speed = rate[k] - start.u[k];
        for (int j = 0; j < points.stages; ++j) {
            place -= h * h * last.way[j] * piece.y[j * n + k];
            speed -= h * last.rate[j] * piece.y[j * n + k];
        }
        place /= h * h;
        speed /= h;
        const double det = aa * bb - ab * ab;
        const double byPlace = (bb * place - ab * speed) / det, bySpeed = (aa * speed - ab * place) / det;
        for (int j = 0; j < points.stages; ++j)
            piece.y[j * n + k] += last.way[j] * byPlace + last.rate[j] * bySpeed;
    }
}

// What the phase is in the earlier problem, or null.
const ContactPhase* samePhase(const std::vector<ContactPhase>& phases, const ContactPhase& phase,
                              double time)
{
    for (const ContactPhase& other : phases)
        if (other.name == phase.name && other.isHold() == phase.isHold() && other.isOn(time) &&
            placesOf(other) == placesOf(phase))
            return &other;
    return nullptr;
}

// Its first place among those that are on at that time.
int firstPlace(const std::vector<ContactPhase>& phases, const ContactPhase& phase, double time)
{
    int place = 0;
    for (const ContactPhase& other : phases) {
        if (&other == &phase) break;
        if (other.isOn(time)) place += placesOf(other);
    }
    return place;
}

void takeContactForces(const MotionProblem& problem, const EarlierPlan& earlier, const GaussPoints& points,
                       MotionPiece& piece)
{
    const double middle = piece.start + 0.5 * piece.length;
    if (middle >= earlier.plan.duration()) return;
    double unused = 0;
    const MotionPiece& from =
        earlier.plan.pieces[static_cast<std::size_t>(earlier.plan.pieceAt(middle, unused))];
    const int stages = earlier.plan.points.stages, columns = static_cast<int>(from.contact.size()) / stages,
              places = contactPlaces(problem, piece);
    eachPhase(problem, middle, [&](const ContactPhase& phase, int first) {
        const ContactPhase* other = samePhase(earlier.phases, phase, middle);
        if (!other) return;
        const int theirs = firstPlace(earlier.phases, *other, middle);
        for (int j = 0; j < points.stages; ++j) {
            const double time = piece.start + points.c[j] * piece.length;
            const GaussPoints::Values at =
                earlier.plan.points.at(std::clamp((time - from.start) / from.length, 0., 1.));
            for (int c = 0; c < 3 * placesOf(phase); ++c) {
                double f = 0;
                for (int i = 0; i < stages; ++i)
                    f += at.shape[i] * from.contact[i * columns + 3 * theirs + c];
                piece.contact[3 * (j * places + first) + c] = f;
            }
        }
    });
    keepInCones(problem, points.stages, piece);
}

// Moments where pieces begin, and the end.
std::vector<double> meshOf(const MotionProblem& problem, const MotionPlan& earlier, double longest)
{
    constexpr double same = 1e-9;
    std::vector<double> times = breaks(problem);
    for (const MotionPiece& piece : earlier.pieces) {
        times.push_back(piece.start);
        times.push_back(piece.start + piece.length);
    }
    std::sort(times.begin(), times.end());
    std::vector<double> mesh;
    for (const double time : times) {
        if (time > problem.duration + same) break;
        if (!mesh.empty() && time - mesh.back() <= same) continue;
        // Pieces of the earlier plan stay as they are, however long.
        if (!mesh.empty() && time > earlier.duration() + same) {
            const double begin = mesh.back();
            const int parts = static_cast<int>(std::ceil((time - begin) / longest - same));
            for (int k = 1; k < parts; ++k) mesh.push_back(begin + (time - begin) * k / parts);
        }
        mesh.push_back(time);
    }
    mesh.back() = problem.duration;
    return mesh;
}

bool isSameTime(double a, double b)
{
    return std::abs(a - b) < 1e-9;
}

}  // namespace

void followFrames(const MotionProblem& problem, const std::vector<KeyPose>& frames, MotionPlan& plan)
{
    if (frames.empty()) return;
    const Model& model = *problem.model;
    const FramedMotion motion(model, frames);
    MotionSample at, samples[mostStages];
    motion.read(0, at);
    plan.start = {at.q, at.u};
    PieceStart start = plan.start;
    for (MotionPiece& piece : plan.pieces) {
        for (int j = 0; j < plan.points.stages; ++j)
            motion.read(piece.start + plan.points.c[j] * piece.length, samples[j]);
        fitPiece(model, start, samples, plan.points.stages, piece.y.data());
        motion.read(piece.start + piece.length, at);
        endAt(model, plan.points, start, at, piece);
        PieceMotion end;
        end.set(model, plan.points, start, piece.y.data(), piece.length, 1, false);
        start = {end.q, end.u};
    }
    placeNodes(problem, plan);
}

MotionPlan followedPlan(const MotionProblem& problem, const EarlierPlan& earlier, double longest)
{
    const Model& model = *problem.model;
    const MotionPlan& from = earlier.plan;
    MotionPlan plan;
    plan.points = from.points;
    plan.start = from.start;
    plan.weight = from.weight;
    plan.costs = from.costs;
    const std::vector<double> mesh = meshOf(problem, from, longest);
    MotionSample samples[mostStages];
    PieceStart start = plan.start;
    for (std::size_t k = 0; k + 1 < mesh.size(); ++k) {
        MotionPiece& piece = plan.pieces.emplace_back();
        piece.start = mesh[k];
        piece.length = mesh[k + 1] - mesh[k];
        sizePiece(problem, plan.points, piece);
        takeContactForces(problem, earlier, plan.points, piece);
        double unused = 0;
        const MotionPiece& source =
            from.pieces[static_cast<std::size_t>(from.pieceAt(piece.start + 0.5 * piece.length, unused))];
        const bool isSame = isSameTime(source.start, piece.start) &&
                            isSameTime(source.start + source.length, piece.start + piece.length);
        if (isSame) {
            piece.start = source.start;
            piece.length = source.length;
            piece.y = source.y;
            piece.multipliers = source.multipliers;
            piece.momentMultipliers = source.momentMultipliers;
        } else {
            for (int j = 0; j < plan.points.stages; ++j) {
                const double time = piece.start + plan.points.c[j] * piece.length;
                MotionSample& sample = samples[j];
                from.read(model, std::min(time, from.duration()), sample.q, sample.u, &sample.a);
                if (time < from.duration()) continue;
                sample.u.setZero(model.freedomCount);
                sample.a.setZero(model.freedomCount);
            }
            fitPiece(model, start, samples, plan.points.stages, piece.y.data());
        }
        PieceMotion end;
        end.set(model, plan.points, start, piece.y.data(), piece.length, 1, false);
        start = {end.q, end.u};
    }
    if (isSameTime(plan.duration(), from.duration())) plan.lastMultipliers = from.lastMultipliers;
    placeNodes(problem, plan);
    return plan;
}

}  // namespace sinew
