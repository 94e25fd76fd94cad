// sinew bake: a character goes in, the same character with physics in a new clip comes out.
#include "sinew/character/bake.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "sinew/apps/bake_flesh.h"
#include "sinew/apps/bone_rules.h"
#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/motion_choice.h"
#include "sinew/apps/spring_bones.h"
#include "sinew/apps/temporary_folder.h"
#include "sinew/apps/text.h"
#include "sinew/io/character_file.h"
#include "sinew/io/file_error.h"
#include "sinew/io/format.h"
#include "sinew/io/gltf/add_clip.h"
#include "sinew/io/json/scene.h"
#include "sinew/io/whole_file.h"
#include "sinew/rig/reduce.h"

namespace sinew {
namespace {

// "2 bones: a, b", and not more of them than a line holds.
std::string firstOf(const std::vector<std::string>& names, const char* one, const char* many)
{
    return fmt::format("{}: {}", counted(static_cast<long long>(names.size()), one, many),
                       listedNames(names, 6));
}

std::vector<std::string> boneNames(const Rig& rig, const std::vector<bool>& chosen)
{
    std::vector<std::string> names;
    for (std::size_t b = 0; b < rig.bones.size(); ++b)
        if (chosen[b]) names.push_back(rig.bones[b].name);
    return names;
}

// New tracks and those that stay, for formats that take a clip as a whole.
Clip wholeClip(const BakePlan& plan, const BakedClip& baked)
{
    Clip clip = baked.clip;
    for (const int track : baked.kept)
        clip.tracks.push_back(plan.source.tracks[static_cast<std::size_t>(track)]);
    return clip;
}

// The bytes of the output, of the kind that its name says.
Result<std::string> outputBytes(const CharacterFile& file, const BakePlan& plan, const BakedClip& baked,
                                const std::optional<BakedFlesh>& flesh, const BakeCommand& command)
{
    if (formatOf(command.output) == &bvhFormat || !file.gltf) {
        bvh::WriteOptions options;
        options.framesPerSecond = plan.fps;
        options.like = file.document ? &*file.document : nullptr;
        Result<bvh::Document> document = bvh::fromRig(file.rig, wholeClip(plan, baked), options);
        if (!document) return document.error();
        return bvh::write(document.value());
    }
    ClipAddition addition;
    // A motion of another file has no channels in this one that could be shared.
    addition.clip = command.motion.empty() ? baked.clip : wholeClip(plan, baked);
    if (flesh) addition.morphs = flesh->morphs;
    int source = -1;
    for (std::size_t c = 0; c < file.rig.clips.size(); ++c)
        if (file.rig.clips[c].name == plan.source.name) source = static_cast<int>(c);
    for (const int track : command.motion.empty() ? baked.kept : std::vector<int>{})
        addition.taken.push_back({source, file.character->channelOfTrack[static_cast<std::size_t>(source)]
                                                                        [static_cast<std::size_t>(track)]});
    return addClip(*file.gltf, *file.character, addition, command.replace);
}

void addFleshRows(Table& table, const BakePlan& plan, const FleshRegion& region, const BakedFlesh& flesh)
{
    const FleshMotion& motion = flesh.motion;
    const double percent = motion.size > 0 ? 100 / motion.size : 0;
    table.row({"flesh", fmt::format("{} on {}", counted(region.softCount, "point", "points"),
                                    firstOf(region.bones, "bone", "bones"))});
    table.row({"moves by", fmt::format("{:.2g} % of its size at most", percent * motion.largest)});
    if (plan.warmUp > 0)
        table.row({"its seam", fmt::format("{:.2g} % before it was closed", percent * motion.seam)});
    table.row({"morph targets",
               fmt::format("{}, off by {:.2g} % of the flesh's size at most",
                           flesh.morphs ? flesh.morphs->shapes.size() : 0, percent * flesh.error)});
    table.row({"flesh took", fmt::format("{:.2g} s, step {:.4g} s", flesh.seconds, motion.step)});
}

// Known before anything is simulated.
std::optional<Diagnostic> unwritable(const CharacterFile& file, const BakeCommand& command)
{
    const auto wrong = [](std::string message) { return optionError("--output", std::move(message)); };
    const BakeOptions& options = command.options;
    const bool moves = !options.dynamic.empty() || !options.presets.empty();
    if (!moves && options.flesh.bones.empty())
        return optionError(
            "--dynamic",
            "say which bones physics shall move, such as by --preset, or what is soft by --flesh");
    if (!file.gltf && !options.flesh.bones.empty())
        return optionError("--flesh", "needs a character with a skin, which a .bvh has not");
    if (!moves && !command.scene.empty())
        return optionError("--scene", "needs --dynamic: flesh by itself is no scene");
    if (command.output.empty()) return wrong("say where the result shall go, such as -o baked.glb");
    for (const auto& [option, path] : {std::pair("--output", command.output), {"--scene", command.scene}}) {
        std::error_code fault;
        if (std::filesystem::equivalent(path, file.path, fault) ||
            (file.gltf && isFileOf(*file.gltf, path)))
            return optionError(option, "is one of the character's own files; choose another name");
    }
    const FileFormat* format = formatOf(command.output);
    if (format == &bvhFormat && !options.flesh.bones.empty())
        return wrong("must end in .glb or .gltf: a .bvh has no skin that could be soft");
    if (format == &bvhFormat) return {};
    const bool isGlb = std::filesystem::path(command.output).extension() == ".glb";
    if (!file.gltf && !isGlb) return wrong("must end in .bvh, as the character does, or in .glb");
    if (!file.gltf) return {};
    if (format != &gltfFormat) return wrong("must end in .glb, .gltf or .bvh");
    if (isGlb != file.gltf->isGlb)
        return wrong(fmt::format("must end in {}, as the character does (or .bvh)",
                                 file.gltf->isGlb ? ".glb" : ".gltf"));
    return {};
}

// Of a .bvh: bones and capsules around them, with the new clip.
std::optional<Diagnostic> writeAsFigure(const std::string& bvh, const BakeCommand& command, double unit)
{
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    const std::string stem = std::filesystem::path(command.character).stem().string();
    const std::string path = folder.value().path() + "/" + stem + ".bvh";
    if (const std::string fault = writeWhole(path, bvh); !fault.empty()) return Diagnostic{fault};
    BodyChoice body = command.body;
    body.height.reset();
    body.unit = fmt::format("{}", unit);  // as it was found, and told, before
    return writeFigure(path, body, command.output);
}

// What the command says about times, blows and weights.
std::optional<Diagnostic> readWishes(const BakeCommand& command, BakeOptions& options)
{
    if (command.lag) {
        if (!(*command.lag > 0 && *command.lag <= 90))
            return optionError("--lag", "must be above 0 and at most 90 degrees");
        options.lag = *command.lag * pi / 180;
    }
    for (const auto& [option, value] :
         {std::pair("--stiffness", options.stiffness), {"--damping", options.damping}})
        if (value && !(*value >= 0 && *value <= 1000))
            return optionError(option, fmt::format("must be from 0 to 1000, not {}", *value));
    if (!(options.drag >= 0 && options.drag <= 1000))
        return optionError("--drag", fmt::format("must be from 0 to 1000, not {}", options.drag));
    if (command.collide && command.collideNothing)
        return optionError("--no-collide", "does not go with --collide; choose one");
    if (command.collide) options.collide = BakeCollision::all;
    if (command.collideNothing) options.collide = BakeCollision::none;
    if (command.root == "tracked") options.root = BakeRoot::tracked;
    if (command.root == "free") options.root = BakeRoot::free;
    if (!command.root.empty() && options.root == BakeRoot::automatic)
        return optionError("--root",
                           fmt::format("must be tracked or free, not '{}'", shownName(command.root)));
    for (const std::string& text : command.weights) {
        Result<BakeWeight> weight = parseWeight(text);
        if (!weight) return weight.error();
        options.weights.push_back(weight.value());
    }
    if (command.blend && !command.to) return optionError("--blend", "needs --to, the time when it is over");
    if (command.to) {
        const double blend = command.blend.value_or(0.5);
        if (!command.weights.empty()) return optionError("--to", "does not go with --weight; choose one");
        if (!(blend > 0)) return optionError("--blend", "must be positive");
        if (!(*command.to - blend >= options.from))
            return optionError("--to", "must come after --from by --blend or more");
        options.weights.push_back({"*", {{*command.to - blend, 1}, {*command.to, 0}}});
    }
    for (const std::string& text : command.hits) {
        Result<BakeHit> hit = parseHit(text);
        if (!hit) return hit.error();
        options.hits.push_back(hit.value());
    }
    if (!command.next.empty()) {
        Result<BakeNext> next = parseNext(command.next);
        if (!next) return next.error();
        options.next = next.value();
    }
    return {};
}

// The springs that were found, one row for all that are alike.
void addSpringRows(Table& table, const Rig& rig, const BakePlan& plan, const BakeMeasure& measure)
{
    struct Row {
        BakeSpring spring;
        std::vector<std::string> bones;
        double lag = 0;
        int tips = 0;
    };
    std::vector<Row> rows;
    for (std::size_t b = 0; b < plan.springs.size(); ++b) {
        const BakeSpring& spring = plan.springs[b];
        if (!plan.isDynamic[b] || !spring.isFound) continue;
        std::size_t r = 0;
        while (r < rows.size() &&
               (rows[r].spring.frequency != spring.frequency || rows[r].spring.ratio != spring.ratio))
            ++r;
        if (r == rows.size()) rows.push_back({spring, {}, 0, 0});
        rows[r].bones.push_back(rig.bones[b].name);
        if (measure.tipMeans[b] >= 0) rows[r].lag += measure.tipMeans[b], ++rows[r].tips;
    }
    for (const Row& row : rows)
        table.row({&row == &rows.front() ? "found" : "",
                   fmt::format("stiffness {:.3g} Hz, damping {:.2g}, tips lag {:.2g} degrees: {}",
                               row.spring.frequency, row.spring.ratio,
                               row.lag / std::max(1, row.tips) * 180 / pi, listedNames(row.bones, 2))});
}

void addMotionRows(Table& table, const BakePlan& plan, const BakeMeasure& measure)
{
    constexpr double degree = pi / 180;
    table.row({"tips lag", fmt::format("{:.2g} degrees on average, {:.2g} at most",
                                       measure.tipMean / degree, measure.tipMost / degree)});
    if (measure.skinBelow > 1e-4)
        table.row({"skin", fmt::format("{:.2g} mm below the ground at the end", 1e3 * measure.skinBelow)});
    if (plan.scene.contact && measure.deepest > 0)
        table.row({"touches", fmt::format("{:.2g} mm deep in the body at most", 1e3 * measure.deepest)});
}

}  // namespace

int bakeCharacter(const BakeCommand& command)
{
    const bool isSoft = !command.options.flesh.bones.empty();
    Result<CharacterFile> read = readCharacter(command.character);
    if (!read) return fail(read.error());
    CharacterFile& file = read.value();
    if (const auto fault = unwritable(file, command)) return fail(*fault);
    BakeOptions options = command.options;
    if (!command.motion.empty() || !command.map.empty()) {
        Result<std::string> clip = addMotion(file, {command.motion, options.clip, command.map});
        if (!clip) return fail(clip.error());
        options.clip = clip.value();
    }
    if (const auto fault = readWishes(command, options)) return fail(*fault);
    std::string note;
    Result<EmbodyOptions> body = embodyOptions(command.body, file.rig, note);
    if (!body) return fail(body.error());
    options.body = body.value();
    if (const auto fault = expandSpringBones(file, options)) return fail(*fault);
    FleshChoice soft;
    if (isSoft) {
        Result<FleshChoice> chosen = chooseFlesh(file, options);
        if (!chosen) return fail(inScene(chosen.error(), file.path));
        soft = std::move(chosen.value());
    }
    Result<BakePlan> planned = planBake(file.rig, options);
    if (!planned) return fail(inScene(planned.error(), file.path));
    const BakePlan& plan = planned.value();
    printNotes(file.notes, file.path);
    if (!note.empty()) fmt::print(stderr, "note: {}\n", printable(note));
    for (const std::string& line : plan.notes) fmt::print(stderr, "note: {}\n", printable(line));

    const bool isDynamic = !plan.scene.bodies.empty();
    const auto begin = std::chrono::steady_clock::now();
    Result<Trajectory> frames = isDynamic ? simulatePlan(plan) : Trajectory{};
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!frames) {
        fail(inScene(frames.error(), file.path));
        return exitDiverged;
    }
    BakedClip baked = bakedClip(file.rig, plan, frames.value());
    if (command.reduce) {
        const double length = *command.reduce * rigExtent(file.rig).maxCoeff();
        baked.clip = reduceKeys(baked.clip, {length, *command.reduce, *command.reduce});
    }
    std::optional<BakedFlesh> flesh;
    if (isSoft) {
        Result<BakedFlesh> made = bakeFlesh(file, soft, plan, wholeClip(plan, baked), options);
        if (!made) {
            fail(inScene(made.error(), file.path));
            return made.error().setting.empty() ? exitDiverged : exitBadInput;
        }
        flesh = std::move(made.value());
        for (const std::string& line : flesh->motion.notes)
            fmt::print(stderr, "note: {}\n", printable(line));
    }
    Result<std::string> bytes = outputBytes(file, plan, baked, flesh, command);
    if (!bytes) return fail(inScene(bytes.error(), file.path));
    // Both files are sure before the first takes its place.
    std::optional<WholeFile> scene;
    if (!command.scene.empty()) {
        scene.emplace(command.scene).write(writeScene(plan.scene));
        if (const std::string fault = scene->close(); !fault.empty()) return fail(fault);
    }
    std::vector<std::string> copied;
    if (formatOf(command.output) == &gltfFormat && !file.gltf) {
        if (const auto fault = writeAsFigure(bytes.value(), command, options.body.unit))
            return fail(*fault);
    } else if (formatOf(command.output) == &gltfFormat) {
        Result<GltfWritten> written = writeGltf(*file.gltf, bytes.value(), command.output);
        if (!written) return fail(written.error());
        printNotes(written.value().notes, command.output);
        copied = written.value().copied;
    } else if (const std::string fault = writeWhole(command.output, bytes.value()); !fault.empty()) {
        return fail(fault);
    }
    if (scene)
        if (const std::string fault = scene->finish(); !fault.empty()) return fail(fault);
    Table table({{"", Table::Align::left}, {"", Table::Align::left}});
    table.row({"clip", fmt::format("'{}'{}", shownName(plan.name),
                                   plan.source.name.empty()
                                       ? ""
                                       : fmt::format(" from '{}'", shownName(plan.source.name)))});
    if (isDynamic) table.row({"dynamic", firstOf(boneNames(file.rig, plan.isDynamic), "bone", "bones")});
    const double length = std::max(baked.clip.duration(), flesh ? flesh->motion.times.back() : 0.0);
    table.row({"length", fmt::format("{:.4g} s, {:.4g} keys per second", length, plan.fps)});
    if (plan.from > 0) table.row({"physics from", fmt::format("{:g} s", plan.from)});
    if (plan.warmUp > 0 && isDynamic)
        table.row({"seam", fmt::format("{:.2g} degrees before it was closed", baked.seam * 180 / pi)});
    if (isDynamic)
        table.row(
            {"simulated", fmt::format("{} in {:.2g} s, step {:.4g} s",
                                      counted(static_cast<int>(plan.scene.bodies.size()), "body", "bodies"),
                                      seconds, *plan.scene.run.step)});
    if (isDynamic) {
        const BakeMeasure measure = measureBake(file.rig, plan, frames.value());
        addSpringRows(table, file.rig, plan, measure);
        addMotionRows(table, plan, measure);
    }
    if (flesh) addFleshRows(table, plan, soft.region, *flesh);
    if (!copied.empty()) table.row({"copied along", firstOf(copied, "file", "files")});
    fmt::print("{}: baked\n{}", printable(command.output), table.text());
    constexpr double widestSeam = 5 * pi / 180;
    if (baked.seam > widestSeam)
        fmt::print(stderr,
                   "warning: the motion does not repeat: its seam of {:.3g} degrees was spread over the "
                   "loop and can "
                   "be seen; raise --damping or --stiffness\n",
                   baked.seam * 180 / pi);
    return exitDone;
}

}  // namespace sinew
