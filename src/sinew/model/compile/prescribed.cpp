// Description → Model: joints and roots that move as told.
#include <limits>

#include "sinew/model/balance.h"
#include "sinew/model/compile/check_signal.h"
#include "sinew/model/compile/parts.h"

namespace sinew::compiling {

std::vector<RootWish> rootWishes(const Description& description, const Names& names, Checker& check)
{
    std::vector<RootWish> wishes;
    for (std::size_t r = 0; r < description.roots.size() && !check.failed(); ++r) {
        const int body = bodyIndex(names, description.roots[r], at("roots", r), check);
        check.require(body != world, at("roots", r), "'world' is always the root of what is tied to it");
        wishes.push_back({body, "/roots", false});
    }
    for (std::size_t i = 0; i < description.prescribed.size() && !check.failed(); ++i) {
        const PrescribedDescription& source = description.prescribed[i];
        if (source.body.empty()) continue;
        const std::string pointer = at("prescribed", i) + "/body";
        const int body = bodyIndex(names, source.body, pointer, check);
        check.require(check.failed() || body != world, pointer, "the world does not move");
        wishes.push_back({body, pointer, true});
    }
    for (std::size_t i = 0; i < description.balances.size() && !check.failed(); ++i) {
        const std::string pointer = at("balance", i) + "/body";
        const int body = bodyIndex(names, description.balances[i].body, pointer, check);
        check.require(check.failed() || body != world, pointer, "the world does not move; name a body");
        wishes.push_back({body, pointer, false});
    }
    if (check.failed()) wishes.clear();
    return wishes;
}

void refuseTwoRoots(const Description& description, const RootWish& a, const RootWish& b, Checker& check)
{
    if (a.body == b.body) return;
    const auto name = [&](const RootWish& wish) { return quoted(description.bodies[wish.body].name); };
    if (!a.isPrescribed && !b.isPrescribed)
        return check.fail("/roots", "two bodies of one skeleton are named, " + name(a) + " and " + name(b));
    const RootWish &mover = b.isPrescribed ? b : a, &other = b.isPrescribed ? a : b;
    check.fail(mover.pointer, name(mover) + " can follow a path only as the root of its skeleton, which " +
                                  name(other) + (other.isPrescribed ? " is as well" : " is, by roots") +
                                  "; prescribe joints instead");
}

void refuseTiedRoot(const Description& description, const RootWish& wish, const std::string& joint,
                    Checker& check)
{
    const std::string name = quoted(description.bodies[wish.body].name);
    if (!wish.isPrescribed)
        check.fail(wish.pointer, name + " belongs to a skeleton tied to the world");
    else
        check.fail(wish.pointer, name + " belongs to a skeleton that joint " + quoted(joint) +
                                     " ties to the world; prescribe the joint instead");
}

namespace {

void checkTimes(const PrescribedDescription& source, const std::string& pointer, Checker& check)
{
    check.notNegative(source.from, pointer + "/from");
    check.span(source.blend, pointer + "/blend");
    if (!source.until) return;
    check.finite(*source.until, pointer + "/until");
    check.require(*source.until > source.from, pointer + "/until",
                  "is " + number(*source.until) + ", not later than the beginning, " + number(source.from));
    check.require(source.from + source.blend <= *source.until, pointer + "/blend",
                  "is " + number(source.blend) + ", longer than the time from the beginning to the end, " +
                      number(*source.until - source.from));
}

void compileMotion(const PrescribedDescription& source, const std::string& pointer, Model& model,
                   Prescription& result, Checker& check)
{
    result.joint = model.findJoint(source.joint);
    check.require(result.joint >= 0, pointer + "/joint", "there is no joint " + quoted(source.joint));
    check.require(source.path.empty(), pointer + "/path", "is for bodies; give a joint its motion");
    check.require(!source.point, pointer + "/point", "is for bodies; give a joint its motion");
    check.require(!source.motion.empty(), pointer,
                  "has no motion; give one signal per freedom of the joint");
    if (check.failed()) return;
    const Joint& joint = model.joints[result.joint];
    check.require(!joint.isRigid(), pointer + "/joint",
                  quoted(source.joint) + " is a weld joint, which does not move");
    check.require(!joint.isFree(), pointer + "/joint",
                  quoted(source.joint) + " is a free joint; give the body that floats a path instead");
    checkSignals(source.motion, joint.freedoms(), pointer + "/motion", check);
    result.motion = source.motion;
}

void compileBody(const PrescribedDescription& source, const std::string& pointer, const Names& names,
                 Model& model, Prescription& result, Checker& check)
{
    const int body = bodyIndex(names, source.body, pointer + "/body", check);
    check.require(source.motion.empty(), pointer + "/motion", "is for joints; give a body a path");
    if (source.point) check.finite(*source.point, pointer + "/point");
    if (check.failed()) return;
    result.joint = model.bodyOrder[body];
    const Pose& rest = model.bodies[result.joint].rest;
    if (source.point) result.point = rest.inverse() * *source.point;
    const Pose start{source.point.value_or(rest.position), rest.orientation};
    result.path = compilePath(source.path, source.smooth, pointer + "/path", start, check);
}

}  // namespace

void compilePrescribed(const Description& description, const Names& names, Model& model, Checker& check)
{
    for (std::size_t i = 0; i < description.prescribed.size(); ++i) {
        const PrescribedDescription& source = description.prescribed[i];
        const std::string pointer = at("prescribed", i);
        check.require(source.joint.empty() != source.body.empty(), pointer, "name a joint or a body");
        checkTimes(source, pointer, check);
        if (check.failed()) return;
        Prescription result;
        if (source.body.empty())
            compileMotion(source, pointer, model, result, check);
        else
            compileBody(source, pointer, names, model, result, check);
        if (check.failed()) return;
        Joint& joint = model.joints[result.joint];
        check.require(joint.prescribed < 0, pointer + (source.body.empty() ? "/joint" : "/body"),
                      quoted(joint.name) + " is prescribed already; once is enough");
        joint.prescribed = static_cast<int>(i);
        result.from = source.from;
        result.until = source.until.value_or(std::numeric_limits<double>::infinity());
        result.blend = source.blend;
        result.memory = static_cast<int>(model.memory.size());
        model.memory.resize(model.memory.size() + Prescription::memorySize, 0.);
        model.prescribed.push_back(std::move(result));
    }
}

}  // namespace sinew::compiling
