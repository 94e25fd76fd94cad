#include "sinew/io/gltf/export_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "sinew/io/binary/mesh_file.h"
#include "sinew/io/gltf/glb_builder.h"
#include "sinew/rig/run_rig.h"
#include "sinew/rig/surface.h"
#include "sinew/rig/tone.h"

namespace sinew {
namespace {

json::Value vectorOf(const Vec3& v)
{
    return json::Value::array({v.x(), v.y(), v.z()});
}

json::Value nodeAt(const std::string& name, const Vec3& translation, const Quat& rotation)
{
    json::Value node = json::Value::object();
    node.add("name", name);
    if (!translation.isZero(0)) node.add("translation", vectorOf(translation));
    if (rotation.coeffs() != Quat::Identity().coeffs())
        node.add("rotation", json::Value::array({rotation.x(), rotation.y(), rotation.z(), rotation.w()}));
    return node;
}

json::Value painted(json::Value primitive, int material)
{
    primitive.add("material", material);
    return primitive;
}

// What a surface was made of, so that the same one is made once.
std::string fingerprint(const Surface& surface)
{
    std::string bytes;
    for (const Vec3& point : surface.points)
        for (double x : point) appendFloat(bytes, x);
    for (const auto& face : surface.faces)
        for (int corner : face) appendUint32(bytes, static_cast<std::uint32_t>(corner));
    return bytes;
}

// Keys of its own times take room for these as well; tracks with all keys share one list of times.
bool isSmaller(const Track& reduced, const Track& whole)
{
    const std::size_t numbers = whole.quantity == Track::Quantity::rotation ? 4 : 3;
    return reduced.times.size() * (numbers + 1) < whole.times.size() * numbers;
}

// Colours of spring meshes, as the page has them.
Vec3 meshTone(std::size_t number)
{
    static const Vec3 tones[] = {
        {0.33, 0.08, 0.11}, {0.08, 0.21, 0.16}, {0.21, 0.14, 0.39}, {0.46, 0.25, 0.05}};
    return tones[number % std::size(tones)];
}

// A spring mesh in one of its frames, with smooth normals.
Surface surfaceOf(const MeshFileHeader::Mesh& mesh, std::size_t first, const std::vector<float>& places)
{
    Surface surface;
    for (std::size_t i = first; i < first + mesh.vertices; ++i)
        surface.points.push_back(Vec3(places[3 * i], places[3 * i + 1], places[3 * i + 2]));
    surface.normals.assign(mesh.vertices, Vec3::Zero());
    for (const auto& [a, b, c] : mesh.faces) {
        surface.faces.push_back({static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)});
        const Vec3 normal =
            (surface.points[b] - surface.points[a]).cross(surface.points[c] - surface.points[a]);
        for (std::uint32_t corner : {a, b, c}) surface.normals[corner] += normal;
    }
    for (Vec3& normal : surface.normals) normal = normal.norm() > 0 ? normal.normalized() : Vec3::UnitY();
    return surface;
}

class RunWriter {
public:
    RunWriter(const Description& description, const Trajectory& motion, const RunRig& figure,
              const GlbRunOptions& options)
        : description_(description),
          motion_(motion),
          figure_(figure),
          options_(options),
          builder_(motion.size() * figure.bones.size() * bytesPerPose)
    {
        std::vector<std::string> names;
        for (const Bone& bone : figure.bones) names.push_back(bone.name);
        for (const ObstacleDescription& obstacle : description.obstacles)
            names.push_back(obstacle.name.empty() ? "obstacle" : obstacle.name);
        names.push_back(description.name.empty() ? "figure" : description.name);
        names.push_back(names.back() + " skin");
        names_ = ownNames(std::move(names));
    }

    Result<Glb> write()
    {
        if (options_.skeleton)
            addSkeleton();
        else
            addBodies();
        if (options_.obstacles) addObstacles();
        if (!options_.meshes.empty())
            if (const auto fault = addMeshes()) return *fault;
        if (motion_.size() > 1) addMotion();
        return builder_.finish(description_.name, description_.name.empty() ? "motion" : description_.name,
                               roots_);
    }

private:
    // Two times, a place and a quaternion in single precision.
    static constexpr std::size_t bytesPerPose = 4 * (2 + 3 + 4);

    std::size_t boneCount() const { return figure_.bones.size(); }
    const std::string& obstacleName(std::size_t o) const { return names_[boneCount() + o]; }
    const std::string& figureName() const { return names_[names_.size() - 2]; }
    const std::string& skinName() const { return names_.back(); }
    const BodyDescription& bodyOf(std::size_t bone) const
    {
        return description_.bodies[figure_.bodies[bone]];
    }
    Pose restOf(std::size_t bone) const { return bodyOf(bone).pose * figure_.inBody[bone]; }

