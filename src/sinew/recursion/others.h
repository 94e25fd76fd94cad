// Joints as the table of joint types tells of them (model/joint_type.h), for the links that need it: their
// place, motion subspace and its rate, referred to O. The table computes with doubles.
#pragma once

#include "sinew/model/model.h"
#include "sinew/recursion/link.h"

namespace sinew::recursion {

// At O instead of the centre of mass, child axes. `anchor`: the way from there to O.
SINEW_INLINE Vec3 linearAt(const Vec3& anchor, const Vec6& motion)
{
    return motion.head<3>() + motion.tail<3>().eval().cross(anchor);
}

// `given`: u̇ of a joint that is led; null: it is not.
inline void setExtra(const Model& model, int i, const double* q, const double* u, const double* given,
                     Extra<double>& extra)
{
    const Joint& joint = model.joints[i];
    const LinkData<double>& data = model.links[i];
    const Transform X = jointTransform(joint, q + joint.q);
    Subspace S;
    jointSubspace(joint, q + joint.q, X, S);
    const Vec3 anchor = -large(data.center);
    const int k = joint.freedoms();
    Vec6 bias = jointBias(joint, q + joint.q, u + joint.u, X).vector(), motion = Vec6::Zero();
    for (int c = 0; c < k; ++c) motion += S.col(c) * u[joint.u + c];
    extra.isLed = given != nullptr;
    if (given)
        for (int c = 0; c < k; ++c) bias += S.col(c) * given[c];
    extra.rate = small(linearAt(anchor, motion));
    extra.biasLinear = small(linearAt(anchor, bias));
    extra.biasAngular = small(Vec3(bias.tail<3>()));
    // `arm` leads to the parent's anchor.
    extra.offset = data.arm + small(Vec3(X.r + X.R * anchor - joint.anchorParent));
    extra.freedoms = data.kind == LinkKind::other && !given ? k : 0;
    extra.slides = data.slides;
    for (int c = 0; c < extra.freedoms; ++c) {
        extra.linear[c] = small(linearAt(anchor, S.col(c)));
        extra.angular[c] = small(Vec3(S.col(c).tail<3>()));
    }
}

}  // namespace sinew::recursion
