// Joints that close loops → rows that hold two bodies of the tree together.
//
// A joint that is mere constraint becomes rows itself. One that has springs, limits, a motor or a
// coordinate to start from stays in the tree, where all that is known of joints holds for it, and a body is
// cut instead: the joint leads to a part of the body with half of its mass and inertia, and six rows weld
// the two halves together. Half and half move as the whole does, to the equations of every step: what holds
// for both halves, added up, is what holds for the whole.
//
// A joint that lets go at a time is rows as well, whether it closes a loop or ties two skeletons together:
// then these rows are no more.
#include "sinew/model/compile/parts.h"

namespace sinew::compiling {

bool hasOwnForces(const JointDescription& joint)
{
    return joint.stiffness > 0 || joint.damping > 0 || joint.coulomb > 0 || joint.armature > 0 ||
           joint.twistStiffness || joint.swingLimit || joint.swingCone || !joint.motor.empty() ||
           !joint.lower.empty() || !joint.upper.empty() || !joint.coordinate.empty() ||
           !joint.velocity.empty();
}

void compileLoops(const Description& description, const Names& names, const std::vector<int>& closing,
                  Model& model, Checker& check)
{
    for (int j : closing) {
        const JointDescription& source = description.joints[j];
        const std::string pointer = at("joints", j);
        const std::string closes =
            "joint " + quoted(source.name) + (source.release ? " lets go" : " closes a loop");
        check.require(!jointTypeInfo(source.type).isFree(), pointer,
                      closes + " but as a free joint it holds nothing");
        check.require(jointTypeInfo(source.type).rows != nullptr, pointer,
                      closes + ", which a " + jointTypeName(source.type) + " joint cannot");
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
        if (source.release) {
            check.notNegative(*source.release, pointer + "/release");
            loop.release = *source.release;
        }
        if (check.failed()) return;
        model.loops.push_back(std::move(loop));
    }
}

void compileSeam(const Description& description, int j, int part, Model& model, Checker& check)
{
    JointDescription weld;
    weld.name = description.joints[j].name;
    weld.type = JointType::weld;
    weld.position = description.joints[j].position;
    LoopJoint seam;
    seam.child = part;
    seam.isSeam = true;
    seam.joint = compileJoint(weld, at("joints", j), model, model.bodies[part].cutFrom, part, false, check);
    model.loops.push_back(std::move(seam));
}

}  // namespace sinew::compiling
