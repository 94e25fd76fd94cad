// How stiff and how damped the springs of dynamic bones are where nobody says so.
//
// A chain of length L swings by its weight alone at about √(1.5 g / L); a spring that is softer only holds
// it up, so that most of that is the softest. The clip shakes it: with the acceleration a of its joint and
// the angular acceleration α of what carries it, a rod of that length, held at ω₀ = 2π f with the damping
// ratio ζ, is off by
//
//     θ(ω) = F(ω) / (ω₀² − ω² + 2 i ζ ω₀ ω),      F = 1.5 |a| / L + |α|
//
// at each frequency of the clip. The lowest f is taken for which the whole of it is at most the lag that is
// asked for; coming from above it stays above the frequencies of the gait. Nearer to the strongest of these
// it is damped more.
//
// A chain of many links is no rod and touches things; so the plan is tried over a few seconds, and families
// whose tips lag by much more or less than that get stiffer or softer, and where stiffer is of no use, more
// damped. Cost: that of up to six bakes of
// at most `longestTrial`.
#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/character/planner.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

constexpr double usualLag = 7 * pi / 180, usualDamping = 0.25, mostDamping = 0.5, mostTried = 0.8;
constexpr double softest = 0.7;               // of the frequency of a pendulum of that length
constexpr double lowest = 0.4, highest = 12;  // Hz
constexpr double floatingFrequency = 4, floatingDamping = 0.7;
constexpr double ofManyLinks = 1.6;  // by so much a chain's tip is farther off than a rod's, about
constexpr double longestTrial = 5;   // s
constexpr int trials = 6;
constexpr std::size_t mostBones = 400;  // that are tried

// What shakes a chain: amplitudes of F at the frequencies of a stretch of its clip.
struct Shaking {
    std::vector<double> frequency, strength;  // rad/s, rad/s²
    double strongest = 0;                     // rad/s, of what it would do to something soft

    double deviation(double frequencyHz, double ratio) const
    {
        const double w0 = 2 * pi * frequencyHz;
        double square = 0;
        for (std::size_t k = 0; k < frequency.size(); ++k) {
            const double w = frequency[k], a = w0 * w0 - w * w, b = 2 * ratio * w0 * w;
            square += 0.5 * strength[k] * strength[k] / (a * a + b * b);
        }
        return 0.9 * std::sqrt(square);  // the mean, of what varies as noise does
    }
};

Shaking shaking(const std::vector<Vec3>& places, const std::vector<Quat>& turns, double fps, double length,
                double tipFactor)
{
    Shaking result;
    const std::size_t count = std::min<std::size_t>(places.size(), 512);
    if (count < 5) return result;
    std::vector<Vec3> linear, angular;
    const auto rate = [&](std::size_t k) {
        return Vec3(logRotation((turns[k + 1] * turns[k].conjugate()).normalized()) * fps);
    };
    for (std::size_t k = 1; k + 1 < count; ++k) {
        linear.push_back((places[k + 1] - 2 * places[k] + places[k - 1]) * fps * fps);
        angular.push_back((rate(k) - rate(k - 1)) * fps);
    }
    const auto n = static_cast<double>(linear.size());
    double most = 0;
    for (std::size_t m = 1; m <= linear.size() / 2; ++m) {
        const double step = 2 * pi * static_cast<double>(m) / n, w = step * fps;
        Vec3 parts[4] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        for (std::size_t k = 0; k < linear.size(); ++k) {
            const double c = std::cos(step * static_cast<double>(k)),
                         s = std::sin(step * static_cast<double>(k));
            parts[0] += c * linear[k];
            parts[1] += s * linear[k];
            parts[2] += c * angular[k];
            parts[3] += s * angular[k];
        }
        const double a = 2 / n * std::hypot(parts[0].norm(), parts[1].norm());
        const double alpha = 2 / n * std::hypot(parts[2].norm(), parts[3].norm());
        const double strength = tipFactor * (1.5 * a / length + alpha);
        result.frequency.push_back(w);
        result.strength.push_back(strength);
        if (strength / w > most) most = strength / w, result.strongest = w;
    }
    return result;
}

