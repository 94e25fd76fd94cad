// Rig → Document; the equations are in rig.h.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/io/bvh/euler.h"
#include "sinew/io/bvh/rig.h"
#include "sinew/math/rotation.h"

namespace sinew::bvh {
namespace {

constexpr int angleDecimals = 6;
// Lengths are rounded to this part of the skeleton's size. Places that differ from the OFFSET by less than
// `steady` of it are at the OFFSET: files keep lengths in single precision, and scales multiply them.
constexpr double fineness = 1e-8, steady = 5e-7;
constexpr double unturned = 1e-6 * pi / 180;  // rad, what rounds to nothing

// To so many decimals; negative: to tens, hundreds, …. The result is the double nearest to a short decimal
// number, so that it is written as that.
double rounded(double value, int decimals)
{
    double factor = 1;
    for (int i = 0; i < std::abs(decimals); ++i) factor *= 10;
    // Adding zero makes a zero of −0.
    return (decimals < 0 ? std::round(value / factor) * factor : std::round(value * factor) / factor) + 0.0;
}

// How one joint moves against its parent, in the frames of BVH.
struct Course {
    std::vector<Quat> rotation;
    std::vector<Vec3> position;
};

// The skeleton that is written: bones in depth-first order, without those that are no joints.
struct Skeleton {
    std::vector<int> bones;    // of the rig
    std::vector<int> parents;  // places in this list, −1
    std::vector<int> depths;
};

Skeleton skeletonOf(const Rig& rig)
{
    const std::size_t size = rig.bones.size();
    const bool all =
        std::none_of(rig.bones.begin(), rig.bones.end(), [](const Bone& b) { return b.joint; });
    std::vector<std::vector<int>> children(size);
    std::vector<int> waiting;
    for (std::size_t b = size; b-- > 0;) {  // backwards: the last on the stack comes first
        const int parent = rig.bones[b].parent;
        if (parent < 0)
            waiting.push_back(static_cast<int>(b));
        else
            children[static_cast<std::size_t>(parent)].push_back(static_cast<int>(b));
    }
    Skeleton skeleton;
    std::vector<int> place(size, -1);  // of a bone, or of the nearest joint above it
    while (!waiting.empty()) {
        const int bone = waiting.back();
        waiting.pop_back();
        const auto b = static_cast<std::size_t>(bone);
        const int above =
            rig.bones[b].parent < 0 ? -1 : place[static_cast<std::size_t>(rig.bones[b].parent)];
        place[b] = above;
        if (all || rig.bones[b].joint) {
            place[b] = static_cast<int>(skeleton.bones.size());
            skeleton.bones.push_back(bone);
            skeleton.parents.push_back(above);
            skeleton.depths.push_back(above < 0 ? 1 : skeleton.depths[static_cast<std::size_t>(above)] + 1);
        }
        waiting.insert(waiting.end(), children[b].begin(), children[b].end());
    }
    return skeleton;
}

// A name that other readers understand: they take what is before the first blank.
std::string plainName(const std::string& name, std::unordered_set<std::string>& taken)
{
    std::string plain;
    for (std::size_t i = 0; i < name.size();) {
        const int length = utf8Length(std::string_view(name).substr(i));
        const bool good =
            length > 0 && static_cast<unsigned char>(name[i]) > ' ' && name[i] != '{' && name[i] != '}';
        const auto size = static_cast<std::size_t>(std::max(length, 1));
        plain += good ? name.substr(i, size) : "_";
        i += size;
    }
    std::string unique = plain;
    for (int n = 2; !taken.insert(unique).second; ++n) unique = plain + "_" + std::to_string(n);
    return unique;
}

class Writer {
public:
    Writer(const Rig& rig, const Clip& clip, const WriteOptions& options)
        : rig_(rig), clip_(clip), options_(options), skeleton_(skeletonOf(rig))
    {
    }

    Result<Document> run()
    {
        if (!settings() || !rest() || !sample()) return error_;
        if (options_.like != nullptr) indexLike();
        for (std::size_t j = 0; j < skeleton_.bones.size(); ++j) addJoint(j);
        const std::size_t width = document_.channelCount();
        if (width > 0 && static_cast<std::size_t>(document_.frames) > maxValues / width)
            return refuse("more numbers than a BVH file may have (16 million)"), error_;
        if (!fill(width)) return error_;
        return std::move(document_);
    }

private:
    bool refuse(std::string message)
    {
        error_.message = std::move(message);
        return false;
    }
    const Bone& bone(std::size_t joint) const
    {
        return rig_.bones[static_cast<std::size_t>(skeleton_.bones[joint])];
    }

