#include "sinew/rig/retarget.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using Index = std::size_t;
constexpr double none = 1e-12;  // a length that has no direction, over that of the skeleton

Index at(int bone)
{
    return static_cast<Index>(bone);
}

struct Leg {
    int thigh = -1, shin = -1, foot = -1;
};

// Of a skeleton standing at rest.
double height(const std::vector<WorldFrame>& rest, int bone)
{
    return rest[at(bone)].pose.position.y();
}

bool isBelow(const Rig& rig, int bone, int above)
{
    while (bone >= 0 && bone != above) bone = rig.bones[at(bone)].parent;
    return bone == above && bone >= 0;
}

// The lowest point that belongs to a foot: its joints, their ends, and the skin on them.
double soleOf(const Rig& rig, const std::vector<WorldFrame>& frames, int foot, bool withFlesh)
{
    double lowest = frames[at(foot)].pose.position.y();
    for (Index b = at(foot); b < rig.bones.size(); ++b) {
        if (!isBelow(rig, static_cast<int>(b), foot)) continue;
        lowest = std::min(lowest, frames[b].pose.position.y());
        for (const Vec3& end : rig.bones[b].ends) lowest = std::min(lowest, (frames[b] * end).y());
        if (!withFlesh) continue;
        for (const Vec3& point : rig.bones[b].flesh) lowest = std::min(lowest, (frames[b] * point).y());
    }
    return lowest;
}

bool hasFlesh(const Rig& rig, int foot)
{
    for (Index b = at(foot); b < rig.bones.size(); ++b)
        if (isBelow(rig, static_cast<int>(b), foot) && !rig.bones[b].flesh.empty()) return true;
    return false;
}

Quat between(const Vec3& from, const Vec3& to)
{
    return rotationBetween(from.normalized(), to.normalized());
}

Vec3 anyAcross(const Vec3& direction)
{
    const Vec3 axis = std::abs(direction.x()) < 0.7 * direction.norm() ? Vec3::UnitX() : Vec3::UnitZ();
    return direction.cross(axis).normalized();
}

class Retargeter {
public:
    Retargeter(const Rig& source, const Clip& clip, const Rig& target, const BoneMatch& match, bool feet)
        : source_(source),
          clip_(clip),
          target_(target),
          sourceOf_(match.sourceOf),
          sourceRest_(worldFrames(source, restPose(source))),
          targetRest_(worldFrames(target, restPose(target)))
    {
        findRoles();
        findFacing();
        findScale();
        findRestDifference();
        if (feet)
            findLift();
        else
            legs_.clear();
    }

    double scale() const { return scale_; }
    int legs() const { return static_cast<int>(legs_.size()); }
    double shortfall() const { return shortfall_; }
    // Whether this bone's translation is the motion's, and not that at rest.
    bool isPlaced(Index t) const { return isPlaced_[t]; }
    bool isLed(Index t) const { return sourceOf_[t] >= 0; }

    std::vector<BoneTransform> pose(double time)
    {
        const auto local = localPose(source_, clip_, time);
        const auto now = worldFrames(source_, local);
        std::vector<Quat> turns(target_.bones.size());
        for (Index t = 0; t < turns.size(); ++t) {
            if (!isLed(t)) continue;
            const Index s = at(sourceOf_[t]);
            const Quat turn = now[s].pose.orientation * sourceRest_[s].pose.orientation.conjugate();
            turns[t] = (facing_ * turn * facing_.conjugate() * ofRest_[t] * targetRest_[t].pose.orientation)
                           .normalized();
        }
        auto frames = place(turns, local, now);
        for (const Leg& leg : legs_) {
            const Vec3 goal = led(now[at(sourceOf_[at(leg.foot)])].pose.position) + lift_ * Vec3::UnitY();
            reach(leg, goal, frames, turns);
        }
        if (!legs_.empty()) frames = place(turns, local, now);
        return local_;
    }

private:
    Vec3 led(const Vec3& place) const { return facing_ * Vec3(scale_ * place); }