std::map<std::string, double> lagsByFamily(const BakeMeasure& measure,
                                           const std::vector<DynamicChain>& chains)
{
    std::map<std::string, double> sum, count;
    for (const DynamicChain& chain : chains)
        for (const int tip : chain.tips)
            if (measure.tipMeans[tip] >= 0) {
                sum[chain.family] += measure.tipMeans[tip];
                count[chain.family] += 1;
            }
    for (auto& [family, value] : sum) value /= count[family];
    return sum;
}

}  // namespace

std::string familyOfBone(const std::string& name)
{
    std::string family, word;
    const auto take = [&] {
        if (word.size() > 1 && word != "left" && word != "right") family += word + " ";
        word.clear();
    };
    bool wasSmall = false;
    for (const char c : name) {
        const bool isSmall = c >= 'a' && c <= 'z', isLarge = c >= 'A' && c <= 'Z';
        if ((isLarge && wasSmall) || (!isSmall && !isLarge)) take();
        if (isSmall || isLarge) word += isLarge ? static_cast<char>(c - 'A' + 'a') : c;
        wasSmall = isSmall;
    }
    take();
    return family;
}

double Planner::slowest(const DynamicChain& chain) const
{
    const double pendulum = std::sqrt(1.5 * std::max(options.gravity, 1.0) / chain.length) / (2 * pi);
    return std::clamp(softest * pendulum, lowest, highest);
}

double Planner::lagOf(const DynamicChain& chain) const
{
    return ruled(chain.root, &BoneRule::lag, options.lag.value_or(usualLag));
}

BakeSpring Planner::estimated(const DynamicChain& chain) const
{
    if (plan.isFloating[chain.root]) return {floatingFrequency, floatingDamping, false};
    std::vector<Vec3> places;
    std::vector<Quat> turns;
    for (const auto& frame : frames) {
        places.push_back(options.body.unit * frame[chain.root].pose.position);
        turns.push_back(frame[anchor[chain.root]].pose.orientation);
        if (places.size() >= 512) break;
    }
    const double tipFactor = chain.bones.size() > 1 ? ofManyLinks : 1;
    const Shaking shake = shaking(places, turns, plan.fps, chain.length, tipFactor);
    const double least = slowest(chain), lag = lagOf(chain);
    double frequency = highest;
    while (frequency > least && shake.deviation(0.95 * frequency, usualDamping) <= lag) frequency *= 0.95;
    frequency = std::max(frequency, least);
    const double way = shake.strongest > 0 ? std::log(2 * pi * frequency / shake.strongest) / 0.5 : 9;
    return {frequency, usualDamping + (mostDamping - usualDamping) * std::exp(-way * way), true};
}

void Planner::chooseSprings()
{
    const std::size_t count = rig.bones.size();
    plan.springs.assign(count, {});
    const auto given = [&](std::size_t b, std::optional<double> BoneRule::*what,
                           std::optional<double> all) {
        const std::optional<double> own = ruledValue(options.body.rules, rig.bones[b].name, what);
        return own ? own : all;
    };
    std::map<std::string, BakeSpring> families;
    for (const DynamicChain& chain : chains()) {
        bool isOpen = false;
        for (const int b : chain.bones)
            isOpen = isOpen || !given(b, &BoneRule::stiffness, options.stiffness) ||
                     !given(b, &BoneRule::damping, options.damping);
        if (!isOpen) continue;
        BakeSpring& found = families[chain.family];
        // Of chains that are alike the stiffest: what is not alike in one family looks wrong.
        if (springs.empty())
            if (const BakeSpring own = estimated(chain); own.frequency > found.frequency) found = own;
    }
    for (const DynamicChain& chain : chains())
        for (const int b : chain.bones) {
            BakeSpring spring = springs.empty() ? families[chain.family] : springs[b];
            const auto frequency = given(b, &BoneRule::stiffness, options.stiffness);
            const auto ratio = given(b, &BoneRule::damping, options.damping);
            if (frequency) spring.frequency = *frequency, spring.isFound = false;
            if (ratio) spring.ratio = *ratio;
            spring.isRatioFound = spring.isFound && !ratio;
            if (!(spring.ratio > 0) && !ratio) spring.ratio = usualDamping;
            plan.springs[b] = spring;
        }
}

