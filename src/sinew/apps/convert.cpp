// sinew convert: scenes, runs and characters in other formats.
#include <fmt/core.h>

#include <filesystem>

#include "sinew/apps/bone_rules.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/run_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/binary/trajectory_file.h"
#include "sinew/io/character_file.h"
#include "sinew/io/csv/trajectory_csv.h"
#include "sinew/io/file_error.h"
#include "sinew/io/file_kind.h"
#include "sinew/io/gltf/export_run.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/usd/export_usd.h"
#include "sinew/io/whole_file.h"
#include "sinew/rig/resample.h"
#include "sinew/rig/run_rig.h"
#include "sinew/simulation/simulation.h"

namespace sinew {
namespace {

// What the command brings about: nothing wrong, or what.
using Outcome = std::optional<Diagnostic>;

Outcome wrote(const std::string& fault)
{
    if (fault.empty()) return {};
    return Diagnostic{fault};
}

template <class T>
Outcome wrote(const Result<T>& result)
{
    return result ? Outcome() : Outcome(result.error());
}

Outcome notPossible(const ConvertOptions& options)
{
    return optionError("OUT", fmt::format("{} cannot be made from {}", printable(options.output),
                                          fileKindName(fileKind(options.input))));
}

// A scene with its motion.
struct Motion {
    Description scene;
    Trajectory frames;
};

Result<Motion> sceneMotion(const ConvertOptions& options)
{
    const bool isRun = fileKind(options.input) == FileKind::run;
    const RunFiles files(options.input);
    const std::string path = isRun ? files.scene : options.input;
    Result<SceneFile> scene = openScene(path);
    if (!scene) return scene.error();
    Motion motion{scene.value().description, {}};
    Result<Simulation> simulation = Simulation::create(motion.scene, {});
    if (!simulation) return inScene(simulation.error(), path);
    if (!isRun) {
        motion.frames.push_back(recordFrame(simulation.value().model, simulation.value().state));
        return motion;
    }
    Result<Trajectory> frames = readTrajectory(files.trajectory, simulation.value().model);
    if (!frames) return frames.error();
    motion.frames = std::move(frames.value());
    if (motion.frames.empty()) return fileError(files.trajectory, "has no frames");
    return motion;
}

Outcome writeMotion(const ConvertOptions& options, Motion motion)
{
    double rate = evenRate(motion.frames);
    if (options.fps) {
        Result<Trajectory> frames = resampled(motion.frames, *options.fps);
        if (!frames) return frames.error();
        motion.frames = std::move(frames.value());
        rate = *options.fps;
    }
    switch (fileKind(options.output)) {
        case FileKind::gltf: {
            GlbRunOptions glb;
            glb.skeleton = options.skeleton;
            if (options.everyFrame) glb.bounds = {};
            Result<Glb> made = runGlb(motion.scene, motion.frames, glb);
            if (!made) return made.error();
            Result<std::string> bytes = glbBytes(made.value());
            if (!bytes) return bytes.error();
            return wrote(writeWhole(options.output, bytes.value()));
        }
        case FileKind::usd: {
            UsdRunOptions usd;
            usd.skeleton = options.skeleton;
            if (rate > 0) usd.fps = rate;
            return wrote(writeRunUsd(options.output, motion.scene, motion.frames, usd));
        }
        case FileKind::bvh: {
            Result<Rig> rig = rigOf(motion.scene, motion.frames);
            if (!rig) return rig.error();
            if (!options.body.unit.empty()) {
                Result<double> unit = parseUnit(options.body.unit);
                if (!unit) return unit.error();
                rig = inUnit(std::move(rig.value()), 1 / unit.value());
            }
            bvh::WriteOptions bvhOptions;
            bvhOptions.framesPerSecond = rate > 0 ? rate : 60;
            const Clip still;
            const std::vector<Clip>& clips = rig.value().clips;
            Result<bvh::Document> document =
                bvh::fromRig(rig.value(), clips.empty() ? still : clips.front(), bvhOptions);
            if (!document) return document.error();
            return wrote(writeWhole(options.output, bvh::write(document.value())));
        }
        case FileKind::trajectory: {
            std::vector<std::string> names;
            for (const BodyDescription& body : motion.scene.bodies) names.push_back(body.name);
            TrajectoryWriter writer(options.output, names, rate);
            for (const Frame& frame : motion.frames) writer.add(frame);
            return wrote(writer.finish());
        }
        case FileKind::csv: {
            Result<Simulation> simulation = Simulation::create(motion.scene, {});
            if (!simulation) return inScene(simulation.error(), options.input);
            return wrote(writeTrajectory(options.output, simulation.value().model, motion.frames));
        }
        default:
            return notPossible(options);
    }
}

// A rig that stands or moves as its clip has it, as bodies: a figure of capsules.
Result<Motion> rigMotion(const CharacterFile& file, const ConvertOptions& options, std::string& note)
{
    Result<EmbodyOptions> body = embodyOptions(options.body, file.rig, note);
    if (!body) return body.error();
    BakeOptions bake;
    bake.dynamic = {"*"};
    bake.clip = options.clip;
    bake.stiffness = 0;
    bake.ground = options.ground;
    bake.collide = options.ground.has_value();
    bake.fps = options.fps.value_or(60);
    bake.body = body.value();
    Result<BakePlan> plan = planBake(file.rig, bake);
    if (!plan) return plan.error();
    Motion motion{std::move(plan.value().scene), {}};
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

Outcome convertCharacter(const ConvertOptions& options)
{
    Result<CharacterFile> read = readCharacter(options.input);
    if (!read) return read.error();
    const CharacterFile& file = read.value();
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
    switch (fileKind(options.output)) {
        case FileKind::bvh: {
            bvh::WriteOptions write;
            if (options.fps) write.framesPerSecond = *options.fps;
            write.like = file.document ? &*file.document : nullptr;
            const Clip still;
            Result<bvh::Document> document = bvh::fromRig(
                file.rig, clip < 0 ? still : file.rig.clips[static_cast<std::size_t>(clip)], write);
            if (!document) return document.error();
            return wrote(writeWhole(options.output, bvh::write(document.value())));
        }
        case FileKind::usd: {
            Result<EmbodyOptions> body = embodyOptions(options.body, file.rig, note);
            if (!body) return body.error();
            outcome = wrote(
                writeRigUsd(options.output, file.rig, clip, options.fps.value_or(60), body.value().unit));
            break;
        }
        case FileKind::scene: {
            Result<Motion> motion = rigMotion(file, options, note);
            if (!motion) return motion.error();
            // It falls for as long as scenes usually run, not as long as the clip was.
            motion.value().scene.run.duration.reset();
            outcome = wrote(writeWhole(options.output, writeScene(motion.value().scene)));
            break;
        }
        default: {
            if (fileKind(options.input) == FileKind::gltf && fileKind(options.output) == FileKind::gltf)
                return notPossible(options);
            Result<Motion> motion = rigMotion(file, options, note);
            if (!motion) return motion.error();
            ConvertOptions asTheyAre = options;
            asTheyAre.fps.reset();  // they have that rate
            asTheyAre.skeleton = true;
            outcome = writeMotion(asTheyAre, std::move(motion.value()));
        }
    }
    if (!note.empty()) fmt::print(stderr, "note: {}\n", printable(note));
    return outcome;
}

Outcome convert(const ConvertOptions& options)
{
    std::error_code fault;
    if (!std::filesystem::exists(options.input, fault))
        return fileError(options.input, "there is no such file or folder");
    if (std::filesystem::equivalent(options.input, options.output, fault))
        return optionError("OUT", "is the file to convert; choose another name");
    if (fileKind(options.output) == FileKind::unknown)
        return optionError(
            "OUT", fmt::format("must end in .json, .glb, .bvh, .usda, .csv or .sinewt, not as '{}' does",
                               printable(options.output)));
    switch (fileKind(options.input)) {
        case FileKind::gltf:
        case FileKind::bvh:
            return convertCharacter(options);
        case FileKind::scene:
        case FileKind::urdf:
        case FileKind::mjcf:
        case FileKind::mesh:
            if (fileKind(options.output) == FileKind::scene) {
                Result<SceneFile> scene = openScene(options.input);
                if (!scene) return scene.error();
                return wrote(writeWhole(options.output, writeScene(scene.value().description)));
            }
            [[fallthrough]];
        case FileKind::run: {
            if (const Outcome unsettled = settleRun(options.input)) return unsettled;
            Result<Motion> motion = sceneMotion(options);
            if (!motion) return motion.error();
            return writeMotion(options, std::move(motion.value()));
        }
        default:
            return notPossible(options);
    }
}

}  // namespace

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