    bool settings()
    {
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t axis = options_.order.size() == 3
                                         ? std::string_view("XYZ").find(options_.order[i])
                                         : std::string_view::npos;
            if (axis == std::string_view::npos || options_.order.find(options_.order[i]) != i)
                return refuse("the order of rotations is X, Y and Z in some order, such as ZXY, not " +
                              words::quoted(options_.order));
            order_[i] = static_cast<int>(axis);
        }
        double& time = document_.frameTime;
        if (options_.framesPerSecond != 0)
            time = 1 / options_.framesPerSecond;
        else
            time = options_.like != nullptr && options_.like->frameTime > 0 ? options_.like->frameTime
                                                                            : 1. / 30;
        if (!(time > 0 && time <= maxFrameTime)) return refuse("frames per second must be more than 0");
        if (skeleton_.bones.empty()) return refuse("there are no bones to write");
        if (skeleton_.bones.size() > maxJoints)
            return refuse("there are more than " + std::to_string(maxJoints) + " bones");
        if (*std::max_element(skeleton_.depths.begin(), skeleton_.depths.end()) > maxDepth)
            return refuse("bones are nested deeper than " + std::to_string(maxDepth) + " levels");
        // What lies a hair past the last frame is a rounding of times.
        constexpr double hair = 1e-6;
        const double frames = std::ceil(clip_.duration() / time - hair) + 1;
        if (!(frames * static_cast<double>(skeleton_.bones.size()) <= maxValues / 3.0 &&
              frames <= maxFrames))
            return refuse("the clip has more frames than a BVH file may have");
        document_.frames = static_cast<int>(std::max(frames, 1.0));
        return true;
    }

    bool even(const std::vector<BoneTransform>& local, const std::string& when)
    {
        const int bad = unevenlyScaled(rig_, local);
        if (bad < 0) return true;
        return refuse("bone " + words::quoted(rig_.bones[static_cast<std::size_t>(bad)].name) +
                      " is mirrored or scaled differently along its axes " + when +
                      ", which BVH cannot say");
    }

    bool rest()
    {
        const std::vector<BoneTransform> local = restPose(rig_);
        if (!even(local, "at rest")) return false;
        rest_ = worldFrames(rig_, local);
        double size = 0;  // of the skeleton, from its roots
        for (std::size_t j = 0; j < skeleton_.bones.size(); ++j) {
            std::size_t root = j;
            while (skeleton_.parents[root] >= 0) root = static_cast<std::size_t>(skeleton_.parents[root]);
            size = std::max(size, (restPlace(j) - restPlace(root)).norm());
            for (const Vec3& end : bone(j).ends) size = std::max(size, restVector(j, end).norm());
        }
        if (!(size <= maxNumber)) return refuse("lengths are too large to be written");
        size_ = size > 0 ? size : 1;
        lengthDecimals_ = std::clamp(-static_cast<int>(std::floor(std::log10(size_ * fineness))), -20, 20);
        return true;
    }
    const WorldFrame& restFrame(std::size_t joint) const
    {
        return rest_[static_cast<std::size_t>(skeleton_.bones[joint])];
    }
    const Vec3& restPlace(std::size_t joint) const { return restFrame(joint).pose.position; }
    // A vector of a bone's own frame, in the axes of the world at rest, which are the joint's.
    Vec3 restVector(std::size_t joint, const Vec3& vector) const
    {
        return restFrame(joint).pose.orientation * Vec3(restFrame(joint).scale * vector);
    }
    Vec3 offset(std::size_t joint) const
    {
        const int parent = skeleton_.parents[joint];
        return parent < 0 ? restPlace(joint)
                          : restPlace(joint) - restPlace(static_cast<std::size_t>(parent));
    }

