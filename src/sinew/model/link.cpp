#include "sinew/model/link.h"

#include <cmath>

#include "sinew/model/model.h"

namespace sinew {
namespace {

LinkKind kindOf(const JointTypeInfo& info)
{
    if (info.isBall()) return LinkKind::ball;
    if (info.isHinge()) return LinkKind::hinge;
    if (info.isRigid()) return LinkKind::rigid;
    return info.isFree() ? LinkKind::free : LinkKind::other;
}

// O from the centre of mass, own axes.
Vec3 pointOf(const Joint& joint)
{
    return joint.isFree() ? Vec3(Vec3::Zero()) : joint.anchorChild;
}

// But for what rounding leaves.
bool isDiagonal(const Symmetric3<double>& m)
{
    const double little = 4 * 0x1p-52 * trace(m);
    return std::abs(m.xy) <= little && std::abs(m.xz) <= little && std::abs(m.yz) <= little;
}

}  // namespace

void compileLinks(Model& model)
{
    model.links.clear();
    model.links.reserve(model.bodies.size());
    model.extraLinks.clear();
    model.hasJointForces = false;
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        const Body& body = model.bodies[i];
        const Vec3 toCenter = -pointOf(joint);
        LinkData<double> link;
        link.kind = kindOf(joint.info());
        link.slides = static_cast<std::int8_t>(joint.slides());
        link.parent = joint.parent;
        link.q = joint.q;
        link.u = joint.u;
        link.freedoms = joint.freedoms();
        const bool floats = link.kind == LinkKind::free && link.parent >= 0;
        if (link.kind == LinkKind::other || floats || joint.prescribed >= 0) {
            link.extra = static_cast<int>(model.extraLinks.size());
            model.extraLinks.push_back(i);
        }
        link.arm = joint.isFree() ? Vector3<double>::zero() : small(joint.anchorParent);
        if (joint.parent >= 0) link.arm -= small(pointOf(model.joints[joint.parent]));
        link.mass = body.mass;
        link.center = small(toCenter);
        link.inertia =
            smallSymmetric(body.inertia + body.mass * (toCenter.squaredNorm() * Mat3::Identity() -
                                                       toCenter * toCenter.transpose()));
        link.armature = joint.armature;
        link.hasArmature = joint.armature > 0;
        link.hasForces = joint.hasForces();
        model.hasJointForces |= link.hasForces;
        link.hasAxes = isDiagonal(link.inertia);
        link.axis = small(joint.axis);
        link.rest = small(Quat(joint.R_PC_rest).normalized());
        link.isTurnedAtRest = !(joint.R_PC_rest == Mat3(Mat3::Identity()));
        model.links.push_back(link);
    }
    for (int i = model.size() - 1; i >= 0; --i) {
        LinkData<double>& link = model.links[i];
        if (link.parent < 0) continue;
        LinkData<double>& parent = model.links[link.parent];
        if (link.parent == i - 1) {
            parent.isFollowed = true;
        } else {
            link.reportsFirst = !parent.gathers;
            parent.gathers = true;
        }
    }
}

}  // namespace sinew
