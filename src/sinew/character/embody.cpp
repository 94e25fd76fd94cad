#include "sinew/character/embody.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/base/pattern.h"
#include "sinew/math/symmetric_eigen.h"

namespace sinew {
namespace {

// Of a bone without skin: people's limbs are about eight times as long as they are thick.
constexpr double thicknessOfBareBone = 0.12;
// Of a root without any extent, such as the hips of many motion captures, as a part of the whole.
constexpr double sizeOfBareRoot = 0.06;
// Fewer points than this tell less about thickness than the bone's length does, where it has one.
constexpr std::size_t fewestPoints = 8;

struct Extent {
    std::vector<Vec3> far;    // where its children begin and where it ends
    std::vector<Vec3> flesh;  // all in the bone's own frame, m
};

std::vector<Extent> extents(const Rig& rig, const std::vector<BoneTransform>& pose,
                            const std::vector<WorldFrame>& world, double unit)
{
    std::vector<Extent> all(rig.bones.size());
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        const Bone& bone = rig.bones[b];
        const double size = unit * world[b].scale;
        for (const Vec3& end : bone.ends) all[b].far.push_back(size * end);
        for (const Vec3& point : bone.flesh) all[b].flesh.push_back(size * point);
        if (bone.parent >= 0 && bone.joint) {
            const auto parent = static_cast<std::size_t>(bone.parent);
            all[parent].far.push_back(unit * world[parent].scale * pose[b].translation);
        }
    }
    return all;
}

double quantile(std::vector<double> values, double part)
{
    const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
    return values[at];
}

// The direction in which points are spread most.
Vec3 mainAxis(const std::vector<Vec3>& points, const Vec3& center)
{
    Mat3 spread = Mat3::Zero();
    for (const Vec3& p : points) spread += (p - center) * (p - center).transpose();
    return SymmetricEigen3(spread).eigenvectors().col(2);
}

// Bones that only place a skinned character: without skin, above all that has one, and leading to it in one
// way. Many rigs have one from the floor to the hips, which is no post.
std::vector<bool> controls(const Rig& rig)
{
    const std::size_t count = rig.bones.size();
    std::vector<bool> isBelowSkin(count, false), leadsToSkin(count, false), is(count, false);
    std::vector<int> ways(count, 0);
    for (std::size_t b = 0; b < count; ++b) {
        const int parent = rig.bones[b].parent;
        isBelowSkin[b] = !rig.bones[b].flesh.empty() || (parent >= 0 && isBelowSkin[parent]);
    }
    for (std::size_t b = count; b-- > 0;) {
        leadsToSkin[b] = ways[b] > 0 || !rig.bones[b].flesh.empty();
        if (leadsToSkin[b] && rig.bones[b].parent >= 0) ++ways[rig.bones[b].parent];
        is[b] = !isBelowSkin[b] && ways[b] == 1;
    }
    return is;
}

// Around the skin of a bone: along it where it leads to one other, else the way its skin is longest.
void fitToFlesh(const Extent& extent, BoneBody& body)
{
    Vec3 center = Vec3::Zero();
    for (const Vec3& p : extent.flesh) center += p;
    center /= static_cast<double>(extent.flesh.size());
    const bool leads = extent.far.size() == 1 && extent.far[0].norm() > 0;
    const Vec3 axis = leads ? Vec3(extent.far[0].normalized()) : mainAxis(extent.flesh, center);

    std::vector<double> along, across;
    for (const Vec3& p : extent.flesh) {
        const Vec3 d = p - center;
        along.push_back(axis.dot(d));
        across.push_back((d - axis.dot(d) * axis).norm());
    }
    // Skin is drawn by its outside: half of its points are nearer to the axis, half are farther. Tips and
    // stray points count for nothing.
    const double low = quantile(along, 0.05), high = quantile(along, 0.95);
    body.radius = std::min(quantile(across, 0.5), 0.5 * std::max(high - low, quantile(across, 0.5)));
    const double half = std::max(0.0, 0.5 * (high - low) - body.radius);
    const Vec3 middle = center + 0.5 * (low + high) * axis;
    body.from = middle - half * axis;
    body.to = middle + half * axis;
    body.present = body.radius > 0;
}

void fitToBone(const Extent& extent, BoneBody& body)
{
    const std::vector<Vec3>& ends = extent.far;
    Vec3 end = Vec3::Zero();
    for (const Vec3& far : ends) end += far;
    if (!ends.empty()) end /= static_cast<double>(ends.size());
    double longest = 0;
    for (const Vec3& far : ends) longest = std::max(longest, far.norm());
    if (longest == 0) return;
    body.radius = thicknessOfBareBone * longest;
    body.to = end;
    body.present = true;
}

// Letters only, small, so that LeftUpLeg, mixamorig:LeftUpLeg and left_up_leg are one.
std::string plainName(const std::string& name)
{
    std::string plain;
    const std::size_t colon = name.rfind(':');
    for (std::size_t i = colon == std::string::npos ? 0 : colon + 1; i < name.size(); ++i) {
        const char c = name[i];
        if (c >= 'A' && c <= 'Z') plain += static_cast<char>(c - 'A' + 'a');
        if (c >= 'a' && c <= 'z') plain += c;
    }
    return plain;
}

bool has(const std::string& name, std::initializer_list<const char*> words)
{
    for (const char* word : words)
        if (name.find(word) != std::string::npos) return true;
    return false;
}

double capsuleVolume(const BoneBody& body)
{
    return pi * body.radius * body.radius * (body.length() + 4.0 / 3 * body.radius);
}

// By a table of segments: bones of one segment on one side share its mass by their volumes.
void weighBySegments(const Rig& rig, const EmbodyOptions& options, std::vector<BoneBody>& bodies)
{
    const std::size_t count = bodies.size();
    std::vector<int> segments(count, -1);
    std::array<double, segmentCount> volume{}, sides{};
    bool trunkInParts = false;
    for (std::size_t b = 0; b < count; ++b) {
        if (!bodies[b].present) continue;
        const std::optional<Segment> segment = segmentOfBone(rig.bones[b].name);
        if (!segment) continue;
        segments[b] = static_cast<int>(*segment);
        volume[segments[b]] += capsuleVolume(bodies[b]);
        trunkInParts |= *segment == Segment::thorax || *segment == Segment::abdomen;
    }
    for (int s = 0; s < segmentCount; ++s) sides[s] = s >= static_cast<int>(Segment::upperArm) ? 2 : 1;
    double given = 0, unnamed = 0;
    for (std::size_t b = 0; b < count; ++b) {
        if (!bodies[b].present) continue;
        if (segments[b] < 0) {
            unnamed += bodies[b].mass;
            continue;
        }
        // Hips alone below a spine without a name are the whole trunk.
        Segment segment = static_cast<Segment>(segments[b]);
        if (segment == Segment::pelvis && !trunkInParts) segment = Segment::trunk;
        bodies[b].mass = *options.mass * (*options.table)[segment].mass * sides[segments[b]] *
                         capsuleVolume(bodies[b]) / volume[segments[b]];
        given += bodies[b].mass;
    }
    // What the table leaves over goes to bones without such names; without any, all grow alike.
    const double left = std::max(0.0, *options.mass - given);
    for (std::size_t b = 0; b < count; ++b) {
        if (!bodies[b].present) continue;
        if (unnamed > 0 && segments[b] < 0)
            bodies[b].mass *= std::max(left, 0.02 * *options.mass) / unnamed;
        if (unnamed == 0 && given > 0) bodies[b].mass *= *options.mass / given;
    }
}

void scaleToMass(double mass, std::vector<BoneBody>& bodies)
{
    double sum = 0;
    for (const BoneBody& body : bodies) sum += body.mass;
    if (sum > 0)
        for (BoneBody& body : bodies) body.mass *= mass / sum;
}

}  // namespace

