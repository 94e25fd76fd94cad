// Motions whose curves stand in a file beside the scene: captured ones, as BVH or glTF have them. Apart,
// because a web page has no files.
//
// A bone's turn in the world from its rest, W, is that of the body it leads. With B the orientation of the
// second body of a joint at rest, the joint's coordinates are those of
//     Bᵀ (W_firstᵀ W_second) B,
// a rotation vector of a ball joint, the turn about its axis of a hinge. So file and scene need the same
// rest pose, but no bones in common beyond those that lead bodies. A root that floats is led as a whole:
// its centre of mass is where it would be if it were fixed to the bone.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sinew/io/character_file.h"
#include "sinew/io/json/motion_files.h"
#include "sinew/io/motion_onto.h"
#include "sinew/io/referenced_file.h"
#include "sinew/math/rotation.h"
#include "sinew/math/swing_twist.h"
#include "sinew/rig/rig.h"

namespace sinew {
namespace {

constexpr double rate = 60;      // 1/s: keys of what is read
constexpr double longest = 600;  // s
constexpr double least = 1e-6;   // rad, m: curves that do not move are left out

// What leads the bodies of a scene, at one moment.
class Capture {
public:
    Capture(const Description& scene, const Rig& rig, double scale)
        : scene_(scene), rig_(rig), scale_(scale), rest_(worldFrames(rig, restPose(rig)))
    {
        for (std::size_t i = 0; i < scene.bodies.size(); ++i)
            bodies_.emplace(scene.bodies[i].name, static_cast<int>(i));
        boneOf_.assign(scene.bodies.size(), -1);
    }
    bool lead(const std::string& body, int bone)
    {
        const auto found = bodies_.find(body);
        if (found == bodies_.end()) return false;
        boneOf_[static_cast<std::size_t>(found->second)] = bone;
        return true;
    }
    // Bodies by the bones of their own names.
    int leadByNames()
    {
        int count = 0;
        for (std::size_t i = 0; i < scene_.bodies.size(); ++i) {
            boneOf_[i] = rig_.find(scene_.bodies[i].name);
            count += boneOf_[i] >= 0;
        }
        return count;
    }
    bool leads(const std::string& body) const { return boneOf(body) >= 0; }
    void goTo(const Clip& clip, double time) { now_ = worldFrames(rig_, localPose(rig_, clip, time)); }

    // From rest, in the world.
    Quat turnOf(const std::string& body) const
    {
        const int bone = boneOf(body);
        if (bone < 0) return Quat::Identity();
        const std::size_t b = static_cast<std::size_t>(bone);
        return (now_[b].pose.orientation * rest_[b].pose.orientation.conjugate()).normalized();
    }
    Pose poseOf(const BodyDescription& body) const
    {
        const std::size_t b = static_cast<std::size_t>(boneOf(body.name));
        const Quat turn = turnOf(body.name);
        const Vec3 arm = body.pose.position - scale_ * rest_[b].pose.position;
        return {scale_ * now_[b].pose.position + turn * arm, (turn * body.pose.orientation).normalized()};
    }
    const BodyDescription* find(const std::string& body) const
    {
        const auto found = bodies_.find(body);
        return found == bodies_.end() ? nullptr : &scene_.bodies[static_cast<std::size_t>(found->second)];
    }

private:
    int boneOf(const std::string& body) const
    {
        const auto found = bodies_.find(body);
        return found == bodies_.end() ? -1 : boneOf_[static_cast<std::size_t>(found->second)];
    }