    int materialOf(const Vec3& tone, const std::string& name, bool bothSides)
    {
        const std::array<double, 3> key = {tone.x(), tone.y(), tone.z()};
        const auto [place, isNew] = materials_.try_emplace(key, 0);
        if (isNew) place->second = builder_.addMaterial(name, tone, bothSides);
        return place->second;
    }

    json::Value boneNode(std::size_t bone) const
    {
        const BoneTransform& rest = figure_.bones[bone].rest;
        return nodeAt(names_[bone], rest.translation, rest.rotation);
    }

    void addBodies()
    {
        std::map<std::string, json::Value> primitives;             // by what the surface was made of
        std::map<std::pair<const json::Value*, int>, int> meshes;  // by primitive and material
        for (std::size_t b = 0; b < boneCount(); ++b) {
            json::Value node = boneNode(b);
            const Surface surface = surfaceOf(bodyOf(b));
            if (!surface.faces.empty()) {
                const int material = materialOf(toneOf(figure_, b), names_[b], false);
                const auto [primitive, isNew] = primitives.try_emplace(fingerprint(surface));
                if (isNew) primitive->second = builder_.addSurface(surface);
                const auto [mesh, isNewMesh] = meshes.try_emplace({&primitive->second, material}, 0);
                if (isNewMesh) mesh->second = addMesh(names_[b], {painted(primitive->second, material)});
                node.add("mesh", mesh->second);
            }
            roots_.push_back(builder_.addNode(std::move(node)));
            nodes_.push_back(roots_.back());
        }
    }

    // Below one node, the armature, since the joints of a skin must have a common root.
    void addSkeleton()
    {
        std::vector<std::vector<int>> children(boneCount() + 1);  // the last: of the armature
        for (std::size_t b = 0; b < boneCount(); ++b) {
            const int parent = figure_.bones[b].parent;
            children[parent < 0 ? boneCount() : static_cast<std::size_t>(parent)].push_back(
                static_cast<int>(b));
        }
        for (std::size_t b = 0; b <= boneCount(); ++b) {
            json::Value node =
                b < boneCount() ? boneNode(b) : nodeAt(figureName(), Vec3::Zero(), Quat::Identity());
            if (!children[b].empty()) node.add("children", numberList(children[b]));
            nodes_.push_back(builder_.addNode(std::move(node)));
        }
        const int armature = nodes_.back();
        nodes_.pop_back();
        roots_.push_back(armature);
        addSkin(armature);
    }

    void addSkin(int armature)
    {
        // One primitive for each colour, all in the rest pose of the world.
        struct Part {
            Surface surface;
            std::vector<int> bones;
        };
        std::map<int, Part> parts;
        std::vector<Pose> rest;
        for (std::size_t b = 0; b < boneCount(); ++b) {
            rest.push_back(restOf(b));
            const Surface surface = surfaceOf(bodyOf(b));
            if (surface.faces.empty()) continue;
            Part& part = parts[materialOf(toneOf(figure_, b), names_[b], false)];
            append(part.surface, surface, bodyOf(b).pose);
            part.bones.resize(part.surface.points.size(), static_cast<int>(b));
        }
        json::Value skin = json::Value::object();
        skin.add("name", skinName());
        skin.add("inverseBindMatrices", builder_.addInverseBind(rest));
        skin.add("skeleton", armature);
        skin.add("joints", numberList(nodes_));
        const int skinNumber = builder_.addSkin(std::move(skin));
        if (parts.empty()) return;
        std::vector<json::Value> primitives;
        for (const auto& [material, part] : parts)
            primitives.push_back(painted(builder_.addSurface(part.surface, &part.bones), material));
        json::Value node = nodeAt(skinName(), Vec3::Zero(), Quat::Identity());
        node.add("mesh", addMesh(skinName(), std::move(primitives)));
        node.add("skin", skinNumber);
        roots_.push_back(builder_.addNode(std::move(node)));
    }

    void addObstacles()
    {
        const double reach = planeReach(motion_);
        for (std::size_t o = 0; o < description_.obstacles.size(); ++o) {
            const ObstacleDescription& obstacle = description_.obstacles[o];
            const Surface surface = surfaceOf(obstacle, reach);
            if (surface.faces.empty()) continue;
            const Pose frame = frameOf(obstacle);
            json::Value node = nodeAt(obstacleName(o), frame.position, frame.orientation);
            const int material = materialOf(obstacleTone(), "ground", true);
            node.add("mesh", addMesh(obstacleName(o), {painted(builder_.addSurface(surface), material)}));
            roots_.push_back(builder_.addNode(std::move(node)));
        }
    }

