// Joints that gears tie together → rows on their coordinates.
#include <numeric>

#include "sinew/model/compile/parts.h"

namespace sinew::compiling {
namespace {

using Joints = std::unordered_map<std::string, std::size_t>;  // name → place in the description

// The tree index of a joint with one freedom.
int coupledJoint(const Description& description, const Joints& joints, const Model& model,
                 const std::string& name, const std::string& pointer, Checker& check)
{
    const auto found = joints.find(name);
    check.require(found != joints.end(), pointer, "there is no joint " + quoted(name));
    if (check.failed()) return 0;
    const JointType type = description.joints[found->second].type;
    check.require(jointTypeInfo(type).freedoms == 1, pointer,
                  "joint " + quoted(name) + " is a " + jointTypeName(type) +
                      " joint; only hinges and slides can be coupled");
    const int link = model.linkOfJoint[found->second];
    check.require(link >= 0, pointer,
                  "joint " + quoted(name) + " closes a loop and has no coordinate to couple");
    return link;
}

// Of a forest of joints.
int rootOf(std::vector<int>& set, int i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

}  // namespace

void compileCouplings(const Description& description, Model& model, Checker& check)
{
    if (description.couplings.empty() || check.failed()) return;
    Joints joints;
    for (std::size_t j = 0; j < description.joints.size(); ++j) joints[description.joints[j].name] = j;
    std::vector<char> follows(model.joints.size(), 0);
    std::vector<int> set(model.joints.size());
    std::iota(set.begin(), set.end(), 0);
    for (std::size_t c = 0; c < description.couplings.size(); ++c) {
        const CouplingDescription& source = description.couplings[c];
        const std::string pointer = at("couplings", c);
        Coupling coupling;
        coupling.follower =
            coupledJoint(description, joints, model, source.follower, pointer + "/follower", check);
        coupling.leader =
            coupledJoint(description, joints, model, source.leader, pointer + "/leader", check);
        check.finite(source.ratio, pointer + "/ratio");
        check.finite(source.offset, pointer + "/offset");
        if (check.failed()) return;
        check.require(!follows[coupling.follower], pointer + "/follower",
                      "joint " + quoted(source.follower) + " follows another one already");
        // Every joint follows at most one, so what is connected already goes round.
        const int a = rootOf(set, coupling.follower), b = rootOf(set, coupling.leader);
        check.require(a != b, pointer,
                      "makes joint " + quoted(source.follower) + " follow itself, directly or by others");
        if (check.failed()) return;
        follows[coupling.follower] = 1;
        set[a] = b;
        coupling.ratio = source.ratio;
        coupling.offset = source.offset;
        model.couplings.push_back(coupling);
    }
}

}  // namespace sinew::compiling
