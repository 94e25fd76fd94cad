// Description → text: the scene as a whole. What is in it has files of its own (scene_writer.h).
#include "sinew/io/json/scene_writer.h"

#include "sinew/model/action.h"
#include "sinew/model/balance.h"
#include "sinew/model/fields.h"
#include "sinew/model/particles.h"
#include "sinew/model/spring_mesh.h"
#include "sinew/model/wish.h"

namespace sinew {
namespace writing {
namespace {

Value runValue(const RunSettings& run)
{
    Value out = Value::object();
    addText(out, "solver", run.solver);
    addText(out, "integrator", run.integrator);
    addText(out, "coordinates", run.coordinates);
    addNumber(out, "step", run.step);
    addNumber(out, "duration", run.duration);
    addNumber(out, "fps", run.fps);
    if (run.slowBand) out.add("slow_band", *run.slowBand);
    if (run.spread) out.add("spread", true);
    addNumber(out, "tolerance", run.tolerance);
    return out;
}

}  // namespace
}  // namespace writing

std::string writeScene(const Description& description)
{
    using namespace writing;
    Value out = Value::object();
    out.add("sinew", sceneVersion);
    addText(out, "name", description.name);
    addText(out, "about", description.about);
    out.add("gravity", list(description.gravity));
    addNumber(out, "inertia_floor", description.inertiaFloor);

    Value bodies = Value::array(), roots = Value::array();
    for (const BodyDescription& body : description.bodies) bodies.add(bodyValue(body));
    for (const std::string& root : description.roots) roots.add(root);
    out.add("bodies", std::move(bodies));
    addList(out, "joints", description.joints, jointValue);
    addList(out, "forces", description.forces, forceValue);
    addList(out, "obstacles", description.obstacles, obstacleValue);
    if (description.contact) out.add("contact", contactValue(*description.contact));
    addList(out, "targets", description.targets, targetValue);
    addList(out, "couplings", description.couplings, couplingValue);
    addList(out, "switches", description.switches, switchValue);
    addList(out, "motors", description.motors, motorValue);
    addList(out, "torques", description.torques, torqueValue);
    addList(out, "controllers", description.controllers, controllerValue);
    addList(out, "supports", description.supports, supportValue);
    addList(out, "motions", description.motions, motionValue);
    addList(out, "tracks", description.tracks, trackValue);
    addNumber(out, "gravity_compensation", description.gravityCompensation);
    addList(out, "prescribed", description.prescribed, prescribedValue);
    addList(out, "meshes", description.meshes, meshValue);
    addList(out, "springs", description.springs, springValue);
    Value medium = mediumValue(description.medium);
    if (!medium.members().empty()) out.add("medium", std::move(medium));
    addList(out, "fields", description.fields, fieldValue);
    addList(out, "particles", description.particles, particlesValue);
    addList(out, "wishes", description.wishes, wishValue);
    addList(out, "balance", description.balances, balanceValue);
    addList(out, "actions", description.actions, actionValue);
    if (description.plan) out.add("optimize", planValue(*description.plan));
    if (!description.roots.empty()) out.add("roots", std::move(roots));

    Value run = runValue(description.run);
    if (!run.members().empty()) out.add("run", std::move(run));
    return json::write(out);
}

}  // namespace sinew
