#include "sinew/dynamics/methods.h"

#include "sinew/base/memory.h"
#include "sinew/base/text.h"
#include "sinew/dynamics/solvers.h"
#include "sinew/dynamics/work.h"

namespace sinew {

SINEW_DEFINE_SPECIAL_MEMBERS(Work)

namespace {

bool anyJoint(const JointTypeInfo&)
{
    return true;
}
// What turns freely, or about one axis, around a point.
bool ballsAndHinges(const JointTypeInfo& info)
{
    return info.isFree() || info.isBall() || info.isHinge();
}
bool balls(const JointTypeInfo& info)
{
    return info.isFree() || info.isBall();
}

constexpr Method table[] = {
    {"kkt", "dense KKT system, the oracle", "Lagrange multipliers (Baraff 1996 (2), undivided)", anyJoint,
     Coordinates::body, "O(n^3)", accelerateKkt, true, false, false, true, true, bytesOfKkt},
    {"hakenberg", "joint forces from one (6n, 6n) system", "Hakenberg, Animation of Skeletons (4)-(6)",
     ballsAndHinges, Coordinates::body, "O(n^3) dense, O(n) sparse", accelerateHakenberg, false, false,
     false, false, false, bytesOfHakenberg},
    {"baraff", "multipliers along the tree of bodies and joints", "Baraff 1996", anyJoint,
     Coordinates::body, "O(n)", accelerateBaraff, false, true},
    {"armstrong_green", "linear recursion over ball joints", "Armstrong & Green 1985 (1)-(31)", balls,
     Coordinates::joint, "O(n)", accelerateArmstrongGreen, false, false, false, false, true, bytesOfLoops},
    {"featherstone", "articulated-body recursion", "Parent, chapter 4; Featherstone 1987", anyJoint,
     Coordinates::joint, "O(n)", accelerateFeatherstone, true, true, true, true, true, bytesOfLoops,
     advanceFeatherstone},
};

}  // namespace

std::span<const Method> methods()
{
    return table;
}

const Method* findMethod(std::string_view name)
{
    for (const Method& method : table)
        if (name == method.name) return &method;
    return nullptr;
}

const char* coordinatesName(const Method& method)
{
    return method.coordinates == Coordinates::body ? "maximal" : "joint";
}

std::string unsupportedReason(const Method& method, const Model& model)
{
    std::string reason = unsupportedJoint(method, model);
    if (reason.empty() && !method.hasArmature) reason = unsupportedArmature(method.name, model);
    if (reason.empty() && !method.knowsPrescribed) reason = unsupportedPrescribed(method.name, model);
    if (reason.empty() && !method.knowsMassless) reason = unsupportedMassless(method.name, model);
    if (reason.empty() && !model.couplings.empty())
        reason = std::string(method.name) + " cannot hold joint " +
                 quotedName(model.joints[model.couplings[0].follower].name) +
                 ", which is coupled to another one; the implicit steps in joint coordinates do";
    if (reason.empty() && !model.loops.empty() && !method.holdsLoops)
        reason = std::string(method.name) + " cannot hold joint " + quotedName(model.loops[0].joint.name) +
                 ", which closes a loop; featherstone, armstrong_green and kkt do";
    if (reason.empty() && method.bytes) reason = unsupportedSize(method.name, method.bytes(model), model);
    return reason;
}

std::string unsupportedSize(const std::string& name, double bytes, const Model& model)
{
    const double there = memoryAtHand();
    if (bytes <= there) return {};
    return name + " would take " + bytesText(bytes) + " of memory for these " +
           std::to_string(model.bodyOrder.size()) + " bodies, there are " + bytesText(there) +
           (model.loops.empty() ? "; featherstone and implicit take far less" : "; fewer loops take less");
}

std::string unsupportedPrescribed(const std::string& name, const Model& model)
{
    if (model.prescribed.empty()) return {};
    const Joint& joint = model.joints[model.prescribed[0].joint];
    return name + " cannot do the prescribed motion of " +
           (joint.isFree() ? "body " + quotedName(model.bodies[model.prescribed[0].joint].name)
                           : "joint " + quotedName(joint.name)) +
           "; featherstone, implicit and conservative can";
}

std::string unsupportedArmature(const std::string& name, const Model& model)
{
    for (const Joint& joint : model.joints)
        if (joint.armature > 0)
            return name + " cannot do the armature of joint " + quotedName(joint.name) +
                   "; featherstone and implicit can";
    return {};
}

std::string unsupportedMassless(const std::string& name, const Model& model)
{
    for (const Body& body : model.bodies)
        if (body.mass == 0)
            return name + " cannot do body " + quotedName(body.name) +
                   ", which has no mass; featherstone, kkt and implicit in joint coordinates can";
    return {};
}

std::string unsupportedInRows(const std::string& name, const Model& model)
{
    for (const Joint& joint : model.joints)
        if (!joint.info().rows || joint.info().isMixed())
            return name + " cannot do joint " + quotedName(joint.name) + ", a " +
                   jointTypeName(joint.type) + "; joint coordinates can";
    return {};
}

std::string unsupportedJoint(const Method& method, const Model& model)
{
    for (const Joint& joint : model.joints) {
        if (method.knows(joint.info())) continue;
        std::string known;
        for (int t = 0; t < jointTypeCount(); ++t) {
            const auto type = static_cast<JointType>(t);
            if (method.knows(jointTypeInfo(type)))
                known += (known.empty() ? "" : ", ") + std::string(jointTypeName(type));
        }
        return std::string(method.name) + " does not support joint " + quotedName(joint.name) + ", a " +
               jointTypeName(joint.type) + " joint; it supports " + known;
    }
    return {};
}

}  // namespace sinew