    // Spring meshes: the first frame as it is, the others as morph targets that follow each other.
    std::optional<Diagnostic> addMeshes()
    {
        Result<MeshFileReader> opened = MeshFileReader::open(options_.meshes);
        if (!opened) return opened.error();
        MeshFileReader& reader = opened.value();
        if (reader.frames() == 0) return {};
        const std::uint64_t most = GlbRunOptions::mostMorphs, every = (reader.frames() + most - 1) / most;
        std::vector<double> times;
        std::vector<std::vector<float>> frames;
        for (std::uint64_t k = 0; k < reader.frames(); k += every) {
            double time = 0;
            if (const auto fault = reader.frame(k, time, frames.emplace_back())) return fault;
            times.push_back(time - motion_.front().time);
        }
        std::size_t first = 0;
        for (std::size_t m = 0; m < reader.header().meshes.size(); ++m) {
            const MeshFileHeader::Mesh& mesh = reader.header().meshes[m];
            if (!mesh.faces.empty()) addMorphingMesh(mesh, m, first, times, frames);
            first += mesh.vertices;
        }
        return {};
    }

    void addMorphingMesh(const MeshFileHeader::Mesh& mesh, std::size_t number, std::size_t first,
                         const std::vector<double>& times, const std::vector<std::vector<float>>& frames)
    {
        const Surface start = surfaceOf(mesh, first, frames.front());
        json::Value targets = json::Value::array(), weights = json::Value::array();
        json::Value primitive =
            painted(builder_.addSurface(start), materialOf(meshTone(number), mesh.name, true));
        for (std::size_t k = 1; k < frames.size(); ++k) {
            builder_.addMorph(start, surfaceOf(mesh, first, frames[k]), targets);
            weights.add(0);
        }
        json::Value made = json::Value::object();
        made.add("name", mesh.name);
        const bool moves = frames.size() > 1;
        if (moves) primitive.add("targets", std::move(targets));
        made.add("primitives", json::Value::array({std::move(primitive)}));
        if (moves) made.add("weights", std::move(weights));
        json::Value node = nodeAt(mesh.name, Vec3::Zero(), Quat::Identity());
        node.add("mesh", builder_.addMesh(std::move(made)));
        roots_.push_back(builder_.addNode(std::move(node)));
        if (moves) builder_.addMorphTimes(times, roots_.back());
    }

    int addMesh(const std::string& name, std::vector<json::Value> primitives)
    {
        json::Value mesh = json::Value::object();
        mesh.add("name", name);
        mesh.add("primitives", json::Value::array(std::move(primitives)));
        return builder_.addMesh(std::move(mesh));
    }

    // Bone by bone, so that the motion is never held twice.
    void addMotion()
    {
        const bool reduces = options_.bounds.length > 0 || options_.bounds.angle > 0;
        for (std::size_t b = 0; b < boneCount(); ++b)
            for (const Track& track : tracksOf(figure_, motion_, b)) {
                const Track reduced = reduces ? reduceKeys(track, options_.bounds) : Track{};
                builder_.addTrack(reduces && isSmaller(reduced, track) ? reduced : track, nodes_[b]);
            }
    }

    const Description& description_;
    const Trajectory& motion_;
    const RunRig& figure_;
    const GlbRunOptions& options_;
    GlbBuilder builder_;
    std::vector<std::string> names_;  // of bones, obstacles, the figure and its skin
    std::vector<int> nodes_;          // of the bones
    std::vector<int> roots_;
    std::map<std::array<double, 3>, int> materials_;
};

}  // namespace

std::vector<std::string> ownNames(std::vector<std::string> names)
{
    const std::set<std::string> given(names.begin(), names.end());
    std::set<std::string> used;
    for (std::string& name : names) {
        if (name.empty()) name = "unnamed";
        const std::string base = name;
        // A made-up name must not be one that somebody else was given.
        for (int n = 1; used.contains(name) || (name != base && given.contains(name)); ++n) {
            const std::string number = std::to_string(n);
            name = base + "." + std::string(number.size() < 3 ? 3 - number.size() : 0, '0') + number;
        }
        used.insert(name);
    }
    return names;
}

Result<Glb> runGlb(const Description& description, const Trajectory& motion, const GlbRunOptions& options)
{
    SINEW_ASSERT(!motion.empty() && motion.front().bodies.size() == description.bodies.size());
    Result<RunRig> figure = options.skeleton ? figureOf(description) : bodiesOf(description);
    if (!figure) return figure.error();
    return RunWriter(description, motion, figure.value(), options).write();
}

}  // namespace sinew
