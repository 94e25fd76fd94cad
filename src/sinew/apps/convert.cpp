// sinew convert: scenes, runs and characters in other formats.
#include <fmt/core.h>

#include <filesystem>

#include "sinew/apps/bone_rules.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/foreign_character.h"
#include "sinew/apps/motion_choice.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/character_file.h"
#include "sinew/io/csv/mesh_csv.h"
#include "sinew/io/csv/points_csv.h"
#include "sinew/io/csv/trajectory_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/rig/resample.h"
#include "sinew/rig/run_rig.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

// What the command brings about: nothing wrong, or what.
using Outcome = std::optional<Diagnostic>;

Outcome notPossible(const ConvertOptions& options)
{
    const bool isKnown = formatOf(options.input) || isFolder(options.input);
    return optionError("OUT",
                       fmt::format("{} cannot be made from {}", printable(options.output),
                                   isKnown ? fileKindName(options.input) : "a file of an unknown kind"));
}

Outcome notAMotion(const ConvertOptions& options)
{
    return optionError("--onto", fmt::format("takes motions of characters (.bvh, .glb, .gltf); {} is {}",
                                             options.input, fileKindName(options.input)));
}

// A scene with its motion.
struct SceneMotion {
    Description scene;
    Trajectory frames;
    std::string particles = {};  // the file of them; empty: none
    std::string meshes = {};     // likewise
};

ImportOptions importOf(const ConvertOptions& options)
{
    ImportOptions import = options.import;
    import.ground = options.ground;
    return import;
}

Result<SceneMotion> sceneMotion(const ConvertOptions& options)
{
    const bool isRun = isFolder(options.input);
    const RunFiles files(options.input);
    const std::string path = isRun ? files.scene : options.input;
    Result<SceneFile> scene = openScene(path, importOf(options));
    if (!scene) return scene.error();
    SceneMotion motion{scene.value().description, {}};
    if (isRun && !motion.scene.particles.empty()) motion.particles = files.particles;
    if (isRun && !motion.scene.meshes.empty()) motion.meshes = files.meshes;
    Result<Simulation> simulation = Simulation::create(motion.scene, {});
    if (!simulation) return inScene(simulation.error(), path);
    if (!isRun) {
        motion.frames.push_back(recordFrame(simulation.value().model(), simulation.value().state));
        return motion;
    }
    Result<Trajectory> frames = readTrajectory(files.trajectory, simulation.value().model());
    if (!frames) return frames.error();
    motion.frames = std::move(frames.value());
    if (motion.frames.empty()) return fileError(files.trajectory, "has no frames");
    return motion;
}

Outcome writeMotion(const ConvertOptions& options, SceneMotion motion)
{
    double rate = evenRate(motion.frames);
    if (options.fps) {
        Result<Trajectory> frames = resampled(motion.frames, *options.fps);
        if (!frames) return frames.error();
        motion.frames = std::move(frames.value());
        rate = *options.fps;
    }
    WriteOptions write{.rate = rate, .skeleton = options.skeleton, .everyFrame = options.everyFrame};
    if (!options.body.unit.empty()) {
        Result<double> unit = parseUnit(options.body.unit);
        if (!unit) return unit.error();
        write.unit = unit.value();
    }
    const FileFormat* format = formatOf(options.output);
    if (!format || !format->writeMotion) return notPossible(options);
    if (motion.scene.bodies.empty() && !format->hasParticles &&
        (motion.meshes.empty() || !format->hasMeshes))
        return optionError("OUT", "the scene has no bodies; its particles and meshes go into .usda");
    write.particles = motion.particles;
    write.meshes = motion.meshes;
    if (!motion.meshes.empty() && !format->hasMeshes)
        fmt::print(stderr, "note: {} holds no spring meshes; .glb and .usda do\n",
                   printable(options.output));
    if (!motion.particles.empty() && !format->hasParticles)
        fmt::print(stderr, "note: {} holds no particles; .usda does\n", printable(options.output));
    return format->writeMotion(options.output, motion.scene, motion.frames, write);
}

