// sinew check: what a scene is, or what is wrong with it.
#include <fmt/core.h>

#include <cmath>
#include <variant>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/run_job.h"
#include "sinew/apps/scene_notes.h"
#include "sinew/apps/text.h"
#include "sinew/base/text.h"
#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/springs.h"
#include "sinew/state/particle_state.h"
#include "sinew/state/trajectory.h"

namespace sinew {

namespace {

// How far a shape reaches from its origin along a direction of its own axes.
struct Reach {
    Vec3 d;

    double operator()(const Sphere& s) const { return s.radius; }
    double operator()(const Box& b) const { return 0.5 * b.size.dot(d.cwiseAbs()); }
    double operator()(const Capsule& c) const { return c.radius + 0.5 * c.length * std::abs(d.y()); }
    double operator()(const Cylinder& c) const
    {
        return c.radius * std::hypot(d.x(), d.z()) + 0.5 * c.length * std::abs(d.y());
    }
    double operator()(const Ellipsoid& e) const { return e.radii.cwiseProduct(d).norm(); }
    double operator()(const ConvexMesh& m) const
    {
        double reach = -INFINITY;
        for (const Vec3& v : m.vertices) reach = std::max(reach, v.dot(d));
        return reach;
    }
};

// The box around everything at the start: shapes where there are some, else centres of mass and joints.
Vec3 extent(const Description& description, const Model& model, const State& state)
{
    Vec3 low = Vec3::Constant(INFINITY), high = -low;
    const auto cover = [&](const Vec3& point) {
        low = low.cwiseMin(point);
        high = high.cwiseMax(point);
    };
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
        const int body = model.bodyOrder[i];
        const Pose pose = describedPose(model, state, body);
        if (description.bodies[i].shapes.empty()) {
            cover(state.bodies[body].position);
            if (!model.joints[body].isFree()) cover(anchorOnChild(model.joints[body], state.bodies[body]));
        }
        for (const ShapeDescription& part : description.bodies[i].shapes) {
            const Pose placed = pose * Pose{part.pose.position, part.pose.orientation.normalized()};
            for (int axis = 0; axis < 3; ++axis) {
                const Vec3 d = placed.orientation.conjugate() * Vec3(Vec3::Unit(axis));
                high[axis] = std::max(high[axis], placed.position[axis] + std::visit(Reach{d}, part.shape));
                low[axis] = std::min(low[axis], placed.position[axis] - std::visit(Reach{-d}, part.shape));
            }
        }
    }
    return model.size() > 0 ? Vec3(high - low) : Vec3(Vec3::Zero());
}

std::string jointsByType(const Model& model)
{
    int counts[mostJointTypes] = {};
    for (int link : model.jointOrder) ++counts[static_cast<int>(model.joints[link].type)];
    for (const LoopJoint& loop : model.loops)
        if (!loop.isSeam) ++counts[static_cast<int>(loop.joint.type)];
    std::string text;
    for (int type = 0; type < jointTypeCount(); ++type) {
        if (counts[type] == 0) continue;
        if (!text.empty()) text += ", ";
        text += fmt::format("{} {}", counts[type], jointTypeName(static_cast<JointType>(type)));
    }
    return text;
}

std::string skeletonText(const Model& model, const Skeleton& skeleton)
{
    double mass = 0;
    int bodies = 0;
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        if (model.bodies[i].cutFrom >= 0) continue;
        mass += model.bodies[i].wholeMass();
        ++bodies;
    }
    const Joint& joint = model.joints[skeleton.first];
    const std::string tie = joint.declared ? fmt::format("{} '{}' to the world", jointTypeName(joint.type),
                                                         shownName(joint.name))
                                           : "floating";
    return fmt::format("root '{}' ({}), {}, {:.6g} kg", shownName(model.bodies[skeleton.first].name), tie,
                       counted(bodies, "body", "bodies"), mass);
}

// How many joints have limits, and how stiff these are.
std::string limitsText(const Model& model)
{
    int count = 0;
    double least = 0, most = 0;
    for (const Joint& joint : model.joints) {
        if (joint.limitStiffness == 0) continue;
        least = count ? std::min(least, joint.limitStiffness) : joint.limitStiffness;
        most = std::max(most, joint.limitStiffness);
        ++count;
    }
    if (count == 0) return {};
    const std::string stiffness =
        least == most ? fmt::format("{:g}", most) : fmt::format("{:g} to {:g}", least, most);
    return fmt::format("{}, stiffness {} N·m/rad (N/m for slides)", counted(count, "joint", "joints"),
                       stiffness);
}

