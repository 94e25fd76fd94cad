#include "sinew/integrate/figure_energy.h"

#include <algorithm>
#include <cmath>

#include "sinew/contact/figure_rows.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// How a skeleton moves as a whole: one that floats by its momenta, others not at all.
struct WholeMotion {
    Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();

    Vec3 velocityAt(const Vec3& place) const { return velocity + spin.cross(place - center); }
};

WholeMotion wholeMotion(const Model& model, const State& state, const Skeleton& skeleton)
{
    const Joint& root = model.joints[skeleton.first];
    WholeMotion whole;
    if (!root.isFree() || root.parent >= 0) return whole;
    double mass = 0;
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        const double m = model.bodies[i].mass;
        mass += m;
        whole.center += m * state.bodies[i].position;
        whole.velocity += m * state.bodies[i].velocity;
    }
    whole.center /= mass;
    whole.velocity /= mass;
    Mat3 inertia = Mat3::Zero();
    Vec3 momentum = Vec3::Zero();
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        const BodyState& b = state.bodies[i];
        const double m = model.bodies[i].mass;
        const Vec3 arm = b.position - whole.center;
        const Mat3 R = b.orientation.toRotationMatrix();
        inertia += R * model.bodies[i].inertia * R.transpose() - m * tilde(arm) * tilde(arm);
        momentum += R * Vec3(model.bodies[i].inertia * b.angularVelocity) +
                    m * arm.cross(b.velocity - whole.velocity);
    }
    whole.spin = inertia.inverse() * momentum;
    return whole;
}

double energyWithin(const Model& model, const State& state, const Skeleton& skeleton)
{
    const WholeMotion whole = wholeMotion(model, state, skeleton);
    double sum = 0;
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        const BodyState& b = state.bodies[i];
        const Vec3 w = b.angularVelocity - b.orientation.conjugate() * whole.spin;
        sum += 0.5 * model.bodies[i].mass * (b.velocity - whole.velocityAt(b.position)).squaredNorm() +
               0.5 * w.dot(model.bodies[i].inertia * w);
    }
    return sum;
}

void slowDownWithin(const Model& model, const Skeleton& skeleton, double part, State& state)
{
    const WholeMotion whole = wholeMotion(model, state, skeleton);
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) {
        BodyState& b = state.bodies[i];
        const Vec3 v = whole.velocityAt(b.position), w = b.orientation.conjugate() * whole.spin;
        b.velocity = v + part * (b.velocity - v);
        b.angularVelocity = w + part * (b.angularVelocity - w);
        const Joint& joint = model.joints[i];
        double* u = state.u.data() + joint.u;
        if (joint.isFree() && joint.parent < 0) {
            view<3>(u) = b.velocity;
            view<3>(u + 3) = b.angularVelocity;
        } else {
            for (int k = 0; k < joint.freedoms(); ++k) u[k] *= part;
        }
    }
}

}  // namespace

void limitEnergyOfIslands(const Model& model, const State& before, const std::vector<int>& roots,
                          State& end, FigureEnergyWork& work)
{
    skeletonEnergies(model, before, work.before);
    skeletonEnergies(model, end, work.after);
    std::vector<double>&gain = work.sum, &within = work.within;
    gain.assign(model.skeletons.size(), 0);
    within.assign(model.skeletons.size(), 0);
    for (std::size_t s = 0; s < model.skeletons.size(); ++s)
        gain[roots[s]] += work.after[s].total() - work.before[s].total();
    const auto isToBeSlower = [&](int root) { return work.isJudged[root] && gain[root] > 0; };
    for (std::size_t s = 0; s < model.skeletons.size(); ++s)
        if (isToBeSlower(roots[s])) within[roots[s]] += energyWithin(model, end, model.skeletons[s]);
    for (std::size_t s = 0; s < model.skeletons.size(); ++s) {
        const int root = roots[s];
        if (!isToBeSlower(root) || !(within[root] > 0)) continue;
        const double part = std::sqrt(std::max(0., 1 - gain[root] / within[root]));
        slowDownWithin(model, model.skeletons[s], part, end);
    }
}

void restIslands(const Model& model, const std::vector<SweptIsland>& swept, const std::vector<int>& roots,
                 double h, State& end, FigureEnergyWork& work)
{
    constexpr double asMuch = 10, ofWeight = 0.5;
    std::vector<double>& most = work.sum;  // per root: how far a body may go in a step
    most.assign(model.skeletons.size(), 0);
    const double fall = ofWeight * model.gravity.norm() * h * h;
    for (const SweptIsland& island : swept)
        if (island.stands && island.left < fall) most[island.root] = asMuch * island.left;
    for (std::size_t s = 0; s < model.skeletons.size(); ++s) {
        double& allowed = most[roots[s]];
        const Skeleton& skeleton = model.skeletons[s];
        for (int i = skeleton.first; i < skeleton.first + skeleton.count && allowed > 0; ++i) {
            const BodyState& b = end.bodies[i];
            const Body& body = model.bodies[i];
            const double twice = body.mass * b.velocity.squaredNorm() +
                                 b.angularVelocity.dot(body.inertia * b.angularVelocity);
            if (h * h * twice > allowed * allowed * body.mass) allowed = 0;
        }
    }
    for (std::size_t s = 0; s < model.skeletons.size(); ++s) {
        if (!(most[roots[s]] > 0)) continue;
        const Skeleton& skeleton = model.skeletons[s];
        for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i)
            end.bodies[i].velocity = end.bodies[i].angularVelocity = Vec3::Zero();
        end.u.segment(freedomStart(model, skeleton), freedomCount(model, skeleton)).setZero();
    }
}

}  // namespace sinew
