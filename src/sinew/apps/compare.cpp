// sinew compare: every method against the oracle, at the start of a scene.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "sinew/apps/commands.h"
#include "sinew/apps/evaluation.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/text.h"
#include "sinew/dynamics/work.h"
#include "sinew/io/json/json.h"

namespace sinew {

namespace {

// Beyond this the dense oracle takes minutes and gigabytes.
constexpr int largestForOracle = 400;

struct Finding {
    const Method* method = nullptr;
    std::string reason;  // why not, or empty
    double error = 0;
    double microseconds = 0;
};

// The size of each kind of result, to which errors are related. Bodies in balance have accelerations
// that are zero but for rounding, so what acts on them counts as well.
struct Scales {
    double linear = 0, angular = 0, force = 0, torque = 0;
};

Scales scalesOf(const Evaluation& e, const Accelerations& result)
{
    double arm = 0;
    for (const Joint& joint : e.model.joints)
        arm = std::max({arm, joint.anchorChild.norm(), joint.parent < 0 ? 0 : joint.anchorParent.norm()});
    Scales s;
    for (int i = 0; i < e.model.size(); ++i) {
        const Body& body = e.model.bodies[i];
        const double spin = e.state.bodies[i].angularVelocity.squaredNorm();
        const double pushed = body.mass > 0 ? e.forces.body[i].force.norm() / body.mass : 0;
        const double linear = std::max({result.body[i].linear.norm(), pushed, spin * arm});
        s.linear = std::max(s.linear, linear);
        s.angular = std::max({s.angular, result.body[i].angular.norm(), spin});
        s.force = std::max({s.force, result.load[i].force.norm(), body.mass * linear});
        s.torque = std::max({s.torque, result.load[i].torque.norm(), e.forces.body[i].torque.norm()});
    }
    if (arm > 0) s.angular = std::max(s.angular, s.linear / arm);
    s.torque = std::max(s.torque, s.force * arm);
    return s;
}

double relativeError(const Model& model, const Accelerations& a, const Accelerations& b,
                     const Scales& scales)
{
    double worst = 0;
    bool finite = true;
    const auto compare = [&](const Vec3& x, const Vec3& y, double scale) {
        const double difference = (x - y).norm();
        finite = finite && std::isfinite(difference);
        worst = std::max(worst, scale > 0 ? difference / scale : difference);
    };
    for (int i = 0; i < model.size(); ++i) {
        compare(a.body[i].linear, b.body[i].linear, scales.linear);
        compare(a.body[i].angular, b.body[i].angular, scales.angular);
        compare(a.load[i].force, b.load[i].force, scales.force);
        compare(a.load[i].torque, b.load[i].torque, scales.torque);
    }
    return finite ? worst : INFINITY;
}

// The fastest of several batches: other work on the machine only ever adds time.
double microsecondsPerCall(const Method& method, const Evaluation& e, Work& work, Accelerations& result)
{
    using Clock = std::chrono::steady_clock;
    const auto time = [&](int calls) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) method.accelerate(e.model, e.state, e.forces, work, result);
        return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
    };
    const double once = time(1);
    constexpr double batch = 2000;  // µs
    const int calls = static_cast<int>(std::clamp(batch / std::max(once, 1e-2), 1.0, 1e5));
    double best = once;
    for (int i = 0; i < 5 && once < 1e6; ++i) best = std::min(best, time(calls));
    return best;
}

std::vector<Finding> findings(const Evaluation& e, const Method& oracle)
{
    Work work;
    Accelerations truth;
    truth.resize(e.model);
    oracle.accelerate(e.model, e.state, e.forces, work, truth);
    const Scales scales = scalesOf(e, truth);

    std::vector<Finding> all;
    for (const Method& method : methods()) {
        Finding finding{&method, unsupportedReason(method, e.model)};
        const bool dense = std::string_view(method.name) == "kkt";
        if (finding.reason.empty() && dense && e.model.size() > largestForOracle)
            finding.reason = fmt::format("dense: only for scenes of at most {} bodies", largestForOracle);
        if (finding.reason.empty()) {
            Work own;
            Accelerations result;
            result.resize(e.model);
            finding.microseconds = microsecondsPerCall(method, e, own, result);
            finding.error = relativeError(e.model, result, truth, scales);
        }
        all.push_back(std::move(finding));
    }
    return all;
}

void printJson(const Evaluation& e, const Method& oracle, const std::vector<Finding>& all)
{
    json::Value list = json::Value::array();
    for (const Finding& finding : all) {
        const bool supported = finding.reason.empty();
        json::Value item = json::Value::object();
        item.add("name", finding.method->name);
        item.add("supported", supported);
        item.add("max_relative_error", supported ? json::Value(finding.error) : json::Value());
        item.add("microseconds", supported ? json::Value(finding.microseconds) : json::Value());
        if (!supported) item.add("reason", finding.reason);
        list.add(std::move(item));
    }
    json::Value out = json::Value::object();
    out.add("scene", e.model.name);
    out.add("bodies", e.model.describedSize());
    out.add("oracle", oracle.name);
    out.add("methods", std::move(list));
    fmt::print("{}", json::write(out));
}

void printTable(const Evaluation& e, const Method& oracle, const std::vector<Finding>& all)
{
    fmt::print("{}: {}, compared with {}\n\n",
               e.model.name.empty() ? printable(e.scene.path) : shownName(e.model.name),
               counted(e.model.describedSize(), "body", "bodies"), oracle.name);
    using Align = Table::Align;
    Table table({{"method", Align::left},
                 {"largest relative error", Align::right},
                 {"µs per evaluation", Align::right},
                 {"", Align::left}});
    for (const Finding& finding : all) {
        if (finding.reason.empty()) {
            table.row({finding.method->name, fmt::format("{:.1e}", finding.error),
                       fmt::format("{:.2f}", finding.microseconds),
                       finding.method == &oracle ? "oracle" : ""});
        } else {
            table.row({finding.method->name, "–", "–", printable(finding.reason)});
        }
    }
    fmt::print("{}", table.text());
    if (e.model.size() > largestForOracle) {
        fmt::print(
            "\nThe dense oracle is only asked about scenes of at most {} bodies; {} stands in for it.\n",
            largestForOracle, oracle.name);
    }
}

}  // namespace

int compareMethods(const std::string& scene, bool json)
{
    Result<Evaluation> loaded = loadEvaluation(scene);
    if (!loaded) return fail(loaded.error());
    const Evaluation& e = loaded.value();
    const Method* oracle = findMethod(e.model.size() > largestForOracle ? "featherstone" : "kkt");
    SINEW_ASSERT(oracle != nullptr);
    if (const std::string reason = unsupportedReason(*oracle, e.model); !reason.empty())
        return fail(scene + ": " + reason);
    const std::vector<Finding> all = findings(e, *oracle);
    if (json)
        printJson(e, *oracle, all);
    else
        printTable(e, *oracle, all);
    return exitDone;
}

}  // namespace sinew
