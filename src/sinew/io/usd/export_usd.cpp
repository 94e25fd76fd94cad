#include "sinew/io/usd/export_usd.h"

#include <cmath>

#include "sinew/io/file_error.h"
#include "sinew/io/usd/meshes.h"
#include "sinew/io/usd/points.h"
#include "sinew/io/usd/skeleton.h"
#include "sinew/io/usd/usd_text.h"
#include "sinew/rig/resample.h"
#include "sinew/rig/run_rig.h"
#include "sinew/rig/surface.h"
#include "sinew/rig/tone.h"

namespace sinew {
namespace {

template <class Items, class Text>
std::string list(const Items& items, Text textOf)
{
    return UsdText::list(items.size(), [&](std::size_t i) { return textOf(items[i]); });
}

std::string count(int n)
{
    return std::to_string(n);
}

void writeColor(UsdText& text, const Vec3& color)
{
    text.line("color3f[] primvars:displayColor = [" + UsdText::singles(color) + "]");
}

void writeExtent(UsdText& text, const Vec3& low, const Vec3& high)
{
    text.line("float3[] extent = [" + UsdText::singles(low) + ", " + UsdText::singles(high) + "]");
}

void writePlace(UsdText& text, const Pose& pose, const Vec3& scale = Vec3::Ones())
{
    const bool isScaled = scale != Vec3::Ones();
    text.line("quatf xformOp:orient = " + UsdText::singles(pose.orientation.normalized()));
    if (isScaled) text.line("float3 xformOp:scale = " + UsdText::singles(scale));
    text.line("double3 xformOp:translate = " + UsdText::tuple(pose.position));
    text.line(std::string("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"") +
              (isScaled ? ", \"xformOp:scale\"]" : "]"));
}

void writeMesh(UsdText& text, const Surface& surface)
{
    Vec3 low = surface.points.front(), high = low;
    for (const Vec3& point : surface.points) {
        low = low.cwiseMin(point);
        high = high.cwiseMax(point);
    }
    std::vector<int> corners;
    for (const auto& face : surface.faces) corners.insert(corners.end(), face.begin(), face.end());
    const auto singles = [](const Vec3& v) { return UsdText::singles(v); };
    writeExtent(text, low, high);
    text.line("int[] faceVertexCounts = " + list(std::vector<int>(surface.faces.size(), 3), count));
    text.line("int[] faceVertexIndices = " + list(corners, count));
    text.line("normal3f[] normals = " + list(surface.normals, singles) + " (");
    text.line("    interpolation = \"vertex\"");
    text.line(")");
    text.line("point3f[] points = " + list(surface.points, singles));
    text.line("uniform token subdivisionScheme = \"none\"");
}

// A shape as one of USD's own solids; a mesh where there is none.
struct WriteShape {
    UsdText& text;
    const std::string& name;
    const Pose& pose;
    const Vec3& color;

    void begin(const char* type, const Vec3& half) const
    {
        text.open(type, name);
        writeExtent(text, -half, half);
        writeColor(text, color);
    }
    void end(const Vec3& scale = Vec3::Ones()) const
    {
        writePlace(text, pose, scale);
        text.close();
    }
    void number(const char* declaration, double value) const
    {
        text.line(std::string(declaration) + " = " + UsdText::number(value));
    }
    void operator()(const Sphere& s) const
    {
        begin("Sphere", Vec3::Constant(s.radius));
        number("double radius", s.radius);
        end();
    }
    void operator()(const Ellipsoid& e) const
    {
        begin("Sphere", Vec3::Ones());
        number("double radius", 1);
        end(e.radii);
    }
    void operator()(const Box& box) const
    {
        begin("Cube", Vec3::Constant(0.5));
        number("double size", 1);
        end(box.size);
    }
    void operator()(const Capsule& c) const
    {
        begin("Capsule", {c.radius, c.length / 2 + c.radius, c.radius});
        text.line("uniform token axis = \"Y\"");
        number("double height", c.length);
        number("double radius", c.radius);
        end();
    }
    void operator()(const Cylinder& c) const
    {
        begin("Cylinder", {c.radius, c.length / 2, c.radius});
        text.line("uniform token axis = \"Y\"");
        number("double height", c.length);
        number("double radius", c.radius);
        end();
    }
    void operator()(const ConvexMesh& mesh) const { writeSurface(surfaceOf(Shape(mesh)), false); }
    void writeSurface(const Surface& surface, bool bothSides) const
    {
        if (surface.faces.empty()) return;
        text.open("Mesh", name);
        if (bothSides) text.line("uniform bool doubleSided = 1");
        writeMesh(text, surface);
        writeColor(text, color);
        end();
    }
};

void writeObstacles(UsdText& text, const Description& description, const std::vector<std::string>& names,
                    double reach)
{
    const Vec3 color = obstacleTone();
    for (std::size_t o = 0; o < description.obstacles.size(); ++o) {
        const ObstacleDescription& obstacle = description.obstacles[o];
        const Pose frame = frameOf(obstacle);
        const WriteShape writer{text, names[o], frame, color};
        if (obstacle.type == ObstacleDescription::Type::sphere)
            writer(Sphere{obstacle.radius});
        else if (obstacle.type == ObstacleDescription::Type::shape)
            std::visit(writer, obstacle.shape);
        else
            writer.writeSurface(surfaceOf(obstacle, reach), true);
    }
}

// The name that a prim could not bear is kept beside it.
std::vector<std::string> keepName(const std::string& name, const std::string& prim)
{
    if (name == prim) return {};
    return {"customData = {", "    string name = " + UsdText::quoted(name), "}"};
}

void writeBodies(UsdText& text, const Description& description, const Trajectory& motion,
                 const RunRig& figure, const std::vector<std::string>& names,
                 const std::vector<double>& codes)
{
    for (std::size_t b = 0; b < figure.bones.size(); ++b) {
        const BodyDescription& body = description.bodies[b];
        text.open("Xform", names[b], keepName(body.name, names[b]));
        const std::vector<Track> tracks = tracksOf(figure, motion, b);  // of a root: both, place and turn
        text.samples("quatf xformOp:orient", codes, [&](std::size_t k) {
            const Vec4& q = tracks[1].values[k];
            return UsdText::singles(Quat(q[3], q[0], q[1], q[2]));
        });
        text.samples("double3 xformOp:translate", codes,
                     [&](std::size_t k) { return UsdText::tuple(tracks[0].values[k].head<3>()); });
        text.line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]");
        const Vec3 color = toneOf(figure, b);
        for (std::size_t s = 0; s < body.shapes.size(); ++s) {
            const std::string name = names[b] + "_shape" + std::to_string(s);
            std::visit(WriteShape{text, name, body.shapes[s].pose, color}, body.shapes[s].shape);
        }
        text.close();
    }
}

// All bodies as one mesh in the rest pose; each point follows one joint.
void writeSkin(UsdText& text, const Description& description, const RunRig& figure, const std::string& path)
{
    Surface skin;
    std::vector<int> joints;
    std::vector<Vec3> colors;
    for (std::size_t b = 0; b < figure.bones.size(); ++b) {
        const BodyDescription& body = description.bodies[figure.bodies[b]];
        append(skin, surfaceOf(body), body.pose);
        joints.resize(skin.points.size(), static_cast<int>(b));
        colors.resize(skin.points.size(), toneOf(figure, b));
    }
    if (skin.faces.empty()) return;
    text.open("Mesh", "Skin", {"prepend apiSchemas = [\"SkelBindingAPI\"]"});
    writeMesh(text, skin);
    text.line("color3f[] primvars:displayColor = " +
              list(colors, [](const Vec3& v) { return UsdText::singles(v); }) + " (");
    text.line("    interpolation = \"vertex\"");
    text.line(")");
    text.line(
        "matrix4d primvars:skel:geomBindTransform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, "
        "1) )");
    text.line("int[] primvars:skel:jointIndices = " + list(joints, count) + " (");
    text.line("    elementSize = 1");
    text.line("    interpolation = \"vertex\"");
    text.line(")");
    text.line("float[] primvars:skel:jointWeights = " + list(std::vector<int>(joints.size(), 1), count) +
              " (");
    text.line("    elementSize = 1");
    text.line("    interpolation = \"vertex\"");
    text.line(")");
    text.line("rel skel:skeleton = <" + path + "/Skeleton>");
    text.close();
}

// Frames on the grid get whole numbers.
std::vector<double> codesOf(const std::vector<double>& times, double fps)
{
    std::vector<double> codes;
    for (double time : times) {
        const double code = time * fps, whole = std::round(code);
        codes.push_back(std::abs(code - whole) <= frameSlack * fps ? whole : code);
    }
    return codes;
}

Result<std::uint64_t> finished(UsdText& text)
{
    const std::string fault = text.finish();
    if (!fault.empty()) return Diagnostic{fault};
    return text.size();
}

// The particles of a file, whose frames are `start` later than the codes' zero.
std::optional<Diagnostic> writeParticles(UsdText& text, const std::string& path, double start, double fps,
                                         const std::vector<std::string>& taken)
{
    Result<PointsReader> points = PointsReader::open(path);
    if (!points) return points.error();
    std::vector<double> times;
    for (std::uint64_t k = 0; k < points.value().frames(); ++k) {
        const Result<PointsReader::Outline> outline = points.value().outline(k);
        if (!outline) return outline.error();
        times.push_back(outline.value().time - start);
    }
    std::vector<std::string> names = taken;
    for (const PointsHeader::System& system : points.value().header().systems) names.push_back(system.name);
    names = usdNames(names);
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(taken.size()));
    return writePoints(text, names, points.value(), codesOf(times, fps));
}

// The spring meshes of a file, likewise.
std::optional<Diagnostic> writeMeshes(UsdText& text, const std::string& path, double start, double fps,
                                      const std::vector<std::string>& taken)
{
    Result<MeshFileReader> meshes = MeshFileReader::open(path);
    if (!meshes) return meshes.error();
    std::vector<double> times;
    std::vector<float> places;
    for (std::uint64_t k = 0; k < meshes.value().frames(); ++k) {
        double time = 0;
        if (const auto fault = meshes.value().frame(k, time, places)) return fault;
        times.push_back(time - start);
    }
    std::vector<std::string> names = taken;
    for (const MeshFileHeader::Mesh& mesh : meshes.value().header().meshes) names.push_back(mesh.name);
    names = usdNames(names);
    names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(taken.size()));
    return writeMeshPrims(text, names, meshes.value(), codesOf(times, fps));
}

}  // namespace