// How bodies touch each other and the obstacles, and how much there is that can.
std::string contactText(const Model& model, const Description& description)
{
    static constexpr const char* responses[] = {"kinematic", "penalty", "impulse", "resting"};
    int shapes = 0;
    for (const Collider& collider : model.colliders) shapes += collider.body >= 0;
    return fmt::format("{}: {} of bodies, {}", responses[static_cast<int>(model.contact->response)],
                       counted(shapes, "shape", "shapes"),
                       counted(static_cast<int>(description.obstacles.size()), "obstacle", "obstacles"));
}

// How much of what drives and draws there is.
void addCounts(const Description& description, Table& table)
{
    const auto count = [&](const char* what, std::size_t number) {
        if (number > 0) table.row({what, fmt::format("{}", number)});
    };
    count("forces", description.forces.size());
    count("supports", description.supports.size());
    count("motors", description.motors.size());
    count("torque functions", description.torques.size());
    count("controllers", description.controllers.size());
    count("balances", description.balances.size());
    count("actions", description.actions.size());
    count("targets", description.targets.size());
    count("motions", description.motions.size());
    count("tracks", description.tracks.size());
    count("prescribed", description.prescribed.size());
    count("springs between bodies", description.springs.size());
    count("fields", description.fields.size());
}

}  // namespace

int checkScene(const std::string& path, const ImportOptions& import)
{
    Result<SceneFile> scene = openScene(path, import);
    if (!scene) return fail(scene.error());
    const Description& description = scene.value().description;
    Result<Simulation> simulation = Simulation::create(description, {});
    if (!simulation) return fail(inScene(simulation.error(), path));
    Result<RunLength> length = runLength(description.run, {}, {}, simulation.value().h);
    if (!length) return fail(inScene(length.error(), path));
    const Model& model = simulation.value().model();
    printSceneNotes(scene.value(), model);

    Table table({{"", Table::Align::left}, {"", Table::Align::left}});
    table.row({"bodies", fmt::format("{}", model.describedSize())});
    const std::string types = jointsByType(model);
    table.row({"joints", types.empty() ? "0" : fmt::format("{}: {}", model.declaredJointCount(), types)});
    table.row({"degrees of freedom", fmt::format("{}", model.freedomCount)});
    constexpr std::size_t shown = 10;
    std::vector<Skeleton> skeletons = model.skeletons;
    std::erase_if(skeletons, [&](const Skeleton& s) { return model.bodies[s.first].cutFrom >= 0; });
    for (std::size_t i = 0; i < skeletons.size() && i < shown; ++i) {
        const std::string label = skeletons.size() == 1 ? "skeleton" : fmt::format("skeleton {}", i + 1);
        table.row({label, skeletonText(model, skeletons[i])});
    }
    if (skeletons.size() > shown)
        table.row({"", fmt::format("and {} more skeletons", skeletons.size() - shown)});
    table.row({"mass", fmt::format("{:.6g} kg", model.mass())});
    const Vec3 size = extent(description, model, simulation.value().state);
    table.row({"height", fmt::format("{:.4g} m ({:.4g} × {:.4g} × {:.4g} along x, y, z)", size.y(),
                                     size.x(), size.y(), size.z())});
    if (const std::string limits = limitsText(model); !limits.empty()) table.row({"limits", limits});
    if (!model.obstacles.empty())
        table.row({"obstacles", fmt::format("{}, touched at {}", model.obstacles.size(),
                                            counted(static_cast<int>(model.contactPoints.size()),
                                                    "place of the bodies", "places of the bodies"))});
    if (model.contact) table.row({"contact", contactText(model, description)});
    addCounts(description, table);
    for (const ParticleSystem& system : model.particles)
        table.row({"particles " + quotedName(system.name),
                   fmt::format("at most {}, {:.3g} MB", system.most,
                               1e-6 * system.most * (ParticleState::bytesEach + 12. * system.trail))});
    for (const Method& method : methods()) {
        const std::string reason = unsupportedReason(method, model);
        const std::string verdict = reason.empty() ? "yes" : "no: " + printable(reason);
        table.row({fmt::format("solver {}", method.name), verdict});
    }
    table.row({"runs by default",
               fmt::format("{:g} s with {}, {}, step {:g} s, {:g} frames per second",
                           length.value().duration, simulation.value().method->name,
                           simulation.value().integrator->name, simulation.value().h, length.value().fps)});
    fmt::print("{}: good\n{}", model.name.empty() ? printable(path) : shownName(model.name), table.text());
    return exitDone;
}

}  // namespace sinew
