#include "sinew/io/gltf/vrm.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sinew/io/gltf/cursor.h"

namespace sinew {
namespace gltf {
namespace {

constexpr double framesPerSecond = 60;  // that VRM's numbers are meant for
constexpr double lengthOfEnds = 0.07;   // m: VRM's own, of bones that nothing hangs from

struct SpringValues {
    double stiffness = 1, drag = 0.4, radius = 0;
};

class SpringReader {
public:
    SpringReader(const GltfFile& file, const GltfCharacter& character)
        : file_(file), character_(character), frames_(worldFrames(character.rig, restPose(character.rig)))
    {
    }

    std::vector<SpringBone> run(const Cursor& root)
    {
        const Cursor extensions = root["extensions"];
        if (!extensions.isThere()) return {};
        if (const Cursor old = extensions["VRM"]; old.isThere()) readOld(old);
        if (const Cursor now = extensions["VRMC_springBone"]; now.isThere()) readNow(now);
        return std::move(out_);
    }

private:
    // All that hangs from the bones of a group.
    void readOld(const Cursor& vrm)
    {
        const Cursor moving = vrm["secondaryAnimation"];
        if (!moving.isThere()) return;
        const Cursor groups = moving["boneGroups"];
        groups.items([&](const Cursor& group, std::size_t) {
            // The standard spells it so.
            const SpringValues values = read(group, "stiffiness");
            const Cursor bones = group["bones"];
            bones.items([&](const Cursor& bone, std::size_t) { addTree(node(bone), values); });
        });
    }

    // Chains of joints, the last of which is where the one before ends.
    void readNow(const Cursor& extension)
    {
        const Cursor springs = extension["springs"];
        springs.items([&](const Cursor& spring, std::size_t) {
            const Cursor joints = spring["joints"];
            int before = -1;
            SpringValues values;
            joints.items([&](const Cursor& joint, std::size_t) {
                const int here = node(joint.required("node"));
                if (before >= 0) add(before, here, values);
                before = here;
                values = read(joint, "stiffness");
            });
        });
    }

    int node(const Cursor& c) const
    {
        // −1 is VRM's word for none, too.
        if (c.number() == -1) return -1;
        return c.index(file_.document.nodes.size(), "node");
    }

    static SpringValues read(const Cursor& c, const char* stiffness)
    {
        SpringValues values;
        const auto value = [&](const char* key, double otherwise, double most) {
            const Cursor found = c[key];
            const double x = found.number(otherwise);
            if (!(x >= 0 && x <= most))
                found.fail("is " + json::numberText(x) + "; it must be from 0 to " +
                           json::numberText(most));
            return x;
        };
        values.stiffness = value(stiffness, values.stiffness, 1e6);
        values.drag = value("dragForce", values.drag, 1);
        values.radius = value("hitRadius", 0, 1e6);
        return values;
    }

    void addTree(int root, const SpringValues& values)
    {
        std::vector<int> open{root};
        while (!open.empty()) {
            const int here = open.back();
            open.pop_back();
            if (here < 0) continue;
            const std::vector<int>& children =
                file_.document.nodes[static_cast<std::size_t>(here)].children;
            add(here, children.empty() ? -1 : children.front(), values);
            open.insert(open.end(), children.rbegin(), children.rend());
        }
    }

    void add(int node, int end, const SpringValues& values)
    {
        if (node < 0) return;
        const int bone = character_.boneOfNode[static_cast<std::size_t>(node)];
        if (bone < 0 || !known_.insert(bone).second) return;
        const int tip = end < 0 ? -1 : character_.boneOfNode[static_cast<std::size_t>(end)];
        double length = lengthOfEnds;
        if (tip >= 0)
            length = (frames_[static_cast<std::size_t>(tip)].pose.position -
                      frames_[static_cast<std::size_t>(bone)].pose.position)
                         .norm();
        if (!(length > 1e-6)) length = lengthOfEnds;
        SpringBone out;
        out.bone = bone;
        // As slow as a joint may be, where nothing pulls it back.
        const double speed = std::max(std::sqrt(framesPerSecond * values.stiffness / length), 0.1);
        const double rate = -framesPerSecond * std::log(1 - std::min(values.drag, 0.99));
        out.frequency = speed / (2 * pi);
        out.damping = std::min(rate / (2 * speed), 10.0);
        out.radius = values.radius;
        out_.push_back(out);
    }

    const GltfFile& file_;
    const GltfCharacter& character_;
    std::vector<WorldFrame> frames_;
    std::vector<SpringBone> out_;
    std::set<int> known_;
};

}  // namespace
}  // namespace gltf

Result<std::vector<SpringBone>> springBones(const GltfFile& file, const GltfCharacter& character)
{
    const Result<json::Value> root = json::parse(file.container.json, file.name);
    if (!root) return root.error();
    try {
        return gltf::SpringReader(file, character).run(gltf::Cursor(root.value()));
    } catch (gltf::Fault& fault) {
        fault.error.file = file.name;
        return fault.error;
    }
}

}  // namespace sinew
