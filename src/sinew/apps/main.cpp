// The sinew command: options in, one function of commands.h out. The only file that includes CLI11,
// which takes long to compile.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <exception>
#include <functional>
#include <system_error>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/interrupt.h"
#include "sinew/apps/out_of_memory.h"
#include "sinew/apps/standard_files.h"
#include "sinew/apps/text.h"
#include "sinew/base/words.h"

#ifndef SINEW_VERSION
#define SINEW_VERSION "unknown"
#endif

namespace sinew {

namespace {

// Reads all of the text as a number. Whether the number makes sense is for the command to say.
template <class T>
T parsed(const std::string& option, const std::string& text)
{
    T value{};
    const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* last = text.data() + text.size();
    const auto [end, fault] = std::from_chars(first, last, value);
    if (fault == std::errc::result_out_of_range)
        throw CLI::ValidationError(option, words::quoted(text) + " is out of range");
    if (fault != std::errc() || end != last) {
        const char* what = std::is_integral_v<T> ? " is not a whole number" : " is not a number";
        throw CLI::ValidationError(option, words::quoted(text) + what);
    }
    return value;
}

template <class T, class Target>
CLI::Option* addNumber(CLI::App& app, const std::string& name, Target& target, const std::string& about)
{
    return app
        .add_option_function<std::string>(
            name, [name, &target](const std::string& text) { target = parsed<T>(name, text); }, about)
        ->type_name("NUMBER");
}

// Three numbers with commas between them.
template <class Target>
CLI::Option* addPlace(CLI::App& app, const std::string& name, Target& target, const std::string& about)
{
    return app
        .add_option_function<std::string>(
            name,
            [name, &target](const std::string& text) {
                const std::vector<std::string> parts = CLI::detail::split(text, ',');
                if (parts.size() != 3)
                    throw CLI::ValidationError(
                        name, "must be three numbers such as 0.2,1,-0.5, not " + words::quoted(text));
                target = Vec3(parsed<double>(name, parts[0]), parsed<double>(name, parts[1]),
                              parsed<double>(name, parts[2]));
            },
            about)
        ->type_name("X,Y,Z");
}

// A word out of two: sets `target` to whether it is the second.
void addChoice(CLI::App& app, const std::string& name, const std::string& no, const std::string& yes,
               bool& target, const std::string& about)
{
    app.add_option_function<std::string>(
           name,
           [=, &target](const std::string& word) {
               if (word != no && word != yes)
                   throw CLI::ValidationError(
                       name, fmt::format("must be {} or {}, not {}", no, yes, words::quoted(word)));
               target = word == yes;
           },
           about)
        ->type_name(no + "|" + yes);
}

void addScene(CLI::App& app, std::string& target, bool required = true)
{
    app.add_option("SCENE", target, "a scene file (JSON)")->required(required)->type_name("FILE");
}

struct Options {
    RunOptions run;
    CrowdOptions crowd;
    ViewOptions view;
    RenderOptions render;
    AccelOptions accel;
    FitTorquesOptions fit;
    PullOptions pull;
    PoseCommand pose;
    RelaxOptions relax;
    OptimizeOptions optimize;
    BakeCommand bake;
    ConvertOptions convert;
    std::string scene;
    ImportOptions import;
    ChainOptions chain;
    bool hinges = false, floating = false;
    std::string output;
    bool json = false;
    std::function<int()> command;  // chosen by parsing, run after it
};

// How robots and models are read.
void addImport(CLI::App& app, ImportOptions& o)
{
    app.add_flag_callback(
        "--fixed-base", [&o] { o.fixedBase = true; }, "bolt the root of a robot (URDF) to the world");
    app.add_flag_callback(
        "--floating-base", [&o] { o.fixedBase = false; }, "let the root of a robot float");
    app.add_flag("--limp", o.limp, "let the joints of a robot go, instead of holding its pose");
    app.add_option("--mesh-path", o.meshPaths,
                   "a folder to look for meshes of a robot or model (MJCF) in; may be repeated")
        ->type_name("DIR")
        ->expected(1)
        ->take_all();
    app.add_option("--key", o.keyframe, "the keyframe of a model that it starts from, by name or number")
        ->type_name("NAME");
}
void addGround(CLI::App& app, ImportOptions& o)
{
    addNumber<double>(app, "--ground", o.ground, "a floor at this height in m under a robot or model");
}

// What `run`, `view` and `render` have in common: how to simulate.
void addSimulation(CLI::App& app, RunOptions& o)
{
    addImport(app, o.import);
    addGround(app, o.import);
    app.add_option("--solver", o.solver, "the method (see sinew solvers)")->type_name("NAME");
    app.add_option("--integrator", o.integrator, "how accelerations become motion")->type_name("NAME");
    app.add_option("--coordinates", o.coordinates, "coordinates of the integrator, if it supports both")
        ->type_name("joint|maximal");
    addNumber<double>(app, "--step", o.step, "the time step in s");
    addNumber<double>(app, "--duration", o.duration, "the time to simulate in s");
    addNumber<int>(app, "--slow-band", o.slowBand,
                   "for the integrator bands: steps between two slow updates (1)");
    app.add_flag("--spread", o.spread,
                 "for the integrator bands: spread the slow updates evenly over the steps");
    addNumber<double>(app, "--tolerance", o.tolerance,
                      "for the integrator dormand_prince: how far a step may be off (1e-6)");
    addNumber<int>(app, "--threads", o.threads,
                   "threads that share the skeletons of the scene (1); the results are the same");
}

void addTableRate(CLI::App& app, RunOptions& o)
{
    addNumber<double>(app, "--fps", o.fps, "frames per second in the tables");
}

void addRun(CLI::App& app, Options& options)
{
    CLI::App& run = *app.add_subcommand("run", "simulate a scene and write what happened");
    RunOptions& o = options.run;
    addScene(run, o.scene, false);
    run.add_option("-o,--output", o.output,
                   "the folder for index.html (the page that plays the run), trajectory.csv, series.csv, "
                   "summary.json and scene.json")
        ->type_name("DIR");
    addSimulation(run, o);
    addTableRate(run, o);
    run.add_flag("--velocities", o.velocities,
                 "write velocities.csv too: velocity and angular velocity of every body");
    addNumber<double>(run, "--checkpoint", o.checkpoint,
                      "write a checkpoint every NUMBER simulated seconds");
    run.add_option("--resume", o.resume, "go on with the run in this folder from its last checkpoint")
        ->type_name("DIR");
    run.add_flag("--live", o.live,
                 "run in real time and take interactions from standard input, one JSON object a line");
    run.add_option("--replay", o.replay, "repeat a recording (interaction.jsonl of a live run)")
        ->type_name("FILE");
    run.add_flag_callback(
        "--no-page", [&o] { o.page = false; }, "do not write index.html");
    run.footer(
        "Options override what the scene says. Exit codes: 0 done, 1 a replay ended in another state, 2 "
        "bad "
        "input,\n3 diverged, 130 interrupted.\n"
        "\nExamples:\n"
        "  sinew run scenes/double_pendulum.json -o out --integrator rk4 --step 1e-3 --duration 10\n"
        "  sinew run scenes/humanoid.json -o out --checkpoint 1\n"
        "  sinew run --resume out\n"
        "  driver | sinew run scenes/hand.json --live --duration 60 -o out\n"
        "  sinew run scenes/hand.json --replay out/interaction.jsonl -o again");
    run.callback([&options] { options.command = [&options] { return runScene(options.run); }; });
}

void addCrowd(CLI::App& app, Options& options)
{
    CLI::App& crowd =
        *app.add_subcommand("crowd", "simulate many characters of one scene, each a little different");
    CrowdOptions& o = options.crowd;
    addScene(crowd, o.scene);
    addNumber<int>(crowd, "--count", o.count, "how many")->required();
    crowd.add_option("--vary", o.vary, "how they differ: a variation file (JSON)")->type_name("FILE");
    addNumber<std::uint64_t>(crowd, "--seed", o.seed, "of the random numbers (the file's, or 1)");
    crowd
        .add_option(
            "-o,--output", o.output,
            "the folder for index.html (the page), crowd.sinewc (all trajectories), characters.csv, "
            "summary.json and scene.json")
        ->required()
        ->type_name("DIR");
    addNumber<double>(crowd, "--step", o.step, "the longest time step in s (1/240)");
    addNumber<double>(crowd, "--duration", o.duration, "the time to simulate in s");
    addNumber<double>(crowd, "--fps", o.fps, "frames per second");
    crowd.add_flag("--single", o.single, "in single precision: twice as many at a time");
    crowd.add_flag("--explicit", o.explicitForces, "take springs explicitly, not linearly implicitly");
    addNumber<int>(crowd, "--threads", o.threads,
                   "threads that share them (all processors); the results are the same");
    addNumber<int>(crowd, "--show", o.show, "how many the page shows at most (200)");
    crowd.add_flag_callback(
        "--no-page", [&o] { o.page = false; }, "do not write index.html");
    crowd.footer(
        "\nExample:\n"
        "  sinew crowd examples/crowd/dangling.json --count 200 --vary examples/crowd/dangling.vary.json "
        "-o out");
    crowd.callback([&options] { options.command = [&options] { return runCrowd(options.crowd); }; });
}

void addView(CLI::App& app, Options& options)
{
    CLI::App& view =
        *app.add_subcommand("view", "simulate a scene, or take a run or a character, and open its page");
    RunOptions& o = options.view.run;
    view.add_option("SCENE", o.scene,
                    "a scene file (JSON), the folder of a finished run, or a character (.glb, .bvh)")
        ->required()
        ->type_name("FILE|DIR");
    view.add_option("-o,--output", o.output, "the folder for the results (one below the temporary folder)")
        ->type_name("DIR");
    view.add_option("--clip", options.view.clip, "of a character: the clip to begin with (the first)")
        ->type_name("NAME");
    addSimulation(view, o);
    addTableRate(view, o);
    view.add_flag_callback(
        "--no-open", [&options] { options.view.open = false; },
        "write the page and print its path, without starting a browser");
    view.footer(
        "The browser is $BROWSER, or the system's own.\n"
        "\nExamples:\n"
        "  sinew view scenes/humanoid.json\n"
        "  sinew view scenes/hand.json --duration 3 -o out\n"
        "  sinew view out\n"
        "  sinew view fox.glb --clip Walk");
    view.callback([&options] { options.command = [&options] { return viewScene(options.view); }; });
}

void addRender(CLI::App& app, Options& options)
{
    CLI::App& render =
        *app.add_subcommand("render", "make a film or pictures of a motion, without a screen");
    RenderOptions& o = options.render;
    render
        .add_option("SCENE", o.run.scene,
                    "a scene file (JSON), the folder of a finished run, its page (HTML), or a character "
                    "(.glb, .bvh)")
        ->required()
        ->type_name("FILE|DIR");
    render
        .add_option(
            "-o,--output", o.output,
            "what to make: film.mp4, .webm or .gif, picture.png or .jpg, or a sequence such as %04d.png")
        ->required()
        ->type_name("FILE");
    render.add_option("--size", o.size, "pixels (1280x720; 320x180 each in a strip)")->type_name("WxH");
    addNumber<double>(render, "--fps", o.fps, "frames per second (the run's, at most 60; 20 of a GIF)");
    addNumber<double>(render, "--from", o.from, "begin at this time of the motion in s");
    addNumber<double>(render, "--to", o.to, "end at this time of the motion in s");
    addNumber<double>(render, "--speed", o.speed, "1 is real, 0.25 is slow motion (1)");
    addNumber<double>(render, "--time", o.time, "the time of one picture in s (the middle)");
    addNumber<int>(render, "--strip", o.strip, "this many pictures side by side in one PNG");
    addNumber<int>(render, "--columns", o.columns, "pictures in a row of a strip (all in one row)");
    render.add_option("--clip", o.clip, "of a character: which clip (the first, or the page's)")
        ->type_name("NAME");
    render.add_flag("--dark", o.dark, "use a dark background");
    addNumber<double>(render, "--azimuth", o.azimuth, "of the camera about the vertical in degrees");
    addNumber<double>(render, "--elevation", o.elevation, "of the camera above the ground in degrees");
    addNumber<int>(render, "--browsers", o.browsers,
                   "how many browsers draw a film side by side (as many as pay)");
    render.add_flag("--gpu", o.gpu, "draw with a graphics card where there is one");
    addNumber<double>(render, "--timeout", o.timeout, "the longest wait for one picture in s (120)");
    addSimulation(render, o.run);
    render.footer(
        "Needs Debian's packages chromium and, for films, ffmpeg; the environment variables CHROMIUM and\n"
        "FFMPEG name other programs. Options of the simulation go with a scene only.\n"
        "\nExamples:\n"
        "  sinew render scenes/humanoid.json -o humanoid.mp4\n"
        "  sinew render out -o fall.gif --from 0.5 --to 2 --speed 0.25 --size 640x360\n"
        "  sinew render out/index.html -o strip.png --strip 8 --columns 4\n"
        "  sinew render out -o frames/%04d.png --fps 25 --dark\n"
        "  sinew render fox.glb -o strip.png --strip 6 --clip Walk");
    render.callback([&options] { options.command = [&options] { return renderMotion(options.render); }; });
}

void addCheck(CLI::App& app, Options& options)
{
    CLI::App& check = *app.add_subcommand("check", "describe a scene, or say what is wrong with it");
    addScene(check, options.scene);
    addImport(check, options.import);
    addGround(check, options.import);
    check.footer("\nExample:\n  sinew check scenes/humanoid.json");
    check.callback(
        [&options] { options.command = [&options] { return checkScene(options.scene, options.import); }; });
}

void addAccel(CLI::App& app, Options& options)
{
    CLI::App& accel =
        *app.add_subcommand("accel", "print accelerations and joint loads at the start of a scene");
    addScene(accel, options.accel.scene);
    accel.add_option("--solver", options.accel.solver, "the method (see sinew solvers)")->type_name("NAME");
    accel.add_flag("--json", options.accel.json, "print JSON");
    accel.footer("\nExample:\n  sinew accel scenes/hakenberg.json --solver hakenberg --json");
    accel.callback(
        [&options] { options.command = [&options] { return printAccelerations(options.accel); }; });
}

void addCompare(CLI::App& app, Options& options)
{
    CLI::App& compare =
        *app.add_subcommand("compare", "compare every method with the oracle: disagreement and time");
    addScene(compare, options.scene);
    compare.add_flag("--json", options.json, "print JSON");
    compare.footer("\nExample:\n  sinew compare scenes/free_chain.json");
    compare.callback([&options] {
        options.command = [&options] { return compareMethods(options.scene, options.json); };
    });
}

void addSolvers(CLI::App& app, Options& options)
{
    CLI::App& solvers = *app.add_subcommand("solvers", "list the methods and the integrators");
    solvers.add_flag("--json", options.json, "print JSON");
    solvers.footer("\nExample:\n  sinew solvers");
    solvers.callback([&options] { options.command = [&options] { return listSolvers(options.json); }; });
}

void addSlides(CLI::App& app, Options& options)
{
    CLI::App& slides =
        *app.add_subcommand("slides", "draw what each integrator does, as a page of pictures");
    slides.add_option("-o,--output", options.output, "the folder for slides.html")
        ->required()
        ->type_name("DIR");
    slides.footer("\nExample:\n  sinew slides -o out");
    slides.callback([&options] { options.command = [&options] { return writeSlides(options.output); }; });
}

void addRelax(CLI::App& app, Options& options)
{
    CLI::App& relax = *app.add_subcommand("relax", "bring spring meshes to rest, with a report");
    addScene(relax, options.relax.scene);
    relax.add_option("-o,--output", options.relax.output, "a folder for the meshes (OBJ) and relax.csv")
        ->type_name("DIR");
    addNumber<double>(relax, "--tolerance", options.relax.tolerance,
                      "force that may be left, in weights of a vertex (1e-6)");
    addNumber<int>(relax, "--rounds", options.relax.rounds, "at most (60)");
    relax.footer("\nExample:\n  sinew relax scenes/cloth.json -o out");
    relax.callback([&options] { options.command = [&options] { return relaxMeshes(options.relax); }; });
}

void addOptimize(CLI::App& app, Options& options)
{
    OptimizeOptions& own = options.optimize;
    CLI::App& optimize = *app.add_subcommand(
        "optimize", "find a motion that fulfils the wishes of a scene, obeys physics and costs least");
    addScene(optimize, own.scene);
    optimize.add_option("-o,--output", own.output, "a folder for the results, as of a run")
        ->type_name("DIR")
        ->required();
    optimize
        .add_option("--from", own.from,
                    "start from a motion: a folder of `optimize` or `run`, plan.json, trajectory.csv")
        ->type_name("MOTION");
    addNumber<int>(optimize, "--iterations", own.iterations, "at most, on one mesh (3000)");
    addNumber<double>(optimize, "--tolerance", own.tolerance, "of wishes and limits, SI units (8e-9)");
    addNumber<double>(
        optimize, "--accuracy", own.accuracy,
        "pieces that a simulation of them leaves by more are cut in two; parts of the figure (1e-7)");
    optimize.add_option("--solver", own.solver, "own, or ipopt where it was built in (own)")
        ->type_name("NAME");
    optimize.add_flag("!--open-loop", own.feedback, "replay the forces of the plan without feedback");
    optimize.add_flag("!--no-page", own.page, "do not write index.html");
    optimize.add_flag("-q,--quiet", own.quiet, "print nothing but errors");
    optimize.footer("\nExample:\n  sinew optimize scenes/swing_up.json -o out");
    optimize.callback(
        [&options] { options.command = [&options] { return optimizeMotion(options.optimize); }; });
}

void addFitTorques(CLI::App& app, Options& options)
{
    CLI::App& fit =
        *app.add_subcommand("fit-torques", "propose torque functions from the angles of a recorded run");
    fit.add_option("RUN", options.fit.run, "the folder of a finished run")->required()->type_name("DIR");
    fit.add_option("-o,--output", options.fit.output, "the scene file to write")
        ->required()
        ->type_name("FILE");
    addNumber<double>(fit, "--give", options.fit.give,
                      "how many degrees beyond its range a joint gives under all its load (10)");
    fit.footer("\nExample:\n  sinew fit-torques out/arm -o arm_with_torques.json");
    fit.callback([&options] { options.command = [&options] { return fitTorques(options.fit); }; });
}

void addPull(CLI::App& app, Options& options)
{
    CLI::App& pull = *app.add_subcommand("pull", "pull one bone of a figure; the others follow");
    PullOptions& o = options.pull;
    addScene(pull, o.scene);
    pull.add_option("--body", o.body, "the bone to pull")->required()->type_name("NAME");
    addPlace(pull, "--to", o.to, "where its point shall go, in the world")->required();
    addPlace(pull, "--point", o.point, "which point, in the frame of the body (its origin)");
    pull.add_option("--hold", o.hold, "a bone that stays where it is, in a figure that floats")
        ->type_name("NAME");
    addNumber<int>(pull, "--steps", o.steps, "number of steps, one frame each, 60 frames a second (60)");
    addNumber<int>(pull, "--sweeps", o.sweeps, "most sweeps over the bones in each step (100)");
    pull.add_option("-o,--output", o.output, "the folder for the results, as sinew run has them")
        ->required()
        ->type_name("DIR");
    pull.footer(
        "Positions only: no masses, no forces. Bones keep their lengths; joints and the limits of hinges "
        "hold.\n"
        "\nExample:\n"
        "  sinew pull scenes/standing.json --body left_hand --to 0.5,1.2,0.3 --hold pelvis -o out");
    pull.callback([&options] { options.command = [&options] { return pullBody(options.pull); }; });
}

void addPose(CLI::App& app, Options& options)
{
    CLI::App& pose =
        *app.add_subcommand("pose", "find the pose that wishes want, within the limits of joints");
    PoseCommand& o = options.pose;
    addScene(pose, o.scene);
    pose.add_option("--wish", o.wishes, "beside those of the scene: JSON as there, or BODY:X,Y,Z")
        ->type_name("WISH");
    pose.add_flag("--only", o.only, "without the wishes of the scene");
    addNumber<double>(pose, "--time", o.time, "take the scene's wishes of that moment, s (0)");
    addNumber<double>(pose, "--tolerance", o.tolerance,
                      "a wish missed by less is fulfilled, m or rad (1e-5)");
    addNumber<int>(pose, "--iterations", o.iterations, "at most, of each search (200)");
    pose.add_option("-o,--output", o.output, "the folder for the results, as sinew run has them")
        ->required()
        ->type_name("DIR");
    pose.footer(
        "Exit code 4: not all wishes can be fulfilled; the nearest pose is written, and those that "
        "conflict "
        "are named.\n"
        "\nExamples:\n"
        "  sinew pose scenes/reach.json -o out\n"
        "  sinew pose scenes/standing.json --wish left_hand:0.3,1.5,0.4 "
        "--wish '{\"type\": \"pin\", \"body\": \"pelvis\"}' -o out");
    pose.callback([&options] { options.command = [&options] { return poseFigure(options.pose); }; });
}

// How a character without masses gets them.
void addBody(CLI::App& app, BodyChoice& o)
{
    app.add_option("--unit", o.unit, "unit of length in the file (guessed from the height)")
        ->type_name("m|cm|mm|inch|foot|cmu|NUMBER");
    addNumber<double>(app, "--height", o.height, "height of the character in m, instead of a unit");
    addNumber<double>(app, "--mass", o.mass, "mass of the whole character in kg (from its density)");
    addNumber<double>(app, "--density", o.density, "in kg/m³ (1000)");
    app.add_option("--table", o.table, "distribute the mass by a table of body segments")
        ->type_name("winter|leva_male|leva_female");
    app.add_option(
           "--set", o.rules,
           "for bones that match a pattern: stiffness, damping, density, mass, radius (m), swing and "
           "twist (degrees), bends=hinge|freely, collides=yes|no; of bakes also lag (degrees), weight, "
           "drag, "
           "link=yes|no")
        ->type_name("PATTERN:KEY=VALUE,...")
        ->allow_extra_args(false);
}

void addBake(CLI::App& app, Options& options)
{
    CLI::App& bake =
        *app.add_subcommand("bake", "simulate some bones of a character and add the motion to its file");
    BakeCommand& command = options.bake;
    BakeOptions& o = command.options;
    bake.add_option("CHARACTER", command.character, "a character: .glb, .gltf or .bvh")
        ->required()
        ->type_name("FILE");
    bake.add_option("-o,--output", command.output,
                    "the new file; of the same kind, or .bvh; of a .bvh also .glb")
        ->required()
        ->type_name("FILE");
    bake.add_option("--dynamic", o.dynamic, "bones that physics moves; * and ? stand for anything")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    bake.add_option("--animated", o.animated,
                    "bones that keep their animation even where --dynamic matches")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    bake.add_option(
            "--preset", o.presets,
            "what a part is like: tail, ear, hair, cape, skirt, breast, antenna, ragdoll or limp; by "
            "itself it finds its bones by their names, else those of PATTERN or --dynamic")
        ->type_name("[PATTERN:]NAME")
        ->allow_extra_args(false);
    bake.add_option("--flesh", o.flesh.bones,
                    "bones whose skin is soft and jiggles, by morph targets in the new file")
        ->type_name("PATTERN,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    addNumber<double>(bake, "--flesh-stiffness", o.flesh.stiffness,
                      "how firmly flesh follows its bones: the frequency it swings at in Hz (3)");
    addNumber<double>(bake, "--flesh-damping", o.flesh.damping, "damping ratio of that swing (0.2)");
    addNumber<int>(bake, "--flesh-targets", o.flesh.targets, "morph targets at most (16)");
    bake.add_option("--clip", o.clip, "the animation to begin with (the first)")->type_name("NAME");
    bake.add_option("--motion", command.motion,
                    "begin with the clip of another character (.bvh, .glb, .gltf), put onto this one")
        ->type_name("FILE");
    bake.add_option("--map", command.map, "which bones of --motion lead which: lines of THEIRS = OURS")
        ->type_name("FILE");
    bake.add_option("--name", o.name, "name of the new clip (the name of the old one with ' physics')")
        ->type_name("NAME");
    bake.add_flag("--replace", command.replace, "replace a clip that has this name already");
    addNumber<double>(bake, "--from", o.from, "when physics begins, in s (0)");
    addNumber<double>(bake, "--duration", o.duration, "length of the new clip in s (that of the old one)");
    bake.add_flag("--repeat", o.repeat,
                  "repeat the animation when it ends, instead of holding its last pose");
    bake.add_flag("--loop", o.seamless, "make a clip that ends as it begins");
    addNumber<double>(bake, "--fps", o.fps, "keys per second (60)");
    addNumber<double>(bake, "--reduce", command.reduce,
                      "drop keys that the others reproduce to within NUMBER radians (and NUMBER times the "
                      "character's size)");
    addNumber<double>(bake, "--step", o.step, "the time step in s (about 1/120)");
    addNumber<double>(bake, "--stiffness", o.stiffness,
                      "how firmly bones follow the animation: the frequency they swing at in Hz, 0 is limp "
                      "(found from the "
                      "length of each chain and from the clip)");
    addNumber<double>(bake, "--damping", o.damping,
                      "damping ratio of that swing; 1 is critical (0.25 to 0.5, by the clip)");
    addNumber<double>(bake, "--lag", command.lag,
                      "where the stiffness is found: how far tips stay behind on average, in degrees (7)");
    addNumber<double>(bake, "--gravity", o.gravity, "in m/s² (9.81)");
    addNumber<double>(bake, "--hold", o.hold,
                      "fraction of their weight that is compensated (1; 0 for limp bones)");
    addPlace(bake, "--wind", o.wind, "its speed in m/s (none)");
    addNumber<double>(bake, "--gusts", o.gusts, "variation of the wind, as a fraction of its force (0.5)");
    addNumber<double>(bake, "--drag", o.drag,
                      "drag of still air on dynamic bones: 1 is that of cylinders in air (0)");
    bake.add_flag("--collide", command.collide,
                  "let dynamic bones collide with each other, too, and not with the animated ones alone");
    bake.add_flag("--no-collide", command.collideNothing, "let dynamic bones pass through everything");
    bake.add_option("--link", o.links,
                    "tie chains of dynamic bones that match to those beside them, as capes and skirts are")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    bake.add_option(
            "--root", command.root,
            "what has no animated bone above it: drawn along its animation, or free to fall (tracked; "
            "free if it is limp)")
        ->type_name("tracked|free");
    bake.add_option("--weight", command.weights,
                    "how much of the physics is seen, from 0 to 1, at times in s; smoothly between them")
        ->type_name("[PATTERN:]TIME=WEIGHT,...")
        ->allow_extra_args(false);
    addNumber<double>(bake, "--to", command.to, "when the animation has taken over again, in s (never)");
    addNumber<double>(bake, "--blend", command.blend, "how long that takes, in s (0.5)");
    bake.add_option("--hit", command.hits, "a blow on a dynamic bone: an impulse in N·s along x, y and z")
        ->type_name("BONE,TIME,X,Y,Z")
        ->allow_extra_args(false);
    bake.add_option("--then", command.next,
                    "the clip that takes over at a time, where the character is by then, such as one of "
                    "getting up; blended in within BLEND s (1)")
        ->type_name("CLIP,TIME[,BLEND]");
    addNumber<double>(bake, "--ground", o.ground, "a floor at this height, in the file's unit");
    addNumber<double>(bake, "--friction", o.friction, "coefficient of friction (0.6)");
    addBody(bake, command.body);
    bake.add_option("--scene", command.scene, "also write the scene that was simulated")->type_name("FILE");
    bake.footer(
        "Meshes, materials, skins and other clips stay as they are. Give --dynamic, --flesh or both.\n"
        "\nExamples:\n"
        "  sinew bake Fox.glb --dynamic '*Tail*' -o fox.glb\n"
        "  sinew bake Fox.glb --clip Run --preset tail --loop -o fox.glb\n"
        "  sinew bake hero.glb --preset hair --preset cape --preset skirt --loop -o hero.glb\n"
        "  sinew bake CesiumMan.glb --dynamic '*' --from 1 --duration 4 --stiffness 0 --ground 0 -o "
        "limp.glb\n"
        "  sinew bake Fox.glb --clip Run --flesh '*Spine*,*Hip*' --loop -o fox.glb\n"
        "  sinew bake CesiumMan.glb --motion walk.bvh --dynamic '*arm*' -o walk.glb");
    bake.callback([&options] { options.command = [&options] { return bakeCharacter(options.bake); }; });
}

void addConvert(CLI::App& app, Options& options)
{
    CLI::App& convert =
        *app.add_subcommand("convert", "write a scene, a run or a character in another format");
    ConvertOptions& o = options.convert;
    convert
        .add_option("IN", o.input,
                    "a scene (.json, .urdf, .xml), the folder of a run, a character (.glb, .gltf, .bvh), a "
                    "recorded motion (.sinewt) or a mesh (.obj, .stl, .dae)")
        ->required()
        ->type_name("FILE|DIR");
    convert.add_option("OUT", o.output, "what to write: .json, .glb, .bvh, .usda, .csv or .sinewt")
        ->required()
        ->type_name("FILE");
    addNumber<double>(convert, "--fps", o.fps, "frames per second (as they are)");
    convert.add_option("--clip", o.clip, "of a character: which (the first)")->type_name("NAME");
    convert.add_flag("--skeleton", o.skeleton, "write a run (.glb, .usda) as bones with a skin");
    convert.add_flag("--every-frame", o.everyFrame, "as .glb: keep a key for every frame");
    convert
        .add_option("--onto", o.onto, "put the motion of a character (IN) onto this one, and write that")
        ->type_name("FILE");
    convert.add_option("--map", o.map, "with --onto: which bones lead which, lines of THEIRS = OURS")
        ->type_name("FILE");
    addNumber<double>(convert, "--ground", o.ground,
                      "character, robot or model to scene: a floor at this height");
    addNumber<double>(convert, "--stiffness", o.stiffness,
                      "character to scene: how firmly it follows its clip, in Hz (0, it is limp)");
    addNumber<double>(convert, "--damping", o.damping, "damping ratio of that (0.7; 0.25 if limp)");
    addImport(convert, o.import);
    addBody(convert, o.body);
    convert.footer(
        "A character becomes a scene as a figure that falls: capsules in its skin, ball joints, limits by "
        "name.\n"
        "\nExamples:\n"
        "  sinew convert humanoid.xml humanoid.json\n"
        "  sinew convert out humanoid.glb --fps 30\n"
        "  sinew convert walk.bvh walk.usda\n"
        "  sinew convert walk.bvh walking.glb --onto CesiumMan.glb\n"
        "  sinew convert CesiumMan.glb ragdoll.json --ground 0");
    convert.callback([&options] { options.command = [&options] { return convertFile(options.convert); }; });
}

void addInfo(CLI::App& app, Options& options)
{
    CLI::App& info = *app.add_subcommand("info", "describe what is in a file");
    info.add_option("FILE", options.scene, "a scene, character, robot, mesh, recorded motion or run")
        ->required()
        ->type_name("FILE|DIR");
    info.add_flag("--json", options.json, "print JSON");
    info.footer("\nExample:\n  sinew info Fox.glb");
    info.callback(
        [&options] { options.command = [&options] { return describeFile(options.scene, options.json); }; });
}

void addMake(CLI::App& app, Options& options)
{
    CLI::App& make = *app.add_subcommand("make", "make a scene");
    make.require_subcommand(1);
    make.footer("\nExample:\n  sinew make chain --links 100 -o chain.json");
    CLI::App& chain = *make.add_subcommand("chain", "a chain of equal links");
    ChainOptions& o = options.chain;
    addNumber<int>(chain, "--links", o.links, "how many")->required();
    addNumber<double>(chain, "--length", o.length, "of each link in m (0.1)");
    addNumber<double>(chain, "--mass", o.mass, "of each link in kg (0.1)");
    addNumber<double>(chain, "--radius", o.radius, "of each link in m (0.02)");
    addChoice(chain, "--joint", "spherical", "hinge", options.hinges, "between links (spherical)");
    addNumber<double>(chain, "--stiffness", o.stiffness, "of every joint in N·m/rad (0)");
    addNumber<double>(chain, "--damping", o.damping, "of every joint in N·m·s/rad (0)");
    addNumber<double>(chain, "--tip-ratio", o.tipRatio, "mass of the last link over the others' (1)");
    addChoice(chain, "--start", "hanging", "horizontal", o.horizontal, "which way it points (hanging)");
    addChoice(chain, "--root", "pinned", "free", options.floating, "tied to the world or not (pinned)");
    chain.add_option("-o,--output", options.output, "the scene file to write")
        ->required()
        ->type_name("FILE");
    chain.footer(
        "\nExample:\n  sinew make chain --links 50 --joint hinge --stiffness 10 --start horizontal -o "
        "chain.json");
    chain.callback([&options] {
        if (options.hinges) options.chain.joint = JointType::hinge;
        options.chain.pinned = !options.floating;
        options.command = [&options] { return makeChainFile(options.chain, options.output); };
    });
}

// The subcommand that was named last: sinew make chain → chain.
const CLI::App& innermost(const CLI::App& app)
{
    const CLI::App* current = &app;
    while (!current->get_subcommands().empty()) current = current->get_subcommands().front();
    return *current;
}

// "sinew run", for pointing at the right --help.
std::string pathOf(const CLI::App& app)
{
    return app.get_parent() ? pathOf(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string withSuggestion(const std::string& word, const std::vector<std::string>& known)
{
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view near = words::nearestWord(word, views);
    return words::quoted(word) + (near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

// A word that belongs nowhere: the subcommand or option that was probably meant.
std::string strayWord(const CLI::App& app, const std::string& word)
{
    std::vector<std::string> known;
    if (!word.starts_with('-') && app.get_subcommands({}).empty())
        return "unexpected " + words::quoted(word);
    if (word.starts_with('-')) {
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        }
        return "unknown option " + withSuggestion(word.substr(0, word.find('=')), known);
    }
    for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
    return "unknown command " + withSuggestion(word, known);
}

// Whatever the parser found, as one line.
int parseFault(const CLI::App& app, const CLI::ParseError& error)
{
    const CLI::App& inner = innermost(app);
    const std::vector<std::string> stray = app.remaining(true);
    std::string message = stray.empty() ? std::string(error.what()) : strayWord(inner, stray.front());
    if (stray.empty() && !inner.get_subcommands({}).empty()) {
        std::vector<std::string> names;
        for (const CLI::App* command : inner.get_subcommands({})) names.push_back(command->get_name());
        message = fmt::format("say what to do: {}",
                              words::joined(std::vector<std::string_view>(names.begin(), names.end())));
    }
    return fail(fmt::format("{}: {} (see {} --help)", pathOf(inner), message, pathOf(inner)));
}

int runCommand(int argc, char** argv)
{
    CLI::App app("Sinew: physically based character animation", "sinew");
    app.set_version_flag("--version", "sinew " SINEW_VERSION, "print the version");
    app.set_help_all_flag("--help-all", "print the help of every command");
    app.require_subcommand(1);
    app.footer("\nExample:\n  sinew view scenes/humanoid.json");
    Options options;
    addRun(app, options);
    addCrowd(app, options);
    addView(app, options);
    addRender(app, options);
    addCheck(app, options);
    addAccel(app, options);
    addCompare(app, options);
    addSolvers(app, options);
    addSlides(app, options);
    addRelax(app, options);
    addOptimize(app, options);
    addFitTorques(app, options);
    addPull(app, options);
    addPose(app, options);
    addBake(app, options);
    addConvert(app, options);
    addInfo(app, options);
    addMake(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);  // help and version
    } catch (const CLI::ParseError& error) {
        return parseFault(app, error);
    }
    return options.command();
}

}  // namespace

}  // namespace sinew

int main(int argc, char** argv)
{
    sinew::openStandardFiles();
    sinew::handleSignals();
    sinew::endWhenOutOfMemory();
    int exitCode = sinew::exitDone;
    try {
        exitCode = sinew::runCommand(argc, argv);
    } catch (const std::bad_alloc&) {
        return sinew::fail("sinew: out of memory");
    } catch (const std::system_error& error) {
        if (std::ferror(stdout) == 0) return sinew::fail(std::string("sinew: ") + error.what());
        sinew::noteOutputFault(error.code().value());  // fmt found no room for more than stdout's buffer
    } catch (const std::exception& error) {
        return sinew::fail(std::string("sinew: ") + error.what());
    }
    return sinew::flushOutput(exitCode);
}
