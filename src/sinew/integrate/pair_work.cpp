#include "sinew/force/laws.h"
#include "sinew/integrate/implicit.h"

namespace sinew {

void PairWork::evaluate(const Model& model, const State& state, bool clamped)
{
    if (clamped) none.assign(tangents.size(), Vec3::Zero());
    pairForceTangents(model, state, clamped ? none : believed, tangents);
    if (tangents.empty()) return;
    excess.assign(model.bodies.size(), Force());
    for (const PairTangent& tangent : tangents) {
        const Vec3 more = tangent.force - tangent.believed;
        for (int side = 0; side < 2; ++side)
            if (tangent.body[side] >= 0)
                excess[tangent.body[side]] +=
                    {tangent.U[side].block<3, 3>(0, 0) * more, tangent.U[side].block<3, 3>(3, 0) * more};
    }
}

void PairWork::believe(const Model& model, const LargeVector<BodyState>& bodies, double time)
{
    believed.clear();
    start.clear();
    if (model.springs.empty()) return;
    before.bodies = bodies;
    before.time = time;
    pairForceTangents(model, before, {}, tangents);
    for (const PairTangent& tangent : tangents) start.push_back(tangent.force);
    change.assign(start.size(), Vec3::Zero());
    believed = start;
}

}  // namespace sinew
