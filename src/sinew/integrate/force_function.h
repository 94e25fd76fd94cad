// What an integrator asks for forces.
#pragma once

#include "sinew/state/state.h"

namespace sinew {

// Sets Forces at a state: by a law, the scene's own or whatever else the caller wants to push with, and by
// what somebody adds to it from outside, with its tangents in Forces::outside.
class ForceFunction {
public:
    using Law = void (*)(const Model&, const State&, Forces&);
    using Addition = void (*)(void* adder, const Model&, const State&, Forces&);

    ForceFunction(Law law = nullptr) : law_(law) {}
    ForceFunction plus(Addition addition, void* adder) const
    {
        ForceFunction both = *this;
        both.addition_ = addition;
        both.adder_ = adder;
        return both;
    }
    void operator()(const Model& model, const State& state, Forces& forces) const
    {
        forces.outside.clear();
        law_(model, state, forces);
        if (addition_) addition_(adder_, model, state, forces);
    }

    // Whether this law is all of it.
    bool is(Law law) const { return law_ == law && !addition_; }

private:
    Law law_;
    Addition addition_ = nullptr;
    void* adder_ = nullptr;
};

}  // namespace sinew
