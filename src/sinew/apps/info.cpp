// sinew info: what is in a file.
#include <fmt/core.h>

#include "sinew/apps/bone_rules.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/binary/mesh_file.h"
#include "sinew/io/binary/points_file.h"
#include "sinew/io/binary/trajectory_file.h"
#include "sinew/io/character_file.h"
#include "sinew/io/format.h"
#include "sinew/io/json/json.h"
#include "sinew/rig/resample.h"

namespace sinew {
namespace {

int describeCharacter(const std::string& path, bool asJson)
{
    Result<CharacterFile> read = readCharacter(path);
    if (!read) return fail(read.error());
    const Rig& rig = read.value().rig;
    const double height = rigExtent(rig).y();
    const UnitGuess unit = guessUnit(height);
    int joints = 0;
    std::size_t points = 0;
    for (const Bone& bone : rig.bones) {
        joints += bone.joint;
        points += bone.flesh.size();
    }
    if (asJson) {
        json::Value out = json::Value::object();
        out.add("file", path);
        out.add("kind", fileKindName(path));
        out.add("height", height);
        out.add("metres_per_unit", unit.metres);
        json::Value bones = json::Value::array();
        for (const Bone& bone : rig.bones) {
            json::Value one = json::Value::object();
            one.add("name", bone.name);
            one.add("parent", bone.parent < 0
                                  ? json::Value()
                                  : json::Value(rig.bones[static_cast<std::size_t>(bone.parent)].name));
            one.add("joint", bone.joint);
            bones.add(std::move(one));
        }
        out.add("bones", std::move(bones));
        json::Value clips = json::Value::array();
        for (const Clip& clip : rig.clips) {
            json::Value one = json::Value::object();
            one.add("name", clip.name);
            one.add("duration", clip.duration());
            one.add("tracks", clip.tracks.size());
            clips.add(std::move(one));
        }
        out.add("clips", std::move(clips));
        json::Value notes = json::Value::array();
        for (const Diagnostic& note : read.value().notes) notes.add(note.text());
        out.add("notes", std::move(notes));
        fmt::print("{}", json::write(out));
        return exitDone;
    }
    Table table({{"", Table::Align::left}, {"", Table::Align::left}});
    table.row({"bones", joints == static_cast<int>(rig.bones.size())
                            ? fmt::format("{}", joints)
                            : fmt::format("{}, and {} that only place others", joints,
                                          static_cast<int>(rig.bones.size()) - joints)});
    table.row({"height",
               unit.sure
                   ? fmt::format("{:.4g} units, {:.3g} m if a unit is {}", height, height * unit.metres,
                                 unit.name)
                   : fmt::format("{:.4g} units, of which none of the usual makes a character", height)});
    if (points > 0) table.row({"skin", fmt::format("{} points", points)});
    for (const Clip& clip : rig.clips)
        table.row(
            {"clip", fmt::format("'{}', {:.4g} s, {}", shownName(clip.name), clip.duration(),
                                 counted(static_cast<long long>(clip.tracks.size()), "track", "tracks"))});
    if (rig.clips.empty()) table.row({"clips", "none"});
    fmt::print("{}: {}\n{}", printable(path), fileKindName(path), table.text());
    // The tree, by indentation. Who nests more deeply than this reads no indentation any more.
    constexpr int deepest = 40;
    fmt::print("  bones:\n");
    std::vector<int> depth(rig.bones.size(), 0);
    for (std::size_t b = 0; b < rig.bones.size(); ++b) {
        if (rig.bones[b].parent >= 0) depth[b] = depth[static_cast<std::size_t>(rig.bones[b].parent)] + 1;
        fmt::print("  {:{}}{}{}\n", "", 2 * (std::min(depth[b], deepest) + 1),
                   depth[b] > deepest ? fmt::format("({} levels down) ", depth[b]) : "",
                   shownName(rig.bones[b].name));
    }
    for (const Diagnostic& note : read.value().notes) fmt::print("  note: {}\n", printable(note.text()));
    return exitDone;
}

int describeTrajectory(const std::string& path)
{
    Result<TrajectoryReader> reader = TrajectoryReader::open(path);
    if (!reader) return fail(reader.error());
    TrajectoryReader& file = reader.value();
    Table table({{"", Table::Align::left}, {"", Table::Align::left}});
    table.row({"bodies", fmt::format("{}", file.bodies().size())});
    table.row({"frames", fmt::format("{}", file.frames())});
    if (file.fps() > 0) table.row({"rate", fmt::format("{:g} frames per second", file.fps())});
    if (file.frames() > 0) {
        Result<Frame> first = file.frame(0), last = file.frame(file.frames() - 1);
        if (!first) return fail(first.error());
        if (!last) return fail(last.error());
        table.row({"time", fmt::format("{:g} to {:g} s", first.value().time, last.value().time)});
    }
    fmt::print("{}: {}\n{}", printable(path), fileKindName(path), table.text());
    return exitDone;
}

int describeParticles(const std::string& path)
{
    Result<PointsReader> reader = PointsReader::open(path);
    if (!reader) return fail(reader.error());
    PointsReader& file = reader.value();
    Table table({{"", Table::Align::left}, {"", Table::Align::left}});
    std::vector<std::uint32_t> most(file.header().systems.size(), 0);
    double first = 0, last = 0;
    for (std::uint64_t k = 0; k < file.frames(); ++k) {
        const Result<PointsReader::Outline> outline = file.outline(k);
        if (!outline) return fail(outline.error());
        last = outline.value().time;
        if (k == 0) first = last;
        for (std::size_t i = 0; i < most.size(); ++i)
            most[i] = std::max(most[i], outline.value().counts[i]);
    }
    for (std::size_t i = 0; i < most.size(); ++i)
        table.row({"particles", fmt::format("'{}', at most {} in a frame",
                                            shownName(file.header().systems[i].name), most[i])});
    table.row({"frames", fmt::format("{}", file.frames())});
    if (file.header().fps > 0)
        table.row({"rate", fmt::format("{:g} frames per second", file.header().fps)});
    if (file.frames() > 0) table.row({"time", fmt::format("{:g} to {:g} s", first, last)});
    fmt::print("{}: {}\n{}", printable(path), fileKindName(path), table.text());
    return exitDone;
}

int describeMeshes(const std::string& path)
{
    Result<MeshFileReader> reader = MeshFileReader::open(path);
    if (!reader) return fail(reader.error());
    MeshFileReader& file = reader.value();
    Table table({{"", Table::Align::left}, {"", Table::Align::left}});
    for (const MeshFileHeader::Mesh& mesh : file.header().meshes)
        table.row({"mesh", fmt::format("'{}', {} vertices, {} faces", shownName(mesh.name), mesh.vertices,
                                       mesh.faces.size())});
    table.row({"frames", fmt::format("{}", file.frames())});
    if (file.header().fps > 0)
        table.row({"rate", fmt::format("{:g} frames per second", file.header().fps)});
    if (file.frames() > 0) {
        double first = 0, last = 0;
        std::vector<float> places;
        if (const auto fault = file.frame(0, first, places)) return fail(*fault);
        if (const auto fault = file.frame(file.frames() - 1, last, places)) return fail(*fault);
        table.row({"time", fmt::format("{:g} to {:g} s", first, last)});
    }
    fmt::print("{}: {}\n{}", printable(path), fileKindName(path), table.text());
    return exitDone;
}

}  // namespace

int describeFile(const std::string& path, bool asJson)
{
    const FileFormat* format = formatOf(path);
    if (format == &trajectoryFormat) return describeTrajectory(path);
    if (format == &pointsFormat) return describeParticles(path);
    if (format == &springMeshFormat) return describeMeshes(path);
    if (format && format->readCharacter) return describeCharacter(path, asJson);
    if (format && format->readScene) return checkScene(path);
    if (isFolder(path)) {
        if (const auto fault = settleRun(path)) return fail(*fault);
        return checkScene(RunFiles(path).scene);
    }
    const auto isKnown = [](const FileFormat& each) {
        return each.readScene || each.readCharacter || &each == &trajectoryFormat ||
               &each == &pointsFormat || &each == &springMeshFormat;
    };
    return fail(fmt::format("{}: is {}; known are {}", printable(path), fileKindName(path),
                            endingsOf(isKnown, Endings::all, "and")));
}

}  // namespace sinew