Vec3 rigExtent(const Rig& rig)
{
    const std::vector<WorldFrame> world = worldFrames(rig, restPose(rig));
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    const auto cover = [&](const Vec3& point) {
        low = low.cwiseMin(point);
        high = high.cwiseMax(point);
    };
    bool skinned = false;
    for (const Bone& bone : rig.bones) skinned |= !bone.flesh.empty();
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        if (!rig.bones[b].joint) continue;
        for (const Vec3& point : rig.bones[b].flesh) cover(world[b] * point);
        if (skinned) continue;
        cover(world[b].pose.position);
        for (const Vec3& end : rig.bones[b].ends) cover(world[b] * end);
    }
    return high.x() >= low.x() ? Vec3(high - low) : Vec3(Vec3::Zero());
}

UnitGuess guessUnit(double height)
{
    // Mice are not characters and giants are drawn in metres all the same.
    constexpr double least = 0.4, most = 4;
    struct Unit {
        const char* name;
        double metres;
    };
    // In the order in which they are believed. The last is that of the motion captures of Carnegie Mellon
    // University, whose files do not state it.
    static constexpr Unit units[] = {
        {"m", 1}, {"cm", 0.01}, {"0.0564 m", 0.0254 / 0.45}, {"mm", 0.001}, {"inch", 0.0254}};
    for (const Unit& unit : units)
        if (height * unit.metres >= least && height * unit.metres <= most)
            return {unit.metres, unit.name, true};
    return {1, "m", false};
}