Result<std::vector<BakeSpring>> tunedSprings(const Rig& rig, const BakeOptions& options,
                                             const BakePlan& prepared)
{
    std::vector<BakeSpring> best = prepared.springs;
    const auto open = static_cast<std::size_t>(
        std::count_if(best.begin(), best.end(), [](const BakeSpring& s) { return s.isFound; }));
    if (open > mostBones) return best;
    BakeOptions trial = options;
    trial.weights.clear();
    trial.hits.clear();
    trial.next.reset();
    // What the body pushes aside is not to get stiffer against it, and trials without contact are quick.
    trial.collide = BakeCollision::none;
    trial.ground.reset();
    if (options.seamless) {
        trial.seamless = false;
        trial.repeat = true;
        trial.fps = prepared.fps;
        trial.duration = std::max(6 * prepared.source.duration(), 4.0);
    }
    trial.duration = std::min(trial.duration.value_or(prepared.duration), trial.from + longestTrial);
    std::vector<BakeSpring> now = best;
    std::map<std::string, double> closest, before, tooSoft, tooStiff;
    std::map<std::string, bool> isSettled;
    std::map<std::string, int> vain;
    for (int round = 0; round < trials; ++round) {
        BakePlan plan;
        Planner planner(rig, trial, plan);
        planner.springs = now;
        if (std::optional<Diagnostic> fault = planner.prepare()) return *fault;
        if (std::optional<Diagnostic> fault = planner.build()) return *fault;
        Result<Trajectory> frames = simulatePlan(plan);
        if (!frames) return best;  // the bake itself says what is wrong
        const std::vector<DynamicChain> chains = planner.chains();
        const auto lags = lagsByFamily(
            measureBake(rig, plan, frames.value(), options.seamless ? plan.frames / 2 : 0), chains);
        bool changes = false;
        for (const auto& [family, lag] : lags) {
            double aim = 0, least = highest, frequency = 0;
            bool isFound = false, canBeDamped = false;
            for (const DynamicChain& chain : chains) {
                if (chain.family != family) continue;
                aim = planner.lagOf(chain);
                least = std::min(least, planner.slowest(chain));
                for (const int b : chain.bones) {
                    isFound = isFound || now[b].isFound;
                    if (now[b].isFound) frequency = now[b].frequency;
                    canBeDamped = canBeDamped || (now[b].isRatioFound && now[b].ratio < mostTried);
                }
            }
            if (!isFound || isSettled[family] || !(aim > 0)) continue;
            const double miss = std::abs(std::log(std::max(lag, 1e-6) / aim));
            const bool isBest = !closest.count(family) || miss < closest[family];
            double factor = std::clamp(std::pow(std::max(lag, 1e-6) / aim, 0.6), 0.5, 2.0);
            // Stiffer and yet no nearer, twice: something else holds it off.
            if (before.count(family) && lag > aim && lag > 0.95 * before[family] && ++vain[family] > 1)
                factor = 1;
            // The lag falls steeply above a gait: between two tries the middle is next.
            (lag > aim ? tooSoft : tooStiff)[family] = frequency;
            if (factor != 1 && tooSoft.count(family) && tooStiff.count(family) &&
                tooSoft[family] < tooStiff[family])
                factor = std::sqrt(tooSoft[family] * tooStiff[family]) / frequency;
            else if (lag > aim && factor > 1)
                factor = std::max(factor, 1.2);
            const bool isShaken = factor == 1 && canBeDamped;
            before[family] = lag;
            if (isBest) closest[family] = miss;
            const bool isEnough = miss < 0.2 || (factor == 1 && !isShaken);
            isSettled[family] = isEnough;
            for (const DynamicChain& chain : chains) {
                if (chain.family != family) continue;
                for (const int b : chain.bones) {
                    if (!now[b].isFound) continue;
                    if (isBest) best[b] = now[b];
                    if (isEnough) continue;
                    const double next = std::clamp(now[b].frequency * factor, least, highest);
                    changes = changes || std::abs(next - now[b].frequency) > 0.01 * next;
                    now[b].frequency = next;
                    if (isShaken && now[b].isRatioFound)
                        now[b].ratio = std::min(mostTried, 1.5 * now[b].ratio), changes = true;
                }
            }
        }
        if (!changes) break;
    }
    return best;
}

}  // namespace sinew