    void findRoles()
    {
        const auto ofSource = boneRoles(source_), ofTarget = boneRoles(target_);
        roles_.resize(target_.bones.size());
        // A map may pair bones of which one has a telling name.
        for (Index t = 0; t < roles_.size(); ++t)
            if (isLed(t)) roles_[t] = ofSource[at(sourceOf_[t])] ? ofSource[at(sourceOf_[t])] : ofTarget[t];
        ledAbove_.assign(target_.bones.size(), -1);
        ledBelow_.resize(target_.bones.size());
        for (Index t = 0; t < roles_.size(); ++t) {
            int above = target_.bones[t].parent;
            while (above >= 0 && !isLed(at(above))) above = target_.bones[at(above)].parent;
            ledAbove_[t] = above;
            if (above >= 0 && isLed(t)) ledBelow_[at(above)].push_back(static_cast<int>(t));
        }
        for (Index t = 0; t < roles_.size() && carrier_ < 0; ++t)
            if (roles_[t] && roles_[t]->part == BonePart::hips) carrier_ = static_cast<int>(t);
        for (const BoneSide side : {BoneSide::left, BoneSide::right}) {
            const Leg leg{withRole(BonePart::thigh, side), withRole(BonePart::shin, side),
                          withRole(BonePart::foot, side)};
            const bool isChain = leg.thigh >= 0 && isBelow(target_, leg.shin, leg.thigh) &&
                                 isBelow(target_, leg.foot, leg.shin) &&
                                 isBelow(source_, sourceOf_[at(leg.foot)], sourceOf_[at(leg.shin)]) &&
                                 isBelow(source_, sourceOf_[at(leg.shin)], sourceOf_[at(leg.thigh)]);
            if (isChain && length(targetRest_, leg.thigh, leg.foot) > 0) legs_.push_back(leg);
        }
        if (carrier_ < 0 && !legs_.empty()) carrier_ = ledAbove_[at(legs_[0].thigh)];
        isPlaced_.assign(target_.bones.size(), false);
        for (Index t = 0; t < isPlaced_.size(); ++t)
            isPlaced_[t] = isLed(t) && (ledAbove_[t] < 0 ||
                                        (carrier_ >= 0 && isBelow(target_, carrier_, static_cast<int>(t))));
    }

    int withRole(BonePart part, BoneSide side) const
    {
        for (Index t = 0; t < roles_.size(); ++t)
            if (roles_[t] && roles_[t]->part == part && roles_[t]->side == side) return static_cast<int>(t);
        return -1;
    }

    static double length(const std::vector<WorldFrame>& frames, int from, int to)
    {
        return (frames[at(to)].pose.position - frames[at(from)].pose.position).norm();
    }

    // To the left at rest, level: between bones that have a side.
    Vec3 leftward(bool ofSource) const
    {
        Vec3 sum = Vec3::Zero();
        for (Index a = 0; a < roles_.size(); ++a) {
            if (!roles_[a] || roles_[a]->side != BoneSide::left) continue;
            for (Index b = 0; b < roles_.size(); ++b) {
                if (!roles_[b] || roles_[b]->side != BoneSide::right ||
                    roles_[b]->part != roles_[a]->part || roles_[b]->finger != roles_[a]->finger)
                    continue;
                const auto place = [&](Index t) {
                    return ofSource ? sourceRest_[at(sourceOf_[t])].pose.position
                                    : targetRest_[t].pose.position;
                };
                sum += place(a) - place(b);
            }
        }
        sum.y() = 0;
        return sum;
    }

    void findFacing()
    {
        const Vec3 from = leftward(true), to = leftward(false);
        if (from.norm() == 0 || to.norm() == 0) return;
        double angle = angleOf(from.cross(to).y(), from.dot(to));
        // Limbs are never quite alike on both sides; characters look along an axis.
        constexpr double slack = 15 * pi / 180;
        const double whole = std::round(angle / (pi / 2)) * (pi / 2);
        if (std::abs(angle - whole) < slack) angle = whole;
        if (angle != 0) facing_ = AngleAxis{angle, Vec3::UnitY()};
    }

