// sinew accel: what one method says about the start of a scene.
#include <fmt/core.h>

#include "sinew/apps/commands.h"
#include "sinew/apps/evaluation.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/text.h"
#include "sinew/dynamics/work.h"
#include "sinew/io/json/json.h"
#include "sinew/simulation/simulation.h"

namespace sinew {

namespace {

json::Value list(std::span<const double> numbers)
{
    return json::Value::array({numbers.begin(), numbers.end()});
}

json::Value list(const Vec3& v)
{
    return list(std::span(v.data(), 3));
}

std::span<const double> jointPart(const Joint& joint, const VecX& values)
{
    return {values.data() + joint.u, static_cast<std::size_t>(joint.freedoms())};
}

void printJson(const Method& method, const Model& model, const Accelerations& result)
{
    json::Value bodies = json::Value::array(), joints = json::Value::array();
    for (int i : model.bodyOrder) {
        json::Value body = json::Value::object();
        body.add("name", model.bodies[i].name);
        body.add("linear", list(result.body[i].linear));
        body.add("angular", list(result.body[i].angular));
        bodies.add(std::move(body));
    }
    for (int i : model.jointOrder) {
        json::Value joint = json::Value::object();
        joint.add("name", model.joints[i].name);
        joint.add("acceleration", list(jointPart(model.joints[i], result.joint)));
        joint.add("force", list(result.load[i].force));
        joint.add("torque", list(result.load[i].torque));
        joints.add(std::move(joint));
    }
    json::Value out = json::Value::object();
    out.add("scene", model.name);
    out.add("solver", method.name);
    out.add("bodies", std::move(bodies));
    out.add("joints", std::move(joints));
    fmt::print("{}", json::write(out));
}

std::string shortNumbers(std::span<const double> numbers)
{
    std::string text;
    // Adding zero makes −0 print as 0.
    for (double number : numbers) text += fmt::format("{:>12.5g}", number + 0.0);
    return text;
}

std::string shortNumbers(const Vec3& v)
{
    return shortNumbers(std::span(v.data(), 3));
}

void printTables(const Method& method, const Model& model, const Accelerations& result)
{
    using Align = Table::Align;
    fmt::print("{} by {}, at the start, in world axes\n\n",
               shownName(model.name.empty() ? "scene" : model.name), method.name);
    Table bodies(
        {{"body", Align::left}, {"linear (m/s²)", Align::right}, {"angular (rad/s²)", Align::right}});
    for (int i : model.bodyOrder) {
        bodies.row({shownName(model.bodies[i].name), shortNumbers(result.body[i].linear),
                    shortNumbers(result.body[i].angular)});
    }
    fmt::print("{}", bodies.text());
    if (model.jointOrder.empty()) return;
    Table joints({{"joint", Align::left},
                  {"force on the first body (N)", Align::right},
                  {"torque on it (N·m)", Align::right},
                  {"  acceleration (rad/s², m/s²)", Align::left}});
    for (int i : model.jointOrder) {
        joints.row({shownName(model.joints[i].name), shortNumbers(result.load[i].force),
                    shortNumbers(result.load[i].torque),
                    shortNumbers(jointPart(model.joints[i], result.joint))});
    }
    fmt::print("\n{}", joints.text());
}

}  // namespace

int printAccelerations(const AccelOptions& options)
{
    // A wrong solver is told before a large scene is read.
    if (!options.solver.empty() && !findMethod(options.solver))
        return fail("--solver: " + unknownName("solver", options.solver, methodNames()));
    Result<Evaluation> loaded = loadEvaluation(options.scene);
    if (!loaded) return fail(loaded.error());
    const Evaluation& e = loaded.value();

    const std::string& wish = e.scene.description.run.solver;
    const std::string name = !options.solver.empty() ? options.solver
                             : !wish.empty()         ? wish
                                                     : std::string(settingName(Settings::defaultSolver));
    const Method* method = findMethod(name);
    if (!method)
        return fail(options.scene + ": /run/solver: " + unknownName("solver", name, methodNames()));
    if (const std::string reason = unsupportedReason(*method, e.model); !reason.empty())
        return fail(options.scene + ": " + reason);

    Work work;
    Accelerations result;
    result.resize(e.model);
    method->accelerate(e.model, e.state, e.forces, work, result);
    if (options.json)
        printJson(*method, e.model, result);
    else
        printTables(*method, e.model, result);
    return exitDone;
}

}  // namespace sinew
