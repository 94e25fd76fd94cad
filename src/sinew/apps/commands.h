// The subcommands, each a function from its options to an exit code. main.cpp fills the options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/apps/bone_rules.h"
#include "sinew/character/bake.h"
#include "sinew/figure/chain.h"
#include "sinew/io/imported.h"

namespace sinew {

struct RunOptions {
    std::string scene;
    ImportOptions import;
    std::string output;
    std::string solver;
    std::string integrator;
    std::string coordinates;           // joint or maximal
    std::optional<double> step;        // s
    std::optional<double> duration;    // s
    std::optional<double> fps;         // frames per second
    std::optional<int> slowBand;       // steps
    bool spread = false;               // the slow band over them
    std::optional<double> tolerance;   // of integrators that adapt
    std::optional<int> threads;        // that share the skeletons
    std::optional<double> checkpoint;  // s of simulated time between two
    std::string resume;                // a folder with a checkpoint
    bool live = false;                 // by the clock, with lines from standard input
    std::string replay;                // a recording
    bool velocities = false;           // write velocities.csv too
    bool page = true;                  // write index.html too
    bool quiet = false;                // print nothing but errors
};
// Exit codes: without a result it is exitBadInput; after any other the folder holds one, and a page.
int runScene(const RunOptions& options);

struct CrowdOptions {
    std::string scene;
    std::string output;
    int count = 0;
    std::string vary;                   // a file; empty: all are alike
    std::optional<std::uint64_t> seed;  // instead of the file's
    std::optional<double> step, duration, fps;
    std::optional<int> threads;
    int show = 200;               // of them in the page, at most
    bool single = false;          // precision
    bool explicitForces = false;  // springs are not taken implicitly
    bool page = true;
};
int runCrowd(const CrowdOptions& options);

struct ViewOptions {
    RunOptions
        run;  // run.scene may be the folder of a finished run, or a character; run.output may be empty
    std::string clip;  // of a character; empty: the first
    bool open = true;
};
int viewScene(const ViewOptions& options);

struct RenderOptions {
    RunOptions run;  // run.scene: a scene, the folder of a finished run, a page or a character; run.fps is
                     // not asked for
    std::string clip;    // of a character, or of a page that has one
    std::string output;  // its ending says what is made
    std::string size;    // such as 1280x720
    std::optional<double> fps;
    std::optional<double> time;                // s, of one picture
    std::optional<double> from, to;            // s
    std::optional<double> speed;               // 0.5: half as fast
    std::optional<double> azimuth, elevation;  // degrees
    std::optional<double> timeout;             // s
    std::optional<int> strip, columns, browsers;
    bool dark = false;
    bool gpu = false;
};
int renderMotion(const RenderOptions& options);

int checkScene(const std::string& scene, const ImportOptions& import = {});

struct AccelOptions {
    std::string scene;
    std::string solver;
    bool json = false;
};
int printAccelerations(const AccelOptions& options);

int compareMethods(const std::string& scene, bool json);

int listSolvers(bool json);

// Pictures of what the integrators do, as slides.html in a folder.
int writeSlides(const std::string& output);

struct FitTorquesOptions {
    std::string run;     // the folder of a finished run
    std::string output;  // a scene file
    double give = 10;    // degrees
};
int fitTorques(const FitTorquesOptions& options);

struct PullOptions {
    std::string scene;
    std::string body;
    std::string hold;                          // a body that stays; empty: none
    Vec3 to = Vec3::Zero();                    // world
    std::optional<Vec3> point = std::nullopt;  // of the body, in its frame; its origin
    int steps = 60;
    int sweeps = 100;  // a step, at most
    std::string output;
};
int pullBody(const PullOptions& options);

struct PoseCommand {
    std::string scene;
    std::vector<std::string> wishes;  // beside those of the scene: JSON, or BODY:X,Y,Z
    bool only = false;                // without those of the scene
    double time = 0;                  // s: which of the scene's are on
    double tolerance = 1e-5;          // m or rad
    int iterations = 200;
    std::string output;  // the folder of a run
};
int poseFigure(const PoseCommand& options);

struct OptimizeOptions {
    std::string scene;
    std::string output;
    std::string from;            // a motion to start from: a file or folder; empty: what the scene says
    int iterations = 3000;       // on one mesh
    double tolerance = 8e-9;     // of conditions, SI units
    double accuracy = 1e-7;      // of each piece in the simulation, parts of the units of the problem
    std::string solver = "own";  // or ipopt
    bool feedback = true;        // in the forward simulation
    bool page = true;
    bool quiet = false;
};
int optimizeMotion(const OptimizeOptions& options);

struct RelaxOptions {
    std::string scene;
    std::string output;       // a folder; empty: nothing is written
    double tolerance = 1e-6;  // of the weight of a vertex
    int rounds = 60;
};
int relaxMeshes(const RelaxOptions& options);

struct BakeCommand {
    std::string character;  // .glb, .gltf, .bvh
    std::string output;
    std::string scene;  // empty: not written
    BakeOptions options;
    BodyChoice body;
    std::vector<std::string> weights, hits;  // as they were given
    std::string next, root;
    std::optional<double> lag;        // degrees
    std::optional<double> to, blend;  // s
    bool collide = false, collideNothing = false;
    std::optional<double> reduce;  // rad, and of lengths that part of the character's size
    bool replace = false;
    std::string motion,
        map;  // a file whose clip is put onto the character first; and which bone leads which
};
int bakeCharacter(const BakeCommand& command);

struct ConvertOptions {
    std::string input, output;
    std::optional<double> fps;
    std::string clip;
    BodyChoice body;
    std::optional<double> ground;
    std::optional<double> stiffness, damping;  // of a character that becomes a scene, as of bakes
    ImportOptions import;
    bool skeleton = false;
    bool everyFrame = false;
    std::string onto, map;  // a character that shall move as the input does; and which bone leads which
};
int convertFile(const ConvertOptions& options);
// A character without a skin as a file of bones and capsules that move as its clip: what is wrong, or
// nothing.
std::optional<Diagnostic> writeFigure(const std::string& character, const BodyChoice& body,
                                      const std::string& output);

int describeFile(const std::string& path, bool json);

int makeChainFile(const ChainOptions& options, const std::string& output);

}  // namespace sinew