    void findScale()
    {
        double mine = 0, theirs = 0;
        for (const Leg& leg : legs_) {
            mine += length(targetRest_, leg.thigh, leg.shin) + length(targetRest_, leg.shin, leg.foot);
            const auto s = [&](int t) { return sourceOf_[at(t)]; };
            theirs += length(sourceRest_, s(leg.thigh), s(leg.shin)) +
                      length(sourceRest_, s(leg.shin), s(leg.foot));
        }
        if (!(mine > 0 && theirs > 0)) {
            // Without legs: how far led bones are from their led parents.
            mine = theirs = 0;
            for (Index t = 0; t < roles_.size(); ++t) {
                if (!isLed(t) || ledAbove_[t] < 0) continue;
                mine += length(targetRest_, ledAbove_[t], static_cast<int>(t));
                theirs += length(sourceRest_, sourceOf_[at(ledAbove_[t])], sourceOf_[t]);
            }
        }
        if (mine > 0 && theirs > 0) scale_ = mine / theirs;
    }

    // The direction to the one led bone below, in both skeletons.
    std::optional<std::pair<Vec3, Vec3>> directions(Index t) const
    {
        if (ledBelow_[t].size() != 1) return {};
        const int below = ledBelow_[t].front();
        const Index s = at(sourceOf_[t]), end = at(sourceOf_[at(below)]);
        if (!isBelow(source_, static_cast<int>(end), static_cast<int>(s))) return {};
        const Vec3 mine = targetRest_[at(below)].pose.position - targetRest_[t].pose.position;
        const Vec3 theirs = facing_ * Vec3(sourceRest_[end].pose.position - sourceRest_[s].pose.position);
        if (!(mine.norm() > none && theirs.norm() > none)) return {};
        return std::pair{mine, theirs};
    }

    Quat restDifference(Index t) const
    {
        using enum BonePart;
        const Quat above = ledAbove_[t] >= 0 ? ofRest_[at(ledAbove_[t])] : Quat::Identity();
        if (!roles_[t]) {
            // Tails, ears, the legs of animals: along the source's where there is one way on.
            const auto both = directions(t);
            return both                   ? between(both->first, both->second)
                   : ledBelow_[t].empty() ? above
                                          : Quat::Identity();
        }
        switch (roles_[t]->part) {
            case upperArm:
            case forearm:
            case thigh:
            case shin: {
                const auto both = directions(t);
                return both ? between(both->first, both->second) : above;
            }
            case hand:
            case finger:
            case toe:
                return above;
            case foot: {
                const auto both = directions(t);
                if (!both) return Quat::Identity();
                const Vec3 mine(both->first.x(), 0, both->first.z()),
                    theirs(both->second.x(), 0, both->second.z());
                // A foot that points down has no way on the ground.
                const bool isLevel =
                    mine.norm() > 0.3 * both->first.norm() && theirs.norm() > 0.3 * both->second.norm();
                return isLevel ? between(mine, theirs) : Quat::Identity();
            }
            default:
                return Quat::Identity();
        }
    }

    void findRestDifference()
    {
        ofRest_.assign(target_.bones.size(), Quat::Identity());
        for (Index t = 0; t < ofRest_.size(); ++t)
            if (isLed(t)) ofRest_[t] = restDifference(t);
    }

    // How much higher ankles, and hips above them, are than the source's times k.
    void findLift()
    {
        if (legs_.empty() || carrier_ < 0) return legs_.clear();
        const double count = static_cast<double>(legs_.size());
        for (const Leg& leg : legs_) {
            const int foot = sourceOf_[at(leg.foot)], thigh = sourceOf_[at(leg.thigh)];
            const bool flesh = hasFlesh(target_, leg.foot), theirs = hasFlesh(source_, foot);
            const double mine =
                height(targetRest_, leg.foot) - soleOf(target_, targetRest_, leg.foot, flesh);
            const double others = height(sourceRest_, foot) - soleOf(source_, sourceRest_, foot, theirs);
            lift_ += (mine - scale_ * others) / count;
            if (flesh && !theirs) lift_ -= scale_ * soleThickness(foot) / count;
            const double above = height(targetRest_, carrier_) - height(targetRest_, leg.thigh);
            const double theirAbove =
                height(sourceRest_, sourceOf_[at(carrier_)]) - height(sourceRest_, thigh);
            hipsLift_ += (above - scale_ * theirAbove) / count;
        }
        hipsLift_ += lift_;
    }

