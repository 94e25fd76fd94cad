// Joints as the table of joint types tells of them (model/joint_type.h), for the links that need it: their
// place, motion subspace and its rate, referred to O. The table computes with doubles.
#pragma once

#include "sinew/math/lanes.h"
#include "sinew/model/model.h"
#include "sinew/recursion/link.h"

namespace sinew::recursion {

// At O instead of the centre of mass, child axes. `anchor`: the way from there to O.
SINEW_INLINE Vec3 linearAt(const Vec3& anchor, const Vec6& motion)
{
    return motion.head<3>() + motion.tail<3>().eval().cross(anchor);
}

// q and u are the joint's own. `given`: u̇ of a joint that is led; null: it is not.
inline void setExtraAt(const Model& model, int i, const double* q, const double* u, const double* given,
                       Extra<double>& extra)
{
    const Joint& joint = model.joints[i];
    const LinkData<double>& data = model.links[i];
    const Transform X = jointTransform(joint, q);
    Subspace S;
    jointSubspace(joint, q, X, S);
    const Vec3 anchor = -large(data.center);
    const int k = joint.freedoms();
    Vec6 bias = jointBias(joint, q, u, X).vector(), motion = Vec6::Zero();
    for (int c = 0; c < k; ++c) motion += S.col(c) * u[c];
    extra.isLed = given != nullptr;
    if (given)
        for (int c = 0; c < k; ++c) bias += S.col(c) * given[c];
    extra.rate = small(linearAt(anchor, motion));
    extra.biasLinear = small(linearAt(anchor, bias));
    extra.biasAngular = small(Vec3(bias.tail<3>()));
    Vec3 moved = X.r + X.R * anchor;  // from the parent's centre of mass; `arm` leads to the anchor there
    if (!joint.isFree()) moved -= joint.anchorParent;
    extra.offset = data.arm + small(moved);
    extra.freedoms = data.kind == LinkKind::other && !given ? k : 0;
    extra.slides = data.slides;
    for (int c = 0; c < extra.freedoms; ++c) {
        extra.linear[c] = small(linearAt(anchor, S.col(c)));
        extra.angular[c] = small(Vec3(S.col(c).tail<3>()));
    }
}

// The same of q and u of all joints.
inline void setExtra(const Model& model, int i, const double* q, const double* u, const double* given,
                     Extra<double>& extra)
{
    setExtraAt(model, i, q + model.joints[i].q, u + model.joints[i].u, given, extra);
}

// One of several.
template <class T>
void setExtraLane(Extra<T>& extra, int in, const Extra<double>& own)
{
    extra.isLed = own.isLed;
    extra.freedoms = own.freedoms;
    extra.slides = own.slides;
    setLane(extra.offset, in, own.offset);
    setLane(extra.rate, in, own.rate);
    setLane(extra.biasLinear, in, own.biasLinear);
    setLane(extra.biasAngular, in, own.biasAngular);
    for (int k = 0; k < own.freedoms; ++k) {
        setLane(extra.linear[k], in, own.linear[k]);
        setLane(extra.angular[k], in, own.angular[k]);
    }
}

}  // namespace sinew::recursion
