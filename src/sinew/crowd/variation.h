// How the characters of a crowd differ: starts and parameters, drawn at random for each.
//
// What a character gets depends on the seed and its number alone: the tenth is the same in a crowd of ten
// and of ten thousand. Rules are applied in their order; several of one kind multiply or add up.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/random.h"
#include "sinew/crowd/crowd.h"

namespace sinew {

// Evenly between two numbers, or by a mean and a standard deviation.
struct VariedNumber {
    bool isNormal = false;
    double first = 0, second = 0;  // low and high, or mean and deviation

    double draw(Random& random) const;
};

struct VariationRule {
    enum class What {
        mass,       // times `by`: masses and inertias of the whole character
        stiffness,  // times `by`: of joints, as the next ones
        damping,    // times `by`
        target,     // plus `by`, rad (m): where the spring is slack, each freedom
        pose,       // plus `by`, rad (m): at the start, each freedom
        speed,      // plus `by`, rad/s (m/s): at the start, each freedom
        place,      // plus `axes`, m: of floating skeletons at the start, as the next ones
        turn,       // by the rotation vector `axes`, rad, world axes
        velocity,   // plus `axes`, m/s
        spin        // plus `axes`, rad/s, world axes
    };
    What what = What::mass;
    std::string joints;  // a pattern (base/pattern.h)
    VariedNumber by;
    std::array<std::optional<VariedNumber>, 3> axes;
    bool together = false;  // one number for all joints and freedoms

    bool isFactor() const { return what <= What::damping; }
    bool isOfJoints() const { return what >= What::stiffness && what <= What::speed; }
    bool isOfRoots() const { return what >= What::place; }
};

struct Variation {
    std::uint64_t seed = 1;
    std::vector<VariationRule> rules;
};

// A variation that fits a model.
class CrowdVariation {
public:
    // Characters that nothing varies begin at `start`. The error points at the rule, as /vary/1/joints. The
    // model must stay where it is.
    static Result<CrowdVariation> create(const Model& model, State start, Variation variation);

    // What is drawn for each character, such as "mass" and "pose.left_knee.0".
    const std::vector<std::string>& names() const { return names_; }
    // Sets one of the crowd up. `drawn` gets a number for each name; gives the factor of its masses. Fails
    // where a number is beyond all sense.
    Result<double> apply(int character, Crowd& crowd, std::vector<double>& drawn) const;

private:
    CrowdVariation(const Model& model, State start, Variation variation)
        : model_(&model), start_(std::move(start)), variation_(std::move(variation))
    {
    }
    std::optional<Diagnostic> choose(const VariationRule& rule, std::vector<int>& joints) const;
    void addNames(const VariationRule& rule, const std::vector<int>& joints);

    const Model* model_;
    State start_;
    Variation variation_;
    std::vector<std::vector<int>> joints_;  // of each rule, tree indices
    std::vector<std::string> names_;
};

}  // namespace sinew