    // A captured skeleton has no skin: its lowest joint stays above the floor, which is at height 0, by
    // what is between. Where the clip never comes near that floor, nothing is known of it.
    double soleThickness(int foot) const
    {
        constexpr int samples = 200;
        double lowest = INFINITY;
        for (int i = 0; i <= samples; ++i) {
            const double time = clip_.duration() * i / samples;
            const auto now = worldFrames(source_, localPose(source_, clip_, time));
            lowest = std::min(lowest, soleOf(source_, now, foot, false));
        }
        const double leg = length(sourceRest_, sourceOf_[at(legs_[0].thigh)], sourceOf_[at(legs_[0].foot)]);
        return std::abs(lowest) < 0.1 * leg ? lowest : 0;
    }

    // The local transforms that give led bones these rotations in the world, and where all bones then are.
    std::vector<WorldFrame> place(const std::vector<Quat>& turns, const std::vector<BoneTransform>& local,
                                  const std::vector<WorldFrame>& now)
    {
        local_ = restPose(target_);
        std::vector<WorldFrame> frames(target_.bones.size());
        for (Index t = 0; t < frames.size(); ++t) {
            const int parent = target_.bones[t].parent;
            const WorldFrame above = parent < 0 ? WorldFrame{} : frames[at(parent)];
            if (isLed(t)) {
                local_[t].rotation = (above.pose.orientation.conjugate() * turns[t]).normalized();
                const Index s = at(sourceOf_[t]);
                if (isPlaced_[t]) {
                    Vec3 there = led(now[s].pose.position);
                    if (static_cast<int>(t) == carrier_) there.y() += hipsLift_;
                    local_[t].translation = above.pose.orientation.conjugate() *
                                            Vec3(there - above.pose.position) / above.scale;
                } else {
                    local_[t].translation += shifted(s, local, now, above);
                }
            }
            frames[t].pose = {above * local_[t].translation,
                              (above.pose.orientation * local_[t].rotation).normalized()};
            frames[t].scale = above.scale * local_[t].scale.cwiseAbs().maxCoeff();
        }
        return frames;
    }

    Vec3 shifted(Index s, const std::vector<BoneTransform>& local, const std::vector<WorldFrame>& now,
                 const WorldFrame& above) const
    {
        const Vec3 shift = local[s].translation - source_.bones[s].rest.translation;
        if (shift.isZero(0)) return shift;
        const int parent = source_.bones[s].parent;
        const Vec3 inWorld =
            parent < 0 ? shift
                       : Vec3(now[at(parent)].pose.orientation * Vec3(now[at(parent)].scale * shift));
        return above.pose.orientation.conjugate() * led(inWorld) / above.scale;
    }

    // Bends the knee and swings the thigh until the ankle is at the goal.
    void reach(const Leg& leg, const Vec3& goal, std::vector<WorldFrame>& frames, std::vector<Quat>& turns)
    {
        const Vec3 hip = frames[at(leg.thigh)].pose.position, knee = frames[at(leg.shin)].pose.position,
                   ankle = frames[at(leg.foot)].pose.position;
        const double upper = (knee - hip).norm(), lower = (ankle - knee).norm();
        // It is there already, but for rounding, which the law of cosines would make worse.
        if ((goal - ankle).norm() < 1e-9 * (upper + lower)) return;
        const double wanted = (goal - hip).norm();
        const double far = 0.999999 * (upper + lower), near = 1.000001 * std::abs(upper - lower);
        const double distance = std::clamp(wanted, near, std::max(near, far));
        shortfall_ = std::max(shortfall_, std::abs(wanted - distance));
        const Vec3 up = hip - knee, down = ankle - knee;
        const double isNow = angleOf(up.cross(down).norm(), up.dot(down));
        const double cosine = (upper * upper + lower * lower - distance * distance) / (2 * upper * lower);
        const double shallBe = angleOf(std::sqrt(std::max(0.0, 1 - cosine * cosine)), cosine);
        const Quat bend = AngleAxis{shallBe - isNow, hinge(leg, up, down, turns)};
        const Quat swing = between(knee + bend * down - hip, goal - hip);
        turns[at(leg.thigh)] = (swing * turns[at(leg.thigh)]).normalized();
        turns[at(leg.shin)] = (swing * bend * turns[at(leg.shin)]).normalized();
    }

