// Joints that close loops → rows that hold two bodies of the tree together.
#include "sinew/model/compile_parts.h"

namespace sinew::compiling {

bool hasOwnForces(const JointDescription& joint)
{
    return joint.stiffness > 0 || joint.damping > 0 || joint.friction > 0 || joint.coulomb > 0 ||
           joint.armature > 0 || joint.twistStiffness || joint.swingLimit || !joint.motor.empty() ||
           !joint.lower.empty() || !joint.upper.empty() || !joint.coordinate.empty() ||
           !joint.velocity.empty();
}

void compileLoops(const Description& description, const Names& names, const std::vector<int>& closing,
                  Model& model, Checker& check)
{
    for (int j : closing) {
        const JointDescription& source = description.joints[j];
        const std::string pointer = at("joints", j);
        const std::string closes = "joint " + quoted(source.name) + " closes a loop";
        check.require(!hasOwnForces(source), pointer,
                      closes +
                          " and cannot have springs, limits, friction, a motor or a start of its own; "
                          "leave them to other joints of the loop");
        check.require(source.type != JointType::free, pointer,
                      closes + " but as a free joint it holds nothing");
        if (check.failed()) return;
        int first = bodyIndex(names, source.first, pointer + "/first", check);
        int second = bodyIndex(names, source.second, pointer + "/second", check);
        first = first == world ? world : model.bodyOrder[first];
        second = second == world ? world : model.bodyOrder[second];
        // The world can only be the parent.
        const bool childIsFirst = second == world;
        LoopJoint loop;
        loop.child = childIsFirst ? first : second;
        loop.joint = compileJoint(source, pointer, model, childIsFirst ? second : first, loop.child,
                                  childIsFirst, check);
        if (check.failed()) return;
        model.loops.push_back(std::move(loop));
    }
}

}  // namespace sinew::compiling