std::optional<Segment> segmentOfBone(const std::string& boneName)
{
    const std::string name = plainName(boneName);
    if (has(name, {"thumb", "finger", "index", "middle", "ring", "pinky", "hand", "wrist"}))
        return Segment::hand;
    if (has(name, {"foot", "toe", "ankle"})) return Segment::foot;
    if (has(name, {"forearm", "lowerarm", "elbow"})) return Segment::forearm;
    if (has(name, {"upleg", "thigh", "upperleg", "femur"})) return Segment::thigh;
    if (has(name, {"shin", "calf", "lowerleg", "knee", "shank"}) || name == "leftleg" || name == "rightleg")
        return Segment::shank;
    if (has(name, {"upperarm", "humerus"}) || name == "leftarm" || name == "rightarm")
        return Segment::upperArm;
    if (has(name, {"head", "neck"})) return Segment::headNeck;
    if (has(name, {"hips", "pelvis", "hipjoint"}) || name == "hip") return Segment::pelvis;
    if (has(name, {"lowerback", "abdomen"}) || name == "spine") return Segment::abdomen;
    if (has(name, {"chest", "thorax", "spine", "clavicle", "shoulder", "collar"})) return Segment::thorax;
    return std::nullopt;
}

JointHabit habitOfBone(const std::string& boneName)
{
    const std::string name = plainName(boneName);
    using Bends = BoneRule::Bends;
    if (has(name, {"tail", "hair", "ear", "cape", "cloth", "skirt", "ponytail"}))
        return {Bends::freely, 1.2, 0.5};
    const std::optional<Segment> segment = segmentOfBone(boneName);
    if (!segment) return {};
    switch (*segment) {
        case Segment::headNeck:
            return {Bends::freely, 0.5, 0.5};
        case Segment::trunk:
        case Segment::thorax:
        case Segment::abdomen:
        case Segment::pelvis:
            return {Bends::freely, 0.35, 0.3};
        case Segment::upperArm:
            return {Bends::freely, 1.6, 0.8};
        case Segment::forearm:
        case Segment::shank:
            return {Bends::asHinge, 0.1, 0.1};
        case Segment::hand:
            return {Bends::freely, 0.9, 0.3};
        case Segment::thigh:
            return {Bends::freely, 1.3, 0.5};
        case Segment::foot:
            return {Bends::freely, 0.6, 0.2};
    }
    return {};
}

std::vector<BoneBody> embody(const Rig& rig, const std::vector<BoneTransform>& pose,
                             const EmbodyOptions& options)
{
    const std::vector<WorldFrame> world = worldFrames(rig, pose);
    const std::vector<Extent> extent = extents(rig, pose, world, options.unit);
    const double bareRoot = sizeOfBareRoot * options.unit * rigExtent(rig).maxCoeff();
    const std::vector<bool> isControl = controls(rig);
    std::vector<BoneBody> bodies(rig.bones.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        // What has flesh and is no joint is gear: a sword, a pack.
        if ((!rig.bones[b].joint && rig.bones[b].flesh.empty()) || isControl[b]) continue;
        BoneBody& body = bodies[b];
        if (extent[b].flesh.size() >= (extent[b].far.empty() ? 3 : fewestPoints))
            fitToFlesh(extent[b], body);
        else
            fitToBone(extent[b], body);
        const int parent = rig.bones[b].parent;
        const bool isRoot = parent < 0 || !rig.bones[static_cast<std::size_t>(parent)].joint;
        if (!body.present && isRoot) {
            body.radius = bareRoot;
            body.present = body.radius > 0;
        }
        double density = options.density;
        for (const BoneRule& rule : options.rules) {
            if (!matchesPattern(rule.pattern, rig.bones[b].name)) continue;
            if (rule.radius && body.present) body.radius = *rule.radius;
            if (rule.density) density = *rule.density;
        }
        if (body.present) body.mass = density * capsuleVolume(body);
    }
    if (options.mass && options.table)
        weighBySegments(rig, options, bodies);
    else if (options.mass)
        scaleToMass(*options.mass, bodies);
    for (std::size_t b = 0; b < bodies.size(); ++b)
        for (const BoneRule& rule : options.rules)
            if (rule.mass && bodies[b].present && matchesPattern(rule.pattern, rig.bones[b].name))
                bodies[b].mass = *rule.mass;
    return bodies;
}

}  // namespace sinew
