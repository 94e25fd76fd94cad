// The step of a group in each number type that a crowd may choose, compiled once.
#pragma once

#include "sinew/crowd/kernel.h"

namespace sinew::crowd {

template <class T>
using StepFunction = void (*)(const Model& model, const Group<T>& group, double h, bool isImplicit);

// One by one, and as many as any x86-64 or WebAssembly can.
extern const StepFunction<double> stepOneDouble;
extern const StepFunction<float> stepOneFloat;
extern const StepFunction<recursion::Twins> stepTwins;
extern const StepFunction<Lanes<double, 2>> stepTwoDoubles;
extern const StepFunction<Lanes<float, 4>> stepFourFloats;
// With AVX; instructions of three operands take a tenth less time.
bool hasThreeOperands();
extern const StepFunction<double> stepOneDoubleByAvx;
extern const StepFunction<float> stepOneFloatByAvx;
extern const StepFunction<recursion::Twins> stepTwinsByAvx;
// With AVX2.
bool hasWideLanes();
extern const StepFunction<Lanes<double, 4>> stepFourDoubles;
extern const StepFunction<Lanes<float, 8>> stepEightFloats;
// With AVX-512.
bool hasWidestLanes();
extern const StepFunction<Lanes<double, 8>> stepEightDoubles;
extern const StepFunction<Lanes<float, 16>> stepSixteenFloats;

}  // namespace sinew::crowd
