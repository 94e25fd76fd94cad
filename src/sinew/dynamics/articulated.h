// The tree-shaped matrices of Newton's method and of jumps, on the recursion (recursion/increments.h):
// links placed, filled with inertias, factorised and solved with.
//
// Matrices of implicit steps are not symmetric; plain inertias take the same way, and are so to rounding.
// Cost O(n) for the factor, and for each right-hand side.
#pragma once

#include "sinew/base/large_vector.h"
#include "sinew/model/model.h"
#include "sinew/recursion/general_link.h"
#include "sinew/state/state.h"

namespace sinew {

using ArticulatedLink = recursion::GeneralLink<double>;
using ArticulatedLinks = LargeVector<ArticulatedLink>;

// Of a joint that the table describes: where O is in the parent, and S.
void placeOther(const Model& model, int i, const double* q, ArticulatedLink& link, Vector3<double>& arm);
// Where a link is, at joint coordinates q and the poses of the bodies that go with them. Parents come
// first. `isGiven`: the joint has no freedom left.
SINEW_INLINE void placeLink(const Model& model, const VecX& q, const BodyState& body, int i, bool isGiven,
                            ArticulatedLinks& links)
{
    const LinkData<double>& data = model.links[i];
    ArticulatedLink& link = links[i];
    link.kind = isGiven ? LinkKind::rigid : data.kind;
    link.parent = data.parent;
    link.u = data.u;
    link.freedoms = isGiven ? 0 : data.freedoms;
    link.R = matrixOf(small(body.orientation));
    link.c = link.R * data.center;
    Vector3<double> arm = data.arm;
    switch (data.kind) {
        case LinkKind::hinge:
            link.angular[0] = link.R * data.axis;
            break;
        case LinkKind::free:
            arm += recursion::readVector(q.data() + data.q);
            break;
        case LinkKind::other:
            placeOther(model, i, q.data() + data.q, link, arm);
            break;
        default:
            break;
    }
    link.l = data.parent < 0 ? arm : links[data.parent].R * arm;
}
// The inertia of its body, and the joint's armature.
void setRigidInertia(const Model& model, int i, ArticulatedLink& link);
// Adds to B of its joint what is given by its freedoms.
void addJointBlock(const Matrix3<double>& block, ArticulatedLink& link);
// Where the point O of a link is that its matrix is referred to (model/link.h).
inline Vec3 originOf(const ArticulatedLink& link, const BodyState& body)
{
    return body.position - large(link.c);
}
// Sᵀ of a force and a torque on the link, at its centre of mass, world axes. `result`: one for each
// freedom.
void alongFreedoms(const ArticulatedLinks& links, int i, const Vec3& force, const Vec3& torque,
                   double* result);

// The answer of factorised links to forces Q along the freedoms. Q and the result are per freedom; those of
// joints without freedom are left alone.
void solveIncrement(ArticulatedLinks& links, const VecX& Q, VecX& result);
// The same for one skeleton, or several, [first, first + count): the other parts are left alone.
void solveIncrement(ArticulatedLinks& links, int first, int count, const VecX& Q, VecX& result);
// The same for links [first, end), with whatever forces are in their f and n; `factors`: after factorising.
void solveLoadedIncrement(ArticulatedLinks& links, int first, int end, bool factors, const VecX& Q,
                          VecX& result);
// How the links move by given changes of the freedoms, into their a and α.
void moveByIncrement(ArticulatedLinks& links, int first, int end, const VecX& delta);
// Factorises first, in fewer passes over memory. Of all links of a model.
void factorAndSolveIncrement(const Model& model, ArticulatedLinks& links, const VecX& Q, VecX& result);

}  // namespace sinew
