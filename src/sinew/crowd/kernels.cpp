#include "sinew/crowd/kernels.h"

// Functions that may use more than the rest of the program. All they call per link is compiled into them.
#if defined(__x86_64__) && defined(__GNUC__)
#define SINEW_AVX __attribute__((target("avx")))
#define SINEW_WIDE __attribute__((target("avx2")))
#define SINEW_WIDEST __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define SINEW_AVX
#define SINEW_WIDE
#define SINEW_WIDEST
#endif

namespace sinew::crowd {
namespace {

template <class T>
void plainStep(const Model& model, const Group<T>& group, double h, bool isImplicit)
{
    stepGroup(model, group, h, isImplicit);
}
template <class T>
SINEW_AVX void avxStep(const Model& model, const Group<T>& group, double h, bool isImplicit)
{
    stepGroup(model, group, h, isImplicit);
}
template <class T>
SINEW_WIDE void wideStep(const Model& model, const Group<T>& group, double h, bool isImplicit)
{
    stepGroup(model, group, h, isImplicit);
}
template <class T>
SINEW_WIDEST void widestStep(const Model& model, const Group<T>& group, double h, bool isImplicit)
{
    stepGroup(model, group, h, isImplicit);
}

}  // namespace

const StepFunction<double> stepOneDouble = plainStep<double>;
const StepFunction<float> stepOneFloat = plainStep<float>;
const StepFunction<recursion::Twins> stepTwins = plainStep<recursion::Twins>;
const StepFunction<double> stepOneDoubleByAvx = avxStep<double>;
const StepFunction<float> stepOneFloatByAvx = avxStep<float>;
const StepFunction<recursion::Twins> stepTwinsByAvx = avxStep<recursion::Twins>;
const StepFunction<Lanes<double, 2>> stepTwoDoubles = plainStep<Lanes<double, 2>>;
const StepFunction<Lanes<float, 4>> stepFourFloats = plainStep<Lanes<float, 4>>;
const StepFunction<Lanes<double, 4>> stepFourDoubles = wideStep<Lanes<double, 4>>;
const StepFunction<Lanes<float, 8>> stepEightFloats = wideStep<Lanes<float, 8>>;
const StepFunction<Lanes<double, 8>> stepEightDoubles = widestStep<Lanes<double, 8>>;
const StepFunction<Lanes<float, 16>> stepSixteenFloats = widestStep<Lanes<float, 16>>;

bool hasThreeOperands()
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx");
#else
    return false;
#endif
}

bool hasWideLanes()
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

bool hasWidestLanes()
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

}  // namespace sinew::crowd
