// What acts on the bodies of a description → Model.
#include "sinew/model/compile_parts.h"

namespace sinew::compiling {

void compileLoads(const Description& description, const Names& names, Model& model, Checker& check)
{
    for (std::size_t i = 0; i < description.forces.size() && !check.failed(); ++i) {
        const ForceDescription& force = description.forces[i];
        const std::string pointer = at("forces", i);
        const int body = bodyIndex(names, force.body, pointer + "/body", check);
        check.require(check.failed() || body != world, pointer + "/body", "the world cannot be pushed");
        check.finite(force.force, pointer + "/force");
        check.finite(force.torque, pointer + "/torque");
        if (force.point) check.finite(*force.point, pointer + "/point");
        if (check.failed()) return;
        BodyLoad load{model.bodyOrder[body], force.force, force.torque, Vec3::Zero()};
        if (force.point) load.point = model.bodies[load.body].rest.inverse() * *force.point;
        model.loads.push_back(load);
    }
}

}  // namespace sinew::compiling
