// What needs the whole model in a pose.
//
// Spatial tendons without a springlength are slack in the pose where all joints are at their springref.
//
// `springdamper` of joints: a time constant t and a damping ratio ζ in place of a stiffness and a damping,
//
//     k = m / (t ζ)²      d = 2 m / t      m = 1 / (M⁻¹)ⱼⱼ
//
// with M the mass matrix of the whole model in the rest pose, armature and all; of a ball joint the mean of
// its three. Column j of M⁻¹ is what a force of one along j accelerates, at rest and without weight: one
// pass of the recursion.
#include <algorithm>

#include "sinew/io/mjcf/converter.h"
#include "sinew/model/skeleton_parts.h"
#include "sinew/model/springs.h"
#include "sinew/recursion/accelerations.h"
#include "sinew/recursion/others.h"
#include "sinew/state/kinematics.h"
#include "sinew/state/state.h"

namespace sinew::mjcf {
namespace {

// The diagonal of M⁻¹ at rest.
class InverseMass {
public:
    explicit InverseMass(const Model& model)
        : model_(model),
          state_(restState(model)),
          forces_(model.bodies.size()),
          torques_(static_cast<std::size_t>(model.freedomCount), 0),
          rates_(torques_),
          links_(model.bodies.size()),
          gathered_(model.bodies.size()),
          extras_(model.extraLinks.size())
    {
        state_.u.setZero();
    }

    double of(int freedom)
    {
        torques_[static_cast<std::size_t>(freedom)] = 1;
        for (std::size_t e = 0; e < extras_.size(); ++e)
            recursion::setExtra(model_, model_.extraLinks[e], state_.q.data(), state_.u.data(), nullptr,
                                extras_[e]);
        using Given = recursion::Written<double>;
        const recursion::Figure<double, Given> figure{
            model_.links.data(),  model_.size(),
            state_.bodies.data(), Given(forces_.data(), torques_.data()),
            links_.data(),        gathered_.data(),
            extras_.data()};
        recursion::eliminate<double>(figure);
        recursion::accelerate<double>(figure, rates_.data());
        torques_[static_cast<std::size_t>(freedom)] = 0;
        return rates_[static_cast<std::size_t>(freedom)];
    }

private:
    const Model& model_;
    State state_;
    std::vector<Force> forces_;
    std::vector<double> torques_, rates_;
    std::vector<recursion::Link<double>> links_;
    std::vector<recursion::Resistance<double>> gathered_;
    std::vector<recursion::Extra<double>> extras_;
};

// A point of a body, as it was at rest, once that has moved.
Vec3 moved(const Model& model, const State& rest, const State& now, const SpringEndDescription& end)
{
    const Vec3 point = *std::get<SpringPoint>(end.form).point;
    const int body = model.findBody(end.body);
    if (body < 0) return point;
    const auto& before = rest.bodies[static_cast<std::size_t>(body)];
    const auto& after = now.bodies[static_cast<std::size_t>(body)];
    return after.position +
           after.orientation * (before.orientation.conjugate() * (point - before.position));
}

}  // namespace

void setSpringLengths(Context& context)
{
    Description& scene = context.out.scene;
    const bool isAsAtRest = std::all_of(scene.joints.begin(), scene.joints.end(),
                                        [](const JointDescription& joint) { return joint.rest.empty(); });
    if (scene.springs.empty() || isAsAtRest) return;
    const Result<Model> compiled = compile(scene);
    if (!compiled) return;  // whoever runs the scene is told why
    const Model& model = compiled.value();
    const State rest = restState(model);
    State sprung = rest;
    for (const JointDescription& joint : scene.joints)
        if (const int index = model.findJoint(joint.name); index >= 0 && !joint.rest.empty())
            sprung.q[model.joints[static_cast<std::size_t>(index)].q] = joint.rest[0];
    bodiesFromJoints(model, sprung);
    for (SpringDescription& spring : scene.springs)
        if (!spring.length)
            spring.length =
                (moved(model, rest, sprung, spring.first) - moved(model, rest, sprung, spring.second))
                    .norm();
}

void setSpringDampers(Context& context)
{
    Description& scene = context.out.scene;
    if (context.springDampers.empty()) return;
    const Result<Model> model = compile(scene);
    if (!model) return;  // whoever runs the scene is told why
    InverseMass inverse(model.value());
    for (const Context::SpringDamper& wanted : context.springDampers) {
        JointDescription& joint = scene.joints[wanted.joint];
        const int index = model.value().findJoint(joint.name);
        if (index < 0) continue;
        const Joint& compiled = model.value().joints[static_cast<std::size_t>(index)];
        double sum = 0;
        for (int k = 0; k < compiled.freedoms(); ++k) sum += inverse.of(compiled.u + k);
        if (!(sum > 0)) continue;
        const double mass = compiled.freedoms() / sum, slow = wanted.time * wanted.ratio;
        joint.stiffness = mass / (slow * slow);
        joint.damping = 2 * mass / wanted.time;
    }
}

}  // namespace sinew::mjcf
