#include "sinew/dynamics/articulated.h"

#include "sinew/model/skeleton_parts.h"
#include "sinew/recursion/increments.h"
#include "sinew/recursion/others.h"

namespace sinew {

void placeOther(const Model& model, int i, const double* q, ArticulatedLink& link, Vector3<double>& arm)
{
    constexpr double still[recursion::Extra<double>::most] = {};
    recursion::Extra<double> extra;
    recursion::setExtraAt(model, i, q, still, nullptr, extra);
    arm = extra.offset;
    link.slides = static_cast<std::int8_t>(extra.slides);
    for (int k = 0; k < extra.freedoms; ++k) {
        link.linear[k] = link.R * extra.linear[k];
        link.angular[k] = link.R * extra.angular[k];
    }
}

void setRigidInertia(const Model& model, int i, ArticulatedLink& link)
{
    const Body& body = model.bodies[i];
    const double armature = model.joints[i].armature;
    link.setInertia(body.mass, full(turned(link.R, smallSymmetric(body.inertia))));
    link.hasBlocks = false;
    if (armature > 0) addJointBlock(diagonal3(armature), link);
}

void addJointBlock(const Matrix3<double>& block, ArticulatedLink& link)
{
    if (!link.hasBlocks) link.B = link.C = link.V = diagonal3(0.);
    link.hasBlocks = true;
    link.B += link.kind == LinkKind::ball ? timesTranspose(link.R * block, link.R) : block;
}

void alongFreedoms(const ArticulatedLinks& links, int i, const Vec3& force, const Vec3& torque,
                   double* result)
{
    const ArticulatedLink& link = links[i];
    const Vector3<double> f = small(force), n = small(torque) + cross(link.c, f);
    if (link.kind != LinkKind::free) return link.along(f, n, result);
    recursion::writeVector(link.parent < 0 ? f : transposeTimes(links[link.parent].R, f), result);
    recursion::writeVector(transposeTimes(link.R, n), result + 3);
}

void solveIncrement(ArticulatedLinks& links, const VecX& Q, VecX& result)
{
    solveIncrement(links, 0, static_cast<int>(links.size()), Q, result);
}

void solveIncrement(ArticulatedLinks& links, int first, int count, const VecX& Q, VecX& result)
{
    recursion::solveIncrements<false>(links.data(), first, first + count, Q.data(), result.data());
}

void solveLoadedIncrement(ArticulatedLinks& links, int first, int end, bool factors, const VecX& Q,
                          VecX& result)
{
    if (factors)
        recursion::solveLoadedIncrements<true>(links.data(), first, end, Q.data(), result.data());
    else
        recursion::solveLoadedIncrements<false>(links.data(), first, end, Q.data(), result.data());
}

void moveByIncrement(ArticulatedLinks& links, int first, int end, const VecX& delta)
{
    for (int i = first; i < end; ++i) {
        ArticulatedLink& link = links[i];
        const ArticulatedLink* parent = link.parent < 0 ? nullptr : &links[link.parent];
        const double* own = delta.data() + link.u;
        Vector3<double> move = Vector3<double>::zero(), turn = move;
        if (parent) {
            move = parent->a + cross(parent->alpha, link.l);
            turn = parent->alpha;
        }
        if (link.kind == LinkKind::free) {
            const Vector3<double> slid = recursion::readVector(own);
            move += parent ? parent->R * slid : slid;
            turn += link.R * recursion::readVector(own + 3);
        } else {
            link.addMotion(own, move, turn);
        }
        link.a = move;
        link.alpha = turn;
    }
}

void factorAndSolveIncrement(const Model& model, ArticulatedLinks& links, const VecX& Q, VecX& result)
{
    eachSkeletonPart(model, [&](int first, int end) {
        recursion::solveIncrements<true>(links.data(), first, end, Q.data(), result.data());
    });
}

}  // namespace sinew