// A rig that stands or moves as its clip has it, as bodies: a figure of capsules.
Result<SceneMotion> rigMotion(const CharacterFile& file, const ConvertOptions& options, std::string& note)
{
    Result<EmbodyOptions> body = embodyOptions(options.body, file.rig, note);
    if (!body) return body.error();
    BakeOptions bake;
    bake.dynamic = {"*"};
    bake.clip = options.clip;
    bake.stiffness = options.stiffness.value_or(0);
    bake.damping = options.damping.value_or(bake.stiffness > 0 ? 0.7 : 0.25);
    bake.ground = options.ground;
    bake.collide = options.ground ? BakeCollision::all : BakeCollision::none;
    bake.fps = options.fps.value_or(60);
    bake.body = body.value();
    Result<BakePlan> plan = planBake(file.rig, bake);
    if (!plan) return plan.error();
    SceneMotion motion{std::move(plan.value().scene), {}};
    for (const std::string& line : plan.value().notes) fmt::print(stderr, "note: {}\n", printable(line));
    motion.scene.name = std::filesystem::path(file.path).stem().string();
    for (int k = 0; k < plan.value().frames; ++k) {
        Frame frame;
        frame.time = k / plan.value().fps;
        frame.bodies.resize(motion.scene.bodies.size());
        const auto world = worldFrames(file.rig, localPose(file.rig, plan.value().source, frame.time));
        for (std::size_t b = 0; b < world.size(); ++b)
            if (const int index = plan.value().bodyOfBone[b]; index >= 0)
                frame.bodies[static_cast<std::size_t>(index)] = {plan.value().unit * world[b].pose.position,
                                                                 world[b].pose.orientation};
        motion.frames.push_back(std::move(frame));
    }
    return motion;
}

// The clip added to the character's own file.
Outcome writeWithClip(const CharacterFile& file, const std::string& output)
{
    ClipAddition addition;
    addition.clip = file.rig.clips.back();
    Result<std::string> bytes = addClip(*file.gltf, *file.character, addition);
    if (!bytes) return inScene(bytes.error(), file.path);
    Result<GltfWritten> written = writeGltf(*file.gltf, bytes.value(), output);
    if (!written) return written.error();
    printNotes(written.value().notes, output);
    return {};
}

Outcome writeCharacter(const CharacterFile& file, const ConvertOptions& options)
{
    int clip = file.rig.clips.empty() ? -1 : 0;
    for (std::size_t c = 0; c < file.rig.clips.size(); ++c)
        if (file.rig.clips[c].name == options.clip) clip = static_cast<int>(c);
    if (!options.clip.empty() &&
        (clip < 0 || file.rig.clips[static_cast<std::size_t>(clip)].name != options.clip))
        return optionError(
            "--clip", fmt::format("there is no clip '{}'; sinew info lists them", shownName(options.clip)));
    printNotes(file.notes, file.path);
    std::string note;
    Outcome outcome;
    const FileFormat *from = formatOf(options.input), *to = formatOf(options.output);
    if (!options.onto.empty() && to == &gltfFormat && file.gltf) return writeWithClip(file, options.output);
    if (to->writeCharacter) {
        WriteOptions write{.rate = options.fps.value_or(0)};
        if (to->saysUnit) {
            Result<EmbodyOptions> body = embodyOptions(options.body, file.rig, note);
            if (!body) return body.error();
            write.unit = body.value().unit;
        }
        outcome = to->writeCharacter(options.output, file, clip, write);
    } else {
        if (from == to && options.onto.empty()) return notPossible(options);
        Result<SceneMotion> motion = rigMotion(file, options, note);
        if (!motion) return motion.error();
        if (to == &sceneFormat) {
            // It falls for as long as scenes usually run, not as long as the clip was.
            motion.value().scene.run.duration.reset();
            outcome = faultOf(writeWhole(options.output, writeScene(motion.value().scene)));
        } else {
            ConvertOptions asTheyAre = options;
            asTheyAre.fps.reset();  // they have that rate
            asTheyAre.skeleton = true;
            outcome = writeMotion(asTheyAre, std::move(motion.value()));
        }
    }
    if (!note.empty()) fmt::print(stderr, "note: {}\n", printable(note));
    return outcome;
}

Outcome convertCharacter(const ConvertOptions& options)
{
    Result<CharacterFile> read = readCharacter(options.input);
    if (!read) return read.error();
    return writeCharacter(read.value(), options);
}