Result<std::uint64_t> writeRunUsd(const std::string& path, const Description& description,
                                  const Trajectory& motion, const UsdRunOptions& options)
{
    SINEW_ASSERT(!motion.empty() && motion.front().bodies.size() == description.bodies.size());
    if (!(options.fps > 0 && std::isfinite(options.fps))) return settingFault("fps", "must be more than 0");
    Result<RunRig> made = options.skeleton ? figureOf(description) : bodiesOf(description);
    if (!made) return made.error();
    const RunRig& figure = made.value();

    std::vector<double> times;
    for (const Frame& frame : motion) times.push_back(frame.time - motion.front().time);
    const std::vector<double> codes = codesOf(times, options.fps);
    std::vector<std::string> names = {description.name.empty() ? "run" : description.name};
    for (const Bone& bone : figure.bones) names.push_back(bone.name);
    for (const ObstacleDescription& obstacle : description.obstacles)
        names.push_back(obstacle.name.empty() ? "obstacle" : obstacle.name);
    names = usdNames(names);
    const std::string root = names.front();
    const auto obstacles = names.begin() + 1 + static_cast<std::ptrdiff_t>(figure.bones.size());

    UsdText text(path, {root, options.fps, 1, codes.back()});
    text.open(options.skeleton ? "SkelRoot" : "Xform", root);
    if (options.skeleton) {
        const Result<Rig> rig = rigOf(description, motion);
        if (!rig) return rig.error();
        if (const auto fault = tooDeepForUsd(rig.value())) return *fault;
        writeSkeleton(text, "/" + root, rig.value(), rig.value().clips.front(), times, codes);
        writeSkin(text, description, figure, "/" + root);
    } else {
        writeBodies(text, description, motion, figure, {names.begin() + 1, obstacles}, codes);
    }
    if (options.obstacles) writeObstacles(text, description, {obstacles, names.end()}, planeReach(motion));
    if (!options.particles.empty())
        if (const auto fault =
                writeParticles(text, options.particles, motion.front().time, options.fps, names))
            return *fault;
    if (!options.meshes.empty())
        if (const auto fault = writeMeshes(text, options.meshes, motion.front().time, options.fps, names))
            return *fault;
    text.close();
    return finished(text);
}

Result<std::uint64_t> writeRigUsd(const std::string& path, const Rig& rig, int clip, double fps,
                                  double metersPerUnit)
{
    if (!(fps > 0 && std::isfinite(fps))) return settingFault("fps", "must be more than 0");
    const Clip still;
    const Clip& chosen = clip < 0 ? still : rig.clips[static_cast<std::size_t>(clip)];
    const double count = clip < 0 ? 0 : std::floor((chosen.duration() + frameSlack) * fps) + 1;
    constexpr double mostPoses = 2e7;  // a gigabyte or two of text
    if (count * static_cast<double>(rig.bones.size()) > mostPoses)
        return settingFault("fps", "gives more than 20 million poses; take fewer frames a second");
    if (const auto fault = tooDeepForUsd(rig)) return *fault;
    std::vector<double> times, codes;
    for (double k = 0; k < count; ++k) {
        times.push_back(k / fps);
        codes.push_back(k);
    }
    UsdText text(path, {"Character", fps, metersPerUnit, codes.empty() ? 0 : codes.back()});
    text.open("SkelRoot", "Character");
    writeSkeleton(text, "/Character", rig, chosen, times, codes);
    text.close();
    return finished(text);
}

}  // namespace sinew