    const Description& scene_;
    const Rig& rig_;
    double scale_;
    std::vector<WorldFrame> rest_, now_;
    std::unordered_map<std::string, int> bodies_;
    std::vector<int> boneOf_;
};

// Coordinates of a joint as the capture has its bodies; the nearest turn to those before.
Vec3 coordinatesOf(const JointDescription& joint, const Capture& capture, const Vec3& before)
{
    const BodyDescription* second = capture.find(joint.second);
    const Quat B = second ? second->pose.orientation : Quat::Identity();
    const Quat turn = capture.turnOf(joint.first).conjugate() * capture.turnOf(joint.second);
    if (joint.type == JointType::hinge) {
        double angle = swingTwist(turn, joint.axis->normalized()).twist;
        angle += 2 * pi * std::round((before[0] - angle) / (2 * pi));
        return {angle, 0, 0};
    }
    Vec3 q = B.conjugate() * logRotation(turn);
    const double size = q.norm();
    if (size > 0) {
        const Vec3 other = (1 - 2 * pi / size) * q;
        if ((other - before).norm() < (q - before).norm()) q = other;
    }
    return q;
}

bool isLed(const JointDescription& joint, const Capture& capture)
{
    return (joint.type == JointType::hinge || joint.type == JointType::spherical) && !joint.release &&
           (joint.type != JointType::hinge || joint.axis) && capture.leads(joint.second) &&
           (joint.first == "world" || capture.leads(joint.first));
}

// Adds the curves of the joints that the clip turns, and of the roots that it moves.
void addCurves(const Description& scene, const Clip& clip, Capture& capture, MotionDescription& motion)
{
    const int frames = static_cast<int>(std::ceil(std::min(clip.duration(), longest) * rate)) + 1;
    std::vector<std::vector<KeySignal>> curves(scene.joints.size());
    std::vector<Vec3> before(scene.joints.size(), Vec3::Zero());
    std::vector<char> moves(scene.joints.size(), 0);
    std::unordered_map<std::string, char> hasParent;
    for (const JointDescription& joint : scene.joints)
        if (joint.type != JointType::free) hasParent[joint.second] = 1;
    std::vector<MotionDescription::RootPath> roots;
    for (const BodyDescription& body : scene.bodies)
        if (capture.leads(body.name) && !hasParent.contains(body.name)) {
            MotionDescription::RootPath root;
            root.body = body.name;
            root.smooth = false;
            roots.push_back(std::move(root));
        }
    for (int frame = 0; frame < frames; ++frame) {
        const double time = frame / rate;
        capture.goTo(clip, time);
        for (std::size_t j = 0; j < scene.joints.size(); ++j) {
            const JointDescription& joint = scene.joints[j];
            if (!isLed(joint, capture)) continue;
            before[j] = coordinatesOf(joint, capture, before[j]);
            moves[j] |= before[j].norm() > least;
            curves[j].resize(joint.type == JointType::hinge ? 1 : 3);
            for (std::size_t i = 0; i < curves[j].size(); ++i)
                curves[j][i].keys.push_back({time, before[j][static_cast<int>(i)]});
        }
        for (MotionDescription::RootPath& root : roots) {
            const Pose pose = capture.poseOf(*capture.find(root.body));
            TargetDescription::Key key;
            key.time = time;
            key.position = pose.position;
            key.orientation = pose.orientation;
            root.path.push_back(key);
        }
    }
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
        if (!moves[j]) continue;
        MotionDescription::JointCurve curve;
        curve.joint = scene.joints[j].name;
        for (KeySignal& signal : curves[j]) curve.coordinate.emplace_back(SignalPart(std::move(signal)));
        motion.joints.push_back(std::move(curve));
    }
    for (MotionDescription::RootPath& root : roots) motion.roots.push_back(std::move(root));
}

// The clip of a file that the scene names, with the bones that it moves.
struct FoundClip {
    Rig rig;
    Clip clip;
};

// A motion on the skeleton of the character that the scene names.
template <class Fault>
Result<FoundClip> ontoCharacter(const MotionFile& from, const std::string& place, const std::string& path,
                                const Fault& fault)
{
    const Result<std::string> onto = referencedFile(path, from.onto);
    if (!onto) return fault("/onto", onto.error().message);
    MotionChoice choice{place, from.clip, {}};
    if (!from.map.empty()) {
        const Result<std::string> map = referencedFile(path, from.map);
        if (!map) return fault("/map", map.error().message);
        choice.map = map.value();
    }
    Result<CharacterFile> character = readCharacter(onto.value());
    if (!character) return character.error();
    Result<MotionOnto> motion = motionOnto(choice, character.value().rig);
    if (!motion) {
        const Diagnostic& wrong = motion.error();
        return wrong.setting.empty() ? wrong
                                     : fault(wrong.setting == "clip" ? "/clip" : "/onto", wrong.message);
    }
    return FoundClip{std::move(character.value().rig), std::move(motion.value().made.clip)};
}

template <class Fault>
Result<FoundClip> findClip(const MotionFile& from, const std::string& path, const Fault& fault)
{
    const Result<std::string> place = referencedFile(path, from.file);
    if (!place) return fault("/file", place.error().message);
    if (!from.onto.empty()) return ontoCharacter(from, place.value(), path, fault);
    if (!from.map.empty())
        return fault("/map", "stands without onto, the character that the motion is put onto");
    const Result<CharacterFile> read = readCharacter(place.value());
    if (!read) return read.error();
    const Rig& rig = read.value().rig;
    const auto clip = std::find_if(rig.clips.begin(), rig.clips.end(), [&](const Clip& one) {
        return from.clip.empty() || one.name == from.clip;
    });
    if (clip == rig.clips.end())
        return from.clip.empty() ? fault("/file", "has no motion")
                                 : fault("/clip", "there is no clip '" + from.clip + "' in the file");
    return FoundClip{rig, *clip};
}

}  // namespace

Result<bool> readMotionFiles(const std::vector<MotionFile>& files, Description& scene,
                             const std::string& path)
{
    for (const MotionFile& from : files) {
        MotionDescription& motion = scene.motions[from.motion];
        const auto fault = [&](const std::string& key, const std::string& message) {
            Diagnostic wrong = faultAt("/motions/" + std::to_string(from.motion) + key, message);
            wrong.file = path;
            return wrong;
        };
        if (from.file.empty()) return fault("", "has no file that clip, bones or scale could be of");
        if (!motion.joints.empty() || !motion.roots.empty())
            return fault("/file", "stands beside curves; give one of them");
        if (!(from.scale > 0 && std::isfinite(from.scale)))
            return fault("/scale", "must be a positive number");
        const Result<FoundClip> moves = findClip(from, path, fault);
        if (!moves) return moves.error();
        const Rig& rig = moves.value().rig;
        Capture capture(scene, rig, from.scale);
        if (from.bones.empty() && capture.leadByNames() == 0)
            return fault("/file", "has no bone with the name of a body; say in bones which leads which");
        for (const auto& [body, name] : from.bones) {
            const int bone = rig.find(name);
            if (bone < 0) return fault("/bones/" + body, "there is no bone '" + name + "' in the file");
            if (!capture.lead(body, bone))
                return fault("/bones/" + body, "there is no body '" + body + "'");
        }
        MotionDescription found;
        found.name = motion.name;
        addCurves(scene, moves.value().clip, capture, found);
        motion = std::move(found);
    }
    return !files.empty();
}

}  // namespace sinew
