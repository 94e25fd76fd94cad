// Many characters of one model, each with a state and with masses and springs of its own, stepped several
// at a time: a character in each lane of a vector, as many as the processor has.
//
// A crowd moves by gravity and by the springs, dampers, limits and constant motors of its joints. Springs
// rest where a character is told to hold still. It stands on planes and spheres, which push back as springs
// with friction (recursion/ground.h). The step is semi-implicit Euler; `implicitSprings` takes springs and
// limits linearly implicitly, at the price of an explicit step, so that they may be as stiff as they like.
// What one character does not depend on the others, nor on how many are stepped at a time: each comes to
// the same bits in any lane.
#pragma once

#include <memory>
#include <span>

#include "sinew/base/result.h"
#include "sinew/model/model.h"
#include "sinew/state/state.h"

namespace sinew {

struct CrowdSettings {
    int count = 1;
    double step = 1. / 240;       // s
    bool implicitSprings = true;  // linearly
    bool single = false;          // in single precision, twice as many at a time
    // At most so many at a time: 8 (16 in single precision) with AVX-512, half of it with AVX2, a quarter
    // of it without; 1: one by one.
    int lanes = 16;
    int threads = 1;  // that share the characters; the same bits with any number
};

class Crowd {
public:
    static constexpr int most = 1'000'000;

    // The model must stay where it is. All begin at rest.
    static Result<Crowd> create(const Model& model, const CrowdSettings& settings);
    Crowd(Crowd&&) noexcept;
    Crowd& operator=(Crowd&&) noexcept;
    ~Crowd();

    int size() const;
    // How many are stepped at a time.
    int lanes() const;
    double time() const;

    void step(int steps = 1);

    // q, u and bodies of one.
    void read(int character, State& state) const;
    // From q and u.
    void write(int character, const State& state);
    // Masses and inertias, as multiples of the model's.
    void scaleMass(int character, double factor);
    // Of one joint, by tree index: N/m (N·m/rad) and N·s/m (N·m·s/rad).
    void setSpring(int character, int joint, double stiffness, double damping);
    // Where that spring is slack: the joint's coordinates, as in State::q.
    void setTarget(int character, int joint, std::span<const double> coordinates);

    class Herd;  // crowd.cpp

private:
    explicit Crowd(std::unique_ptr<Herd> herd);
    std::unique_ptr<Herd> herd_;
};

// What of a model a crowd cannot do, as messages call it; or nothing.
std::string unsupportedInCrowd(const Model& model);

}  // namespace sinew
