// Joints that follow a given motion while the rest of the figure is dynamic: which do, and what motion.
//
// From the first end of a step at or after `from` the joint is led onto its curve over `blend` seconds:
//     q(t) = curve(t) ⊕ δ(t),     δ = (δ₀ + δ̇₀ s) (1 − ramp(s / blend)),     s = t − start
// with δ₀, δ̇₀ from the motion that it had: place and velocity are continuous there, and place, velocity and
// acceleration where the blend ends. At the first end of a step at or after `until` it is let go as it
// moves. Who is prescribed changes between steps only and is kept in State::memory, so that all stages and
// parts of a step agree about it.
#pragma once

#include "sinew/model/joint_curve.h"
#include "sinew/state/state.h"

namespace sinew {

inline bool isPrescribed(const Model& model, const State& state, int link)
{
    const int which = model.joints[link].prescribed;
    return which >= 0 && state.memory[model.prescribed[which].memory + Prescription::isOn] != 0;
}

// Of a prescribed joint; `time` is not before the present start of its prescription.
JointMotion prescribedMotion(const Model& model, const State& state, int link, double time);

// Puts q and u of the prescribed joints on their curves, at the state's time.
void setPrescribed(const Model& model, State& state);
// The same, and all bodies with them.
void followPrescribed(const Model& model, State& state);

// Between steps: begins and ends what is due at the state's time. True if anything did.
bool handOver(const Model& model, State& state);

}  // namespace sinew
