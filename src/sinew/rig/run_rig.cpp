#include "sinew/rig/run_rig.h"

#include <cmath>

#include "sinew/geometry/support.h"
#include "sinew/model/model.h"

namespace sinew {
namespace {

// How far the shapes of a body reach from its frame's origin along a direction of its own.
double reachAlong(const BodyDescription& body, const Vec3& direction)
{
    double most = -std::numeric_limits<double>::infinity();
    for (const ShapeDescription& part : body.shapes) {
        const Vec3 turned = part.pose.orientation.conjugate() * direction;
        const Vec3 farthest = part.pose * coreSupport(part.shape, turned);
        most = std::max(most, farthest.dot(direction) + coreMargin(part.shape));
    }
    return most;
}

// Where a bone that bears no other ends: from its origin through the middle of its flesh to the far side.
// Empty where nothing tells it.
std::vector<Vec3> endOf(const BodyDescription& body, const Vec3& center, const Pose& inBody)
{
    constexpr double least = 1e-9;  // m
    const Vec3 along = center - inBody.position;
    if (along.norm() < least) return {};
    const Vec3 direction = along.normalized();
    const double reach = body.shapes.empty() ? 2 * along.norm()
                                             : reachAlong(body, direction) - direction.dot(inBody.position);
    if (!(reach > least)) return {};
    return {inBody.orientation.conjugate() * Vec3(direction * reach)};
}

std::vector<int> placesIn(const std::vector<int>& order, std::size_t size)
{
    std::vector<int> place(size, -1);
    for (std::size_t d = 0; d < order.size(); ++d) place[order[d]] = static_cast<int>(d);
    return place;
}

Pose boneInWorld(const RunRig& figure, const Frame& frame, int bone)
{
    return frame.bodies[figure.bodies[bone]] * figure.inBody[bone];
}

Pose boneInParent(const RunRig& figure, const Frame& frame, int bone)
{
    const Pose world = boneInWorld(figure, frame, bone);
    const int parent = figure.bones[bone].parent;
    return parent < 0 ? world : boneInWorld(figure, frame, parent).inverse() * world;
}

bool isStill(const Track& track, const BoneTransform& rest)
{
    for (const Vec4& value : track.values) {
        if (track.quantity == Track::Quantity::translation) {
            if ((value.head<3>() - rest.translation).norm() > stillness) return false;
        } else if (2 * (value * (value.dot(rest.rotation.coeffs()) < 0 ? -1. : 1.) - rest.rotation.coeffs())
                           .norm() >
                   stillness) {
            return false;
        }
    }
    return true;
}

}  // namespace

Result<RunRig> figureOf(const Description& description)
{
    Result<Model> compiled = compile(description);
    if (!compiled) return compiled.error();
    const Model& model = compiled.value();
    const std::vector<int> described = placesIn(model.bodyOrder, model.bodies.size());

    RunRig figure;
    std::vector<Vec3> origins;  // in the world, at rest
    std::vector<bool> bears(model.bodies.size(), false);
    std::vector<int> boneOf(model.bodies.size(), -1);
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        const Body& body = model.bodies[i];
        if (body.cutFrom >= 0) continue;  // a part of a body, from which nothing hangs
        const BodyDescription& source = description.bodies[described[i]];
        origins.push_back(joint.declared ? body.rest * joint.anchorChild : source.pose.position);
        Bone bone;
        bone.name = body.name;
        bone.rest.translation = origins.back();
        if (joint.parent >= 0) {
            bone.parent = boneOf[joint.parent];
            bone.rest.translation -= origins[bone.parent];
            bears[joint.parent] = true;
        }
        boneOf[i] = static_cast<int>(figure.bones.size());
        figure.bones.push_back(std::move(bone));
        figure.bodies.push_back(described[i]);
        figure.inBody.push_back(source.pose.inverse() * Pose{origins.back(), Quat::Identity()});
        figure.skeletons.push_back(model.skeletonOf[i]);
        figure.colors.push_back(source.color);
    }
    for (int i = 0; i < model.size(); ++i)
        if (!bears[i] && boneOf[i] >= 0)
            figure.bones[boneOf[i]].ends =
                endOf(description.bodies[described[i]], model.bodies[i].center, figure.inBody[boneOf[i]]);
    return figure;
}

Result<RunRig> bodiesOf(const Description& description)
{
    Result<Model> compiled = compile(description);
    if (!compiled) return compiled.error();
    const Model& model = compiled.value();
    RunRig figure;
    for (std::size_t d = 0; d < description.bodies.size(); ++d) {
        const BodyDescription& body = description.bodies[d];
        Bone bone;
        bone.name = body.name;
        bone.rest.translation = body.pose.position;
        bone.rest.rotation = body.pose.orientation;
        figure.bones.push_back(std::move(bone));
        figure.bodies.push_back(static_cast<int>(d));
        figure.inBody.push_back({});
        figure.skeletons.push_back(model.skeletonOf[model.bodyOrder[d]]);
        figure.colors.push_back(body.color);
    }
    return figure;
}

std::vector<Track> tracksOf(const RunRig& figure, const Trajectory& motion, std::size_t bone)
{
    const int index = static_cast<int>(bone);
    Track place, turn;
    place.bone = turn.bone = index;
    place.quantity = Track::Quantity::translation;
    for (Track* track : {&place, &turn}) {
        track->times.reserve(motion.size());
        track->values.reserve(motion.size());
        for (const Frame& frame : motion) track->times.push_back(frame.time - motion.front().time);
    }
    for (const Frame& frame : motion) {
        const Pose pose = boneInParent(figure, frame, index);
        Vec4 quaternion = pose.orientation.normalized().coeffs();
        const Vec4 before =
            turn.values.empty() ? figure.bones[bone].rest.rotation.coeffs() : turn.values.back();
        if (quaternion.dot(before) < 0) quaternion = -quaternion;
        place.values.emplace_back(pose.position.x(), pose.position.y(), pose.position.z(), 0);
        turn.values.push_back(quaternion);
    }
    const Bone& of = figure.bones[bone];
    std::vector<Track> tracks;
    if (of.parent < 0 || !isStill(place, of.rest)) tracks.push_back(std::move(place));
    if (of.parent < 0 || !isStill(turn, of.rest)) tracks.push_back(std::move(turn));
    return tracks;
}

Result<Rig> rigOf(const Description& description, const Trajectory& motion)
{
    Result<RunRig> figure = figureOf(description);
    if (!figure) return figure.error();
    Rig rig;
    rig.bones = figure.value().bones;
    Clip clip;
    clip.name = description.name.empty() ? "motion" : description.name;
    for (std::size_t b = 0; b < rig.bones.size(); ++b)
        for (Track& track : tracksOf(figure.value(), motion, b)) clip.tracks.push_back(std::move(track));
    rig.clips.push_back(std::move(clip));
    return rig;
}

Rig inUnit(Rig rig, double lengthsTimes)
{
    for (Bone& bone : rig.bones) {
        bone.rest.translation *= lengthsTimes;
        for (Vec3& end : bone.ends) end *= lengthsTimes;
        for (Vec3& point : bone.flesh) point *= lengthsTimes;
    }
    for (Clip& clip : rig.clips)
        for (Track& track : clip.tracks)
            if (track.quantity == Track::Quantity::translation)
                for (Vec4& value : track.values) value *= lengthsTimes;
    return rig;
}

}  // namespace sinew