// The motion of one character for another.
Outcome convertOnto(const ConvertOptions& options)
{
    Result<CharacterFile> read = readCharacter(options.onto);
    if (!read) return read.error();
    CharacterFile& file = read.value();
    std::error_code fault;
    if (std::filesystem::equivalent(options.output, options.onto, fault) ||
        (file.gltf && isFileOf(*file.gltf, options.output)))
        return optionError("OUT", "is one of the character's own files; choose another name");
    if (file.gltf && formatOf(options.output) == &gltfFormat &&
        (std::filesystem::path(options.output).extension() == ".glb") != file.gltf->isGlb)
        return optionError("OUT", fmt::format("must end in {}, as the character does",
                                              file.gltf->isGlb ? ".glb" : ".gltf"));
    Result<std::string> clip =
        addMotion(file, {options.input, options.clip, options.map, options.fps.value_or(0)});
    if (!clip) return clip.error();
    ConvertOptions as = options;
    as.clip = clip.value();
    return writeCharacter(file, as);
}

Outcome convertParticles(const ConvertOptions& options)
{
    if (formatOf(options.output) != &csvFormat) return notPossible(options);
    Result<PointsReader> points = PointsReader::open(options.input);
    if (!points) return points.error();
    return faultOf(writePointsCsv(options.output, points.value()));
}

Outcome convertMeshes(const ConvertOptions& options)
{
    if (formatOf(options.output) != &csvFormat) return notPossible(options);
    Result<MeshFileReader> meshes = MeshFileReader::open(options.input);
    if (!meshes) return meshes.error();
    return faultOf(writeMeshesCsv(options.output, meshes.value()));
}

Outcome convert(const ConvertOptions& options)
{
    std::error_code fault;
    if (!std::filesystem::exists(options.input, fault))
        return fileError(options.input, "there is no such file or folder");
    if (std::filesystem::equivalent(options.input, options.output, fault))
        return optionError("OUT", "is the file to convert; choose another name");
    if (isForeignCharacter(options.input)) return convertForeign(options.input, options.output);
    const FileFormat *from = formatOf(options.input), *to = formatOf(options.output);
    if (!to) {
        const auto isWritten = [](const FileFormat& each) {
            return each.writeMotion || &each == &sceneFormat;
        };
        return optionError(
            "OUT", fmt::format("must end in {}, not as '{}' does",
                               endingsOf(isWritten, Endings::usual, "or"), printable(options.output)));
    }
    if (from == &pointsFormat) return convertParticles(options);
    if (from == &springMeshFormat) return convertMeshes(options);
    if (!options.onto.empty())
        return from && from->readCharacter ? convertOnto(options) : notAMotion(options);
    if (!options.map.empty()) return optionError("--map", "is for --onto");
    if (from && from->readCharacter) return convertCharacter(options);
    if (from && !from->readScene) return notPossible(options);
    if (from && to == &sceneFormat) {
        Result<SceneFile> scene = openScene(options.input, importOf(options));
        if (!scene) return scene.error();
        return faultOf(writeWhole(options.output, writeScene(scene.value().description)));
    }
    if (!from && !isFolder(options.input)) return notPossible(options);
    if (const Outcome unsettled = settleRun(options.input)) return unsettled;
    Result<SceneMotion> motion = sceneMotion(options);
    if (!motion) return motion.error();
    return writeMotion(options, std::move(motion.value()));
}

}  // namespace

std::optional<Diagnostic> writeFigure(const std::string& character, const BodyChoice& body,
                                      const std::string& output)
{
    ConvertOptions options;
    options.input = character;
    options.output = output;
    options.body = body;
    return convertCharacter(options);
}

int convertFile(const ConvertOptions& options)
{
    if (const Outcome fault = convert(options))
        return fail(fault->file.empty() && fault->pointer.starts_with("/") ? inScene(*fault, options.input)
                                                                           : *fault);
    std::error_code fault;
    const auto size = std::filesystem::file_size(options.output, fault);
    fmt::print("{}: written, {} bytes\n", printable(options.output), fault ? 0 : size);
    return exitDone;
}

}  // namespace sinew
