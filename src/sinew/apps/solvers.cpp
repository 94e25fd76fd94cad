// sinew solvers: the tables of methods and integrators.
#include <fmt/core.h>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/text.h"
#include "sinew/base/words.h"
#include "sinew/integrate/integrators.h"
#include "sinew/io/json/json.h"

namespace sinew {

namespace {

using Names = std::vector<std::string_view>;

Names jointNames(const Method& method)
{
    Names names;
    for (int i = 0; i < jointTypeCount(); ++i) {
        const auto type = static_cast<JointType>(i);
        if (method.knows(jointTypeInfo(type))) names.push_back(jointTypeName(type));
    }
    return names;
}

Names legalIntegrators(const Method& method)
{
    Names names;
    for (const Integrator& integrator : integrators())
        if (integrator.stepFor(method)) names.push_back(integrator.name);
    return names;
}

Names coordinatesOf(const Integrator& integrator)
{
    Names names;
    if (integrator.inBodyCoordinates) names.push_back("maximal");
    if (integrator.inJointCoordinates) names.push_back("joint");
    return names;
}

json::Value list(const Names& names)
{
    return json::Value::array({names.begin(), names.end()});
}

void printJson()
{
    json::Value solvers = json::Value::array(), steps = json::Value::array();
    for (const Method& method : methods()) {
        json::Value item = json::Value::object();
        item.add("name", method.name);
        item.add("title", method.title);
        item.add("source", method.source);
        item.add("joints", list(jointNames(method)));
        item.add("coordinates", coordinatesName(method));
        item.add("cost", method.cost);
        item.add("integrators", list(legalIntegrators(method)));
        solvers.add(std::move(item));
    }
    for (const Integrator& integrator : integrators()) {
        json::Value item = json::Value::object();
        item.add("name", integrator.name);
        item.add("title", integrator.title);
        item.add("source", integrator.source);
        item.add("order", integrator.order);
        item.add("evaluations", integrator.evaluations);
        item.add("stability", integrator.stability);
        item.add("conserves", integrator.conserves);
        item.add("coordinates", list(coordinatesOf(integrator)));
        steps.add(std::move(item));
    }
    json::Value out = json::Value::object();
    out.add("solvers", std::move(solvers));
    out.add("integrators", std::move(steps));
    fmt::print("{}", json::write(out));
}

}  // namespace

int listSolvers(bool json)
{
    if (json) {
        printJson();
        return exitDone;
    }
    Table solvers({{"solver"}, {"joints"}, {"coordinates"}, {"cost"}, {"integrators"}});
    Table sources({{""}, {""}, {""}});
    for (const Method& method : methods()) {
        const Names joints = jointNames(method);
        solvers.row({method.name,
                     static_cast<int>(joints.size()) == jointTypeCount() ? "all" : words::joined(joints),
                     coordinatesName(method), method.cost, words::joined(legalIntegrators(method))});
        sources.row({method.name, method.title, method.source});
    }
    Table steps({{"integrator"},
                 {"order", Table::Align::right},
                 {"evaluations"},
                 {"coordinates"},
                 {"stable"},
                 {"conserves"}});
    for (const Integrator& integrator : integrators()) {
        steps.row({integrator.name, fmt::format("{}", integrator.order), integrator.evaluations,
                   words::joined(coordinatesOf(integrator)), integrator.stability, integrator.conserves});
        sources.row({integrator.name, integrator.title, integrator.source});
    }
    fmt::print("{}\n{}\nSources\n{}", solvers.text(), steps.text(), sources.text());
    return exitDone;
}

}  // namespace sinew
