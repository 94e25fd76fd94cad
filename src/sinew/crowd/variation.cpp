#include "sinew/crowd/variation.h"

#include "sinew/base/hash.h"
#include "sinew/base/pattern.h"
#include "sinew/base/text.h"
#include "sinew/base/words.h"
#include "sinew/math/rotation.h"
#include "sinew/state/named.h"

namespace sinew {
namespace {

using What = VariationRule::What;

constexpr std::string_view whatNames[] = {"mass",  "stiffness", "damping", "target",   "pose",
                                          "speed", "place",     "turn",    "velocity", "spin"};

std::string nameOf(What what)
{
    return std::string(whatNames[static_cast<std::size_t>(what)]);
}

// Each rule has numbers of its own: one more rule leaves what the others draw as it is.
Random randomFor(std::uint64_t seed, int character, std::size_t rule)
{
    Hash hash;
    for (const std::uint64_t part : {seed, static_cast<std::uint64_t>(character), std::uint64_t{rule}})
        hash.add(&part, sizeof part);
    return Random(hash.value());
}

// Whether a rule does anything to a joint.
bool isMoved(const Joint& joint, What what)
{
    if (!joint.declared || joint.freedoms() == 0 || joint.freedoms() > 3) return false;
    if (what == What::stiffness || what == What::target) return joint.stiffness > 0;
    return what != What::damping || joint.damping > 0;
}

// Where all springs are slack.
State slackState(const Model& model)
{
    State slack = restState(model);
    for (const Joint& joint : model.joints) {
        if (!isMoved(joint, What::target)) continue;
        for (int k = 0; k < joint.freedoms() && !joint.isBall(); ++k) slack.q[joint.q + k] = joint.rest[k];
        for (int k = 0; k < 4 && joint.isBall(); ++k) slack.q[joint.q + k] = joint.restRotation.coeffs()[k];
    }
    return slack;
}

// What one character has of its own.
struct Own {
    State start, slack;
    double mass = 1;
    struct Spring {
        double stiffness = 1, damping = 1;  // factors
        bool isVaried = false, isAimed = false;
    };
    std::vector<Spring> springs;  // per joint
};

JointNumbers plus(JointNumbers numbers, const double* by)
{
    for (std::size_t k = 0; k < numbers.count; ++k) numbers.values[k] += by[k];
    return numbers;
}

// By numbers as the scene has them, per freedom; a factor is the first of them.
std::optional<Diagnostic> vary(const Model& model, int link, What what, const double* by, Own& own)
{
    const JointHandle joint{link};
    Own::Spring& spring = own.springs[static_cast<std::size_t>(link)];
    switch (what) {
        case What::stiffness:
            spring.stiffness *= *by;
            spring.isVaried = true;
            return {};
        case What::damping:
            spring.damping *= *by;
            spring.isVaried = true;
            return {};
        case What::target:
            spring.isAimed = true;
            return setJointPosition(model, joint, plus(jointPosition(model, own.slack, joint), by),
                                    own.slack);
        case What::pose:
            return setJointPosition(model, joint, plus(jointPosition(model, own.start, joint), by),
                                    own.start);
        default:
            return setJointVelocity(model, joint, plus(jointVelocity(model, own.start, joint), by),
                                    own.start);
    }
}

std::optional<Diagnostic> varyRoot(const Model& model, int link, What what, const Vec3& by, State& start)
{
    const BodyHandle body{link};
    BodyMotion motion = bodyMotion(model, start, body);
    if (what == What::place) motion.pose.position += by;
    if (what == What::turn) motion.pose.orientation = expRotation(by) * motion.pose.orientation;
    if (what == What::velocity) motion.velocity += by;
    if (what == What::spin) motion.angularVelocity += by;
    return setBodyMotion(model, body, motion, start);
}

}  // namespace

double VariedNumber::draw(Random& random) const
{
    return isNormal ? first + second * random.normal() : random.uniform(first, second);
}

// The joints of a rule, or what is wrong with it.
std::optional<Diagnostic> CrowdVariation::choose(const VariationRule& rule, std::vector<int>& joints) const
{
    const Model& model = *model_;
    if (rule.isOfRoots()) {
        for (int i = 0; i < model.size(); ++i)
            if (model.joints[i].isFree() && model.joints[i].parent < 0) joints.push_back(i);
        if (joints.empty())
            return faultAt("/what",
                           quotedName(nameOf(rule.what)) +
                               " is of skeletons that float, and this scene ties all to the world");
    }
    if (!rule.isOfJoints()) return {};
    std::vector<std::string_view> known;
    bool isNamed = false;
    for (int i = 0; i < model.size(); ++i) {
        const Joint& joint = model.joints[i];
        if (joint.declared) known.push_back(joint.name);
        if (!joint.declared || !matchesPattern(rule.joints, joint.name)) continue;
        isNamed = true;
        if (isMoved(joint, rule.what)) joints.push_back(i);
    }
    if (!joints.empty()) return {};
    if (!isNamed) {
        const std::string_view near = words::nearestWord(rule.joints, known);
        return faultAt("/joints",
                       "no joint is called " + words::quoted(rule.joints) +
                           (near.empty() ? std::string() : "; did you mean " + quotedName(near) + "?"));
    }
    const char* lacks = rule.what == What::damping                                  ? "a damper"
                        : rule.what == What::stiffness || rule.what == What::target ? "a spring"
                                                                                    : "a freedom";
    return faultAt("/joints", std::string("no joint that is called ") + words::quoted(rule.joints) +
                                  " has " + lacks + ", so there is nothing to vary");
}

void CrowdVariation::addNames(const VariationRule& rule, const std::vector<int>& joints)
{
    const std::string what = nameOf(rule.what);
    if (rule.isOfRoots()) {
        for (int k = 0; k < 3; ++k)
            if (rule.axes[static_cast<std::size_t>(k)]) names_.push_back(what + "." + "xyz"[k]);
        return;
    }
    if (!rule.isOfJoints() || rule.together) {
        names_.push_back(rule.isOfJoints() ? what + "." + rule.joints : what);
        return;
    }
    for (const int i : joints) {
        const Joint& joint = model_->joints[i];
        const int numbers = rule.isFactor() ? 1 : joint.freedoms();
        for (int k = 0; k < numbers; ++k)
            names_.push_back(what + "." + joint.name + (numbers > 1 ? "." + std::to_string(k) : ""));
    }
}

Result<CrowdVariation> CrowdVariation::create(const Model& model, State start, Variation variation)
{
    CrowdVariation made(model, std::move(start), std::move(variation));
    for (const VariationRule& rule : made.variation_.rules) {
        const std::string at = "/vary/" + std::to_string(made.joints_.size());
        std::vector<int>& joints = made.joints_.emplace_back();
        if (auto fault = made.choose(rule, joints)) return faultAt(at + fault->pointer, fault->message);
        made.addNames(rule, joints);
    }
    return made;
}

Result<double> CrowdVariation::apply(int character, Crowd& crowd, std::vector<double>& drawn) const
{
    const Model& model = *model_;
    Own own;
    own.start = start_;
    own.slack = slackState(model);
    own.springs.resize(model.joints.size());
    drawn.clear();
    for (std::size_t r = 0; r < joints_.size(); ++r) {
        const VariationRule& rule = variation_.rules[r];
        Random random = randomFor(variation_.seed, character, r);
        const auto draw = [&](const VariedNumber& number) {
            drawn.push_back(number.draw(random));
            return drawn.back();
        };
        std::optional<Diagnostic> fault;
        if (rule.isOfRoots()) {
            Vec3 by = Vec3::Zero();
            for (int k = 0; k < 3; ++k)
                if (const auto& axis = rule.axes[static_cast<std::size_t>(k)]) by[k] = draw(*axis);
            for (const int i : joints_[r])
                if (!fault) fault = varyRoot(model, i, rule.what, by, own.start);
        } else if (!rule.isOfJoints()) {
            own.mass *= draw(rule.by);
        } else {
            double by[3] = {};
            if (rule.together) by[0] = by[1] = by[2] = draw(rule.by);
            for (const int i : joints_[r]) {
                const int numbers = rule.isFactor() ? 1 : model.joints[i].freedoms();
                for (int k = 0; k < numbers && !rule.together; ++k) by[k] = draw(rule.by);
                if (!fault) fault = vary(model, i, rule.what, by, own);
            }
        }
        if (fault) return faultAt("/vary/" + std::to_string(r), fault->message);
    }
    crowd.write(character, own.start);
    crowd.scaleMass(character, own.mass);
    for (int i = 0; i < model.size(); ++i) {
        const Own::Spring& spring = own.springs[static_cast<std::size_t>(i)];
        const Joint& joint = model.joints[i];
        if (spring.isVaried)
            crowd.setSpring(character, i, spring.stiffness * joint.stiffness,
                            spring.damping * joint.damping);
        if (spring.isAimed)
            crowd.setTarget(character, i,
                            {own.slack.q.data() + joint.q, static_cast<std::size_t>(joint.coordinates())});
    }
    return own.mass;
}

}  // namespace sinew
