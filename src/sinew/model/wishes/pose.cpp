// Joints at given coordinates: r = q − q', and for rotations r = log(Q'ᵀ Q), whose change with a turn δ of
// the joint, child axes, is J_r⁻¹(r) δ. Without a list all joints that a scene declares, at rest.
#include "sinew/model/wishes/types.h"

namespace sinew {
namespace pose_wish {
namespace {

void addJoint(const Model& model, int link, const std::vector<double>& given, Wish& wish)
{
    const Joint& joint = model.joints[link];
    const std::size_t start = wish.coordinates.size();
    wish.links.push_back(link);
    wish.rows += joint.freedoms();
    wish.coordinates.resize(start + static_cast<std::size_t>(joint.coordinates()));
    double* q = wish.coordinates.data() + start;
    jointRest(joint, q);
    if (given.empty()) return;
    for (int i = 0; i < joint.info().plain(); ++i)
        q[i] = given[static_cast<std::size_t>(joint.described(i))];
    if (!joint.info().hasRotation) return;
    Vec3 phi(given[0], given[1], given[2]);
    if (joint.childIsFirst) phi = -(joint.R_PC_rest.transpose() * phi);
    const Quat Q = expRotation(phi);
    for (int i = 0; i < 3; ++i) q[i] = Q.vec()[i];
    q[3] = Q.w();
}

void compile(const WishDescription& source, const std::string& pointer, const Model& model,
             compiling::Checker& check, Wish& wish)
{
    for (std::size_t i = 0; i < source.joints.size() && !check.failed(); ++i) {
        const auto& [name, numbers] = source.joints[i];
        const std::string here = pointer + "/joints" + compiling::token(name);
        const int link = model.findJoint(name);
        check.require(link >= 0, here, "there is no joint " + compiling::quoted(name) + " that moves");
        if (check.failed()) return;
        const Joint& joint = model.joints[link];
        check.require(joint.isArticulated(), here,
                      "joint " + compiling::quoted(name) + " has no coordinates that a pose could name");
        check.require(static_cast<int>(numbers.size()) == joint.freedoms(), here,
                      "has " + std::to_string(numbers.size()) + " numbers; joint " +
                          compiling::quoted(name) + " has " + std::to_string(joint.freedoms()) +
                          " freedoms");
        for (const double x : numbers) check.finite(x, here);
        if (!check.failed()) addJoint(model, link, numbers, wish);
    }
    if (!source.joints.empty()) return;
    for (int link = 0; link < model.size(); ++link)
        if (model.joints[link].declared && model.joints[link].isArticulated())
            addJoint(model, link, {}, wish);
    check.require(wish.rows > 0, pointer, "there are no joints that a pose could name");
}

void evaluate(const Wish& wish, const WishView& view, WishRows& out)
{
    const double* wished = wish.coordinates.data();
    for (const int link : wish.links) {
        const Joint& joint = view.model.joints[link];
        const double* q = view.q + joint.q;
        const int plain = joint.info().plain();
        for (int i = 0; i < plain; ++i) out.byFreedom(out.add(q[i] - wished[i]), joint.u + i, 1);
        if (joint.info().hasRotation) {
            const Vec3 r = logRotation(rotationIn(wished + plain).conjugate() * rotationIn(q + plain));
            const Mat3 J = rightJacobianInverse(r);
            const int row = wishes::addVector(r, out);
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k) out.byFreedom(row + i, joint.u + plain + k, J(i, k));
        }
        wished += joint.coordinates();
    }
}

}  // namespace
}  // namespace pose_wish

const WishTypeInfo poseWish = {
    .name = "pose",
    .about = "joints are at given coordinates",
    .taken = wish_keys::joints,
    .compile = pose_wish::compile,
    .evaluate = pose_wish::evaluate,
    .isOfAngles = true,
};

}  // namespace sinew
