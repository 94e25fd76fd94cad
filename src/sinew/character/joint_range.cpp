#include "sinew/character/joint_range.h"

#include <algorithm>
#include <cmath>

#include "sinew/base/pattern.h"
#include "sinew/math/rotation.h"
#include "sinew/math/symmetric_eigen.h"

namespace sinew {
namespace {

using Bends = BoneRule::Bends;

// The axis that the animation bends a joint about, positive the way it bends most of the time; none if it
// hardly bends at all.
std::optional<Vec3> bendingAxis(const std::vector<Vec3>& turns)
{
    constexpr double telling = 0.1;  // rad
    Mat3 spread = Mat3::Zero();
    Vec3 sum = Vec3::Zero();
    double most = 0;
    for (const Vec3& turn : turns) {
        spread += turn * turn.transpose();
        sum += turn;
        most = std::max(most, turn.norm());
    }
    if (most < telling) return std::nullopt;
    const Vec3 axis = SymmetricEigen3(spread).eigenvectors().col(2);
    return axis.dot(sum) < 0 ? Vec3(-axis) : axis;
}

bool saysNothing(const JointHabit& habit)
{
    const JointHabit plain;
    return habit.bends == plain.bends && habit.swing == plain.swing && habit.twist == plain.twist;
}

// Of a bone whose name tells nothing: a hinge if its clip bends it far, to one side and about one axis, as
// knees and elbows do; else as far as the skin lets it, which meets itself in the bend when half of the
// bone's length is as far off as it is thick.
JointHabit habitWithoutName(const BoneBody& body, const std::vector<Vec3>& turns)
{
    constexpr double far = 0.5, backward = 0.2, aside = 0.25;  // rad, and parts of the bend
    JointHabit habit;
    if (const std::optional<Vec3> axis = bendingAxis(turns)) {
        double most = 0, least = 0, across = 0;
        for (const Vec3& turn : turns) {
            const double bend = axis->dot(turn);
            most = std::max(most, bend);
            least = std::min(least, bend);
            across = std::max(across, (turn - bend * *axis).norm());
        }
        if (most > far && -least < backward * most && across < aside * most)
            return {Bends::asHinge, 0.1, 0.1};
    }
    if (body.radius > 0) {
        const double length = std::max(body.from.norm(), body.to.norm()) + body.radius;
        habit.swing = std::clamp(2 * std::atan(0.5 * length / body.radius), 0.3, habit.swing);
    }
    return habit;
}

}  // namespace

std::optional<double> ruledValue(const std::vector<BoneRule>& rules, const std::string& bone,
                                 std::optional<double> BoneRule::*what)
{
    std::optional<double> value;
    for (const BoneRule& rule : rules)
        if (rule.*what && matchesPattern(rule.pattern, bone)) value = rule.*what;
    return value;
}

JointRange jointRange(const std::string& bone, const BoneBody& body, const std::vector<Vec3>& turns,
                      const std::vector<BoneRule>& rules)
{
    JointHabit habit = habitOfBone(bone);
    if (saysNothing(habit)) habit = habitWithoutName(body, turns);
    for (const BoneRule& rule : rules) {
        if (!rule.bends || !matchesPattern(rule.pattern, bone) || *rule.bends == habit.bends) continue;
        habit = *rule.bends == Bends::asHinge ? JointHabit{Bends::asHinge, 0.1, 0.1} : JointHabit{};
    }
    const Vec3 along = body.middle();
    JointRange range;
    if (along.norm() > 1e-9) range.axis = along.normalized();
    range.swing = habit.swing;
    range.lower = -habit.twist;
    range.upper = habit.twist;
    if (habit.bends == Bends::asHinge) {
        // From straight to heel on thigh, or fist on shoulder.
        constexpr double fullBend = 2.4;
        if (const std::optional<Vec3> axis = bendingAxis(turns)) {
            range.axis = *axis;
            range.upper = fullBend;
        } else {
            range.swing = 1;  // nothing tells the axis
        }
    }
    if (const auto swing = ruledValue(rules, bone, &BoneRule::swing)) range.swing = *swing;
    if (const auto twist = ruledValue(rules, bone, &BoneRule::twist))
        range.lower = -*twist, range.upper = *twist;

    constexpr double margin = 0.05, widest = 3.1;  // rad
    for (const Vec3& turn : turns) {
        const Quat rotation = expRotation(turn);
        const double twist = twistAngle(rotation, range.axis);
        const double tilt = std::acos(std::clamp(range.axis.dot(rotation * range.axis), -1.0, 1.0));
        range.swing = std::max(range.swing, tilt + margin);
        range.lower = std::min(range.lower, twist - margin);
        range.upper = std::max(range.upper, twist + margin);
    }
    range.swing = std::min(range.swing, widest);
    range.lower = std::max(range.lower, -widest);
    range.upper = std::min(range.upper, widest);
    return range;
}

}  // namespace sinew
