// sinew relax: meshes of a scene at rest, with a report of how they came there.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/text.h"
#include "sinew/io/csv/csv.h"
#include "sinew/io/whole_file.h"
#include "sinew/model/model.h"
#include "sinew/soft/groups.h"
#include "sinew/soft/relax.h"
#include "sinew/state/state.h"

namespace sinew {
namespace {

std::string objText(const SpringMesh& mesh, const MeshState& state)
{
    std::string text = fmt::format("# {} at rest, by sinew relax\n", printable(mesh.name));
    for (int i = 0; i < mesh.size(); ++i)
        text += fmt::format("v {} {} {}\n", state.x[3 * i], state.x[3 * i + 1], state.x[3 * i + 2]);
    for (const auto& face : mesh.faces)
        text += fmt::format("f {} {} {}\n", face[0] + 1, face[1] + 1, face[2] + 1);
    return text;
}

}  // namespace

int relaxMeshes(const RelaxOptions& options)
{
    if (!(std::isfinite(options.tolerance) && options.tolerance > 0))
        return fail(fmt::format("--tolerance: must be a positive number, not {}", options.tolerance));
    if (options.rounds < 1) return fail(fmt::format("--rounds: must be 1 or more, not {}", options.rounds));
    Result<SceneFile> scene = openScene(options.scene);
    if (!scene) return fail(scene.error());
    const Result<Model> model = compile(scene.value().description);
    if (!model) return fail(inScene(model.error(), options.scene));
    if (model.value().meshes.empty())
        return fail(fmt::format("{}: has no meshes to relax", printable(options.scene)));
    Result<State> state = initialState(model.value(), scene.value().description);
    if (!state) return fail(inScene(state.error(), options.scene));
    MeshSurroundings around;
    around.model = &model.value();
    around.start = around.end = &state.value().bodies;

    std::string report = "mesh,round,step,iterations,force,way,energy\n";
    bool isAtRest = true;
    for (const TiedMeshes& group : model.value().meshGroups) {
        const SpringMesh& mesh = solvedMesh(model.value(), group);
        MeshState memory;
        MeshState at = solvedState(model.value(), group, state.value().meshes, memory);
        const Relaxation found = relax(mesh, around, at, options.tolerance, options.rounds);
        if (group.joined.empty())
            state.value().meshes[static_cast<std::size_t>(group.members.front())] = std::move(at);
        else
            spread(model.value(), group, at, state.value().meshes);
        for (std::size_t r = 0; r < found.rounds.size(); ++r) {
            const RelaxRound& round = found.rounds[r];
            report += fmt::format("{},{},{},{},{},{},{}\n", csvField(mesh.name), r + 1, round.step,
                                  round.iterations, round.force, round.way, round.energy);
        }
        const RelaxRound& last = found.rounds.back();
        fmt::print("{}: {} after {}, force left {:.2g} N, last way {:.2g} m, energy {:.6g} J\n",
                   printable(mesh.name), found.converged ? "at rest" : "NOT at rest",
                   counted(static_cast<int>(found.rounds.size()), "round", "rounds"), last.force, last.way,
                   last.energy);
        isAtRest = isAtRest && found.converged;
    }
    if (!options.output.empty()) {
        std::error_code code;
        std::filesystem::create_directories(options.output, code);
        if (code)
            return fail(fmt::format("{}: cannot be made: {}", printable(options.output), code.message()));
        const auto write = [&](const std::string& name, const std::string& text) {
            return writeWhole((std::filesystem::path(options.output) / name).string(), text);
        };
        std::string fault = write("relax.csv", report);
        for (std::size_t m = 0; m < model.value().meshes.size() && fault.empty(); ++m)
            fault = write(fmt::format("mesh{}.obj", m),
                          objText(model.value().meshes[m], state.value().meshes[m]));
        if (!fault.empty()) return fail(fault);
        fmt::print("results in {}\n", printable(options.output));
    }
    return isAtRest ? exitDone : exitDiverged;
}

}  // namespace sinew