    // All joints in all frames.
    bool sample()
    {
        const auto frames = static_cast<std::size_t>(document_.frames);
        courses_.resize(skeleton_.bones.size());
        for (Course& course : courses_) {
            course.rotation.resize(frames);
            course.position.resize(frames);
        }
        std::vector<Quat> turned(skeleton_.bones.size());  // W
        for (std::size_t f = 0; f < frames; ++f) {
            const double time = static_cast<double>(f) * document_.frameTime;
            const std::vector<BoneTransform> local = localPose(rig_, clip_, time);
            if (!even(local, "at " + std::to_string(time) + " s")) return false;
            const std::vector<WorldFrame> world = worldFrames(rig_, local);
            for (std::size_t j = 0; j < skeleton_.bones.size(); ++j) {
                const Pose& here = world[static_cast<std::size_t>(skeleton_.bones[j])].pose;
                turned[j] = here.orientation * restFrame(j).pose.orientation.conjugate();
                const int parent = skeleton_.parents[j];
                Quat back = Quat::Identity();
                Vec3 origin = Vec3::Zero();
                if (parent >= 0) {
                    const auto p = static_cast<std::size_t>(parent);
                    back = turned[p].conjugate();
                    origin = world[static_cast<std::size_t>(skeleton_.bones[p])].pose.position;
                }
                courses_[j].rotation[f] = back * turned[j];
                courses_[j].position[f] = back * (here.position - origin);
                if (!courses_[j].position[f].allFinite() || !courses_[j].rotation[f].coeffs().allFinite())
                    return refuse("bone " + words::quoted(bone(j).name) + " is at no finite place at " +
                                  std::to_string(time) + " s");
            }
        }
        return true;
    }

    void indexLike()
    {
        std::size_t column = 0;
        const std::size_t width = options_.like->channelCount();
        for (const Joint& joint : options_.like->joints) {
            like_[joint.name] = {&joint, column, width};
            names_.insert(joint.name);
            column += joint.channels.size();
        }
    }

    void addJoint(std::size_t j)
    {
        const auto found = like_.find(bone(j).name);
        const Known known = found == like_.end() ? Known{} : found->second;
        const Joint* const like = known.joint;
        Joint joint;
        joint.name = like != nullptr ? like->name : plainName(bone(j).name, names_);
        joint.parent = skeleton_.parents[j];
        const bool root = joint.parent < 0;
        if (!root || like != nullptr) joint.offset = roundedLength(offset(j));
        for (const Vec3& end : bone(j).ends) joint.ends.push_back(roundedLength(restVector(j, end)));
        const bool leaf = std::find(skeleton_.parents.begin(), skeleton_.parents.end(),
                                    static_cast<int>(j)) == skeleton_.parents.end();
        if (leaf && joint.ends.empty() && like == nullptr) joint.ends.push_back(Vec3::Zero());

        if (like != nullptr) joint.channels = like->channels;
        addPositions(joint, j, root && like == nullptr, like != nullptr);
        addRotations(joint, j, known);
        document_.joints.push_back(std::move(joint));
    }
    Vec3 roundedLength(const Vec3& v) const
    {
        return {rounded(v.x(), lengthDecimals_), rounded(v.y(), lengthDecimals_),
                rounded(v.z(), lengthDecimals_)};
    }
    static bool has(const Joint& joint, Channel channel)
    {
        return std::find(joint.channels.begin(), joint.channels.end(), channel) != joint.channels.end();
    }

    // Channels of position where they are wanted, or where the joint leaves its OFFSET; without a file to
    // keep to, of all axes or of none.
    void addPositions(Joint& joint, std::size_t j, bool wanted, bool single)
    {
        bool moves[3] = {wanted, wanted, wanted};
        const Vec3 home = offset(j);
        for (const Vec3& place : courses_[j].position)
            for (int axis = 0; axis < 3; ++axis)
                if (std::abs(place[axis] - home[axis]) > steady * size_) moves[axis] = true;
        const bool any = moves[0] || moves[1] || moves[2];
        for (int axis = 0; axis < 3; ++axis) {
            const auto channel = static_cast<Channel>(axis);
            if ((single ? moves[axis] : any) && !has(joint, channel)) joint.channels.push_back(channel);
        }
    }