    // The knee's axis, about which the angle between thigh and shin grows. That of a straight leg points to
    // the left as the thigh has it now: knees bend backward.
    Vec3 hinge(const Leg& leg, const Vec3& up, const Vec3& down, const std::vector<Quat>& turns) const
    {
        const Vec3 axis = up.cross(down);
        if (axis.norm() > 1e-3 * up.norm() * down.norm()) return axis.normalized();
        Vec3 left = leftward(false);
        if (left.norm() == 0) left = anyAcross(up);
        const Index t = at(leg.thigh);
        left = turns[t] * targetRest_[t].pose.orientation.conjugate() * left;
        left -= left.dot(up) / up.squaredNorm() * up;
        return left.norm() > 0 ? Vec3(-left.normalized()) : anyAcross(up);
    }

    const Rig& source_;
    const Clip& clip_;
    const Rig& target_;
    const std::vector<int>& sourceOf_;
    std::vector<WorldFrame> sourceRest_, targetRest_;
    std::vector<std::optional<BoneRole>> roles_;  // of led bones of the target
    std::vector<int> ledAbove_;
    std::vector<std::vector<int>> ledBelow_;  // the nearest
    std::vector<Leg> legs_;
    std::vector<bool> isPlaced_;
    std::vector<Quat> ofRest_;  // A
    Quat facing_ = Quat::Identity();
    int carrier_ = -1;  // the hips
    double scale_ = 1, lift_ = 0, hipsLift_ = 0, shortfall_ = 0;
    std::vector<BoneTransform> local_;
};

// When the new clip has keys.
std::vector<double> keyTimes(const Clip& clip, double fps)
{
    std::vector<double> times;
    const bool isStraight = std::all_of(clip.tracks.begin(), clip.tracks.end(), [](const Track& track) {
        return track.between == Track::Between::linear;
    });
    if (fps <= 0 && isStraight) {
        for (const Track& track : clip.tracks)
            times.insert(times.end(), track.times.begin(), track.times.end());
        std::sort(times.begin(), times.end());
        times.erase(
            std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < 1e-9; }),
            times.end());
        // Keys of hand-made clips lie anywhere; a limb that follows several bones needs more of them.
        if (times.size() < 2 || static_cast<double>(times.size()) >= 20 * clip.duration()) return times;
        times.clear();
    }
    const double rate = fps > 0 ? fps : 60;
    const int frames = static_cast<int>(std::ceil(clip.duration() * rate - 1e-6)) + 1;
    for (int i = 0; i < frames; ++i) times.push_back(i / rate);
    return times;
}

}  // namespace

Retargeted retarget(const Rig& source, const Clip& clip, const Rig& target, const BoneMatch& match,
                    const RetargetOptions& options)
{
    Retargeter retargeter(source, clip, target, match, options.feet);
    const std::vector<double> times = keyTimes(clip, options.fps);
    Retargeted made;
    made.clip.name = options.name.empty() ? clip.name : options.name;
    std::vector<Track> turns(target.bones.size()), shifts(target.bones.size());
    std::vector<char> moves(target.bones.size(), 0);
    for (const double time : times) {
        const std::vector<BoneTransform> pose = retargeter.pose(time);
        for (Index t = 0; t < pose.size(); ++t) {
            if (!retargeter.isLed(t)) continue;
            Vec4 turn = pose[t].rotation.coeffs();
            if (!turns[t].values.empty() && turn.dot(turns[t].values.back()) < 0) turn = -turn;
            turns[t].values.push_back(turn);
            const Vec3& shift = pose[t].translation;
            shifts[t].values.push_back({shift.x(), shift.y(), shift.z(), 0});
            const Vec3 moved = shift - target.bones[t].rest.translation;
            moves[t] |=
                retargeter.isPlaced(t) || moved.norm() > 1e-6 * target.bones[t].rest.translation.norm();
        }
    }
    for (Index t = 0; t < turns.size(); ++t) {
        for (auto* track : {&turns[t], &shifts[t]}) {
            if (track->values.empty() || (track == &shifts[t] && !moves[t])) continue;
            track->bone = static_cast<int>(t);
            track->quantity = track == &turns[t] ? Track::Quantity::rotation : Track::Quantity::translation;
            track->times = times;
            made.clip.tracks.push_back(std::move(*track));
        }
    }
    made.scale = retargeter.scale();
    made.legs = retargeter.legs();
    made.shortfall = retargeter.shortfall();
    return made;
}

}  // namespace sinew