    // A joint of the file to keep to, and where its numbers stand in a frame.
    struct Known {
        const Joint* joint = nullptr;
        std::size_t column = 0, width = 0;
    };
    // Its angles in a frame, in the order in which they are given; what has no channel is zero.
    Vec3 knownAngles(const Known& known, std::size_t frame) const
    {
        Vec3 angles = Vec3::Zero();
        std::size_t given = 0;
        for (std::size_t c = 0; c < known.joint->channels.size(); ++c)
            if (isRotation(known.joint->channels[c]))
                angles[given++] = options_.like->values[frame * known.width + known.column + c] * pi / 180;
        return angles;
    }

    // The angles of all frames, and the channels that they need. A joint of the file that has fewer than
    // three keeps them if its rotations can be said with them: the missing axes go behind. Frames in which
    // it moves as in the file keep the file's angles, so that what was not touched does not change.
    void addRotations(Joint& joint, std::size_t j, const Known& known)
    {
        AxisOrder order{};
        std::size_t size = 0;
        for (Channel channel : joint.channels)
            if (isRotation(channel)) order[size++] = axisOf(channel);
        const std::size_t given = size;
        for (int axis : order_)
            if (std::find(order.begin(), order.begin() + size, axis) == order.begin() + size)
                order[size++] = axis;

        std::vector<Vec3>& angles = angles_.emplace_back(courses_[j].rotation.size());
        std::size_t frames = 0;  // that are the file's too
        if (known.joint != nullptr && options_.like->frameTime == document_.frameTime)
            frames = static_cast<std::size_t>(options_.like->frames);
        Vec3 near = frames > 0 ? knownAngles(known, 0) : Vec3::Zero();
        std::size_t needed = known.joint == nullptr ? 3 : given;
        for (std::size_t f = 0; f < angles.size(); ++f) {
            const Quat& rotation = courses_[j].rotation[f];
            if (f < frames && says(rotation, order, knownAngles(known, f)))
                near = knownAngles(known, f);
            else
                near = eulerAngles(rotation, order, near);
            angles[f] = near;
            for (std::size_t i = needed; i < 3; ++i)
                if (std::abs(near[i]) > unturned) needed = i + 1;
        }
        for (std::size_t i = given; i < needed; ++i)
            joint.channels.push_back(static_cast<Channel>(static_cast<int>(Channel::xRotation) + order[i]));
        for (Vec3& v : angles) {  // from now on by axis
            const Vec3 inOrder = v;
            for (std::size_t i = 0; i < 3; ++i) v[order[i]] = inOrder[i];
        }
    }
    static bool says(const Quat& rotation, const AxisOrder& order, const Vec3& angles)
    {
        const Quat said = turn(order[0], angles[0]) * turn(order[1], angles[1]) * turn(order[2], angles[2]);
        return logRotation(said.conjugate() * rotation).norm() < unturned;
    }
    bool fill(std::size_t width)
    {
        document_.values.reserve(width * static_cast<std::size_t>(document_.frames));
        for (std::size_t f = 0; f < static_cast<std::size_t>(document_.frames); ++f) {
            for (std::size_t j = 0; j < document_.joints.size(); ++j) {
                for (Channel channel : document_.joints[j].channels) {
                    const int axis = axisOf(channel);
                    const double value = isRotation(channel)
                                             ? rounded(angles_[j][f][axis] * 180 / pi, angleDecimals)
                                             : rounded(courses_[j].position[f][axis], lengthDecimals_);
                    if (!(std::abs(value) <= maxNumber))
                        return refuse("bone " + words::quoted(bone(j).name) +
                                      " is farther away than can be written");
                    document_.values.push_back(value);
                }
            }
        }
        return true;
    }

    const Rig& rig_;
    const Clip& clip_;
    const WriteOptions& options_;
    const Skeleton skeleton_;
    AxisOrder order_{};
    std::vector<WorldFrame> rest_;
    double size_ = 1;
    int lengthDecimals_ = 0;
    std::vector<Course> courses_;            // per joint
    std::vector<std::vector<Vec3>> angles_;  // per joint and frame, rad
    std::unordered_map<std::string, Known> like_;
    std::unordered_set<std::string> names_;  // that are taken
    Document document_;
    Diagnostic error_;
};

}  // namespace

Result<Document> fromRig(const Rig& rig, const Clip& clip, const WriteOptions& options)
{
    return Writer(rig, clip, options).run();
}

}  // namespace sinew::bvh
