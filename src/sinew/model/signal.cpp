#include "sinew/model/signal.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/trigonometry.h"
#include "sinew/math/types.h"

namespace sinew {
namespace {

// A ramp of this height and length, some time after its start.
SignalValue ramp(double height, double length, double since)
{
    if (!(length > 0)) return {since >= 0 ? height : 0, 0, 0};
    const SignalValue unit = rampAt(since / length);
    return {height * unit.value, height * unit.rate / length, height * unit.rate2 / (length * length)};
}

SignalValue valueAt(const ConstantSignal& signal, double)
{
    return {signal.value, 0, 0};
}

SignalValue valueAt(const SineSignal& signal, double time)
{
    const double w = 2 * pi * signal.frequency;
    // Whole turns first: the argument stays small however long the run.
    const double turns = signal.frequency * time;
    const double angle = 2 * pi * (turns - std::floor(turns)) + signal.phase;
    const double s = signal.amplitude * sine(angle);
    return {signal.offset + s, signal.amplitude * w * cosine(angle), -w * w * s};
}

SignalValue valueAt(const PulseSignal& signal, double time)
{
    // The end of a step is only as good as its sum: the pulse begins this much earlier.
    constexpr double slack = 1e-9;  // s
    double since = time - signal.start;
    if (since < -slack) return {};
    if (signal.period > 0) since -= signal.period * std::floor((since + slack) / signal.period);
    // A pulse without ramps is over at its end, not after it.
    if (!(signal.ramp > 0)) return {since < signal.length - slack ? signal.height : 0, 0, 0};
    SignalValue value = ramp(signal.height, signal.ramp, since);
    value += ramp(-signal.height, signal.ramp, since - (signal.length - signal.ramp));
    return value;
}

SignalValue valueAt(const StepSignal& signal, double time)
{
    SignalValue value = ramp(signal.to - signal.from, signal.ramp, time - signal.time);
    value.value += signal.from;
    return value;
}

// From −1 to 1, the same for the same seed and place (SplitMix64).
double randomAt(std::uint32_t seed, std::int64_t place)
{
    std::uint64_t x = (static_cast<std::uint64_t>(seed) << 32) ^ static_cast<std::uint64_t>(place);
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return static_cast<double>(x >> 11) / 4503599627370496.0 - 1;  // 2⁵²
}

// Two random values a turn, ramps between them.
SignalValue valueAt(const NoiseSignal& signal, double time)
{
    const double rate = 2 * signal.frequency, place = std::floor(rate * time);
    if (!(std::abs(place) < 1e15)) return {};
    const auto index = static_cast<std::int64_t>(place);
    const double from = signal.amplitude * randomAt(signal.seed, index);
    const double to = signal.amplitude * randomAt(signal.seed, index + 1);
    const SignalValue unit = rampAt(rate * time - place);
    return {from + (to - from) * unit.value, (to - from) * unit.rate * rate,
            (to - from) * unit.rate2 * rate * rate};
}

// Keys that are not there twice: with a period, the last may stand on the first.
std::size_t ownKeys(const KeySignal& signal)
{
    const std::vector<KeySignal::Key>& keys = signal.keys;
    const bool closes =
        signal.period > 0 && keys.size() > 1 && !(keys.back().time - keys.front().time < signal.period);
    return closes ? keys.size() - 1 : keys.size();
}

// The slope at a key, so that the cubics never leave the values of the keys on either side (Steffen 1990):
// that of the parabola through it and its neighbours, but no steeper than twice the flatter side, and none
// at a peak, at the rim of a hold, or at an end; with a period, ends are keys like others.
double slopeAt(const KeySignal& signal, std::size_t i)
{
    const std::vector<KeySignal::Key>& keys = signal.keys;
    const std::size_t last = ownKeys(signal) - 1;
    if (last == 0 || ((i == 0 || i == last) && !(signal.period > 0))) return 0;
    const KeySignal::Key before =
        i > 0 ? keys[i - 1] : KeySignal::Key{keys[last].time - signal.period, keys[last].value};
    const KeySignal::Key after =
        i < last ? keys[i + 1] : KeySignal::Key{keys[0].time + signal.period, keys[0].value};
    const double left = keys[i].time - before.time, right = after.time - keys[i].time;
    const double leftSlope = (keys[i].value - before.value) / left;
    const double rightSlope = (after.value - keys[i].value) / right;
    if (!((leftSlope > 0 && rightSlope > 0) || (leftSlope < 0 && rightSlope < 0))) return 0;
    const double parabola = (right * leftSlope + left * rightSlope) / (left + right);
    const double steepest = 2 * std::min(std::abs(leftSlope), std::abs(rightSlope));
    return std::clamp(parabola, -steepest, steepest);
}

SignalValue valueAt(const KeySignal& signal, double time)
{
    const std::vector<KeySignal::Key>& keys = signal.keys;
    if (keys.empty()) return {};
    const std::size_t count = ownKeys(signal);
    const bool around = signal.period > 0 && count > 1;
    if (around) time -= signal.period * std::floor((time - keys[0].time) / signal.period);
    std::size_t next = 0;
    while (next < count && keys[next].time <= time) ++next;
    if (next == 0) return {keys[0].value, 0, 0};
    const std::size_t i = next - 1;
    if (next == count && !around) return {keys[i].value, 0, 0};
    const std::size_t j = next == count ? 0 : next;
    const double span = (j == 0 ? keys[0].time + signal.period : keys[j].time) - keys[i].time;
    if (!signal.smooth) {
        const double slope = (keys[j].value - keys[i].value) / span;
        return {keys[i].value + slope * (time - keys[i].time), slope, 0};
    }
    const CubicValue<double> c = cubicAt(keys[i].value, slopeAt(signal, i), keys[j].value,
                                         slopeAt(signal, j), span, time - keys[i].time);
    return {c.value, c.rate, c.rate2};
}

}  // namespace

SignalValue rampAt(double s)
{
    if (s <= 0) return {};
    if (s >= 1) return {1, 0, 0};
    return {s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * (s - 1) * (s - 1),
            60 * s * (s - 1) * (2 * s - 1)};
}

SignalValue Signal::at(double time) const
{
    SignalValue sum;
    for (const SignalPart& part : parts)
        sum += std::visit([&](const auto& form) { return valueAt(form, time); }, part);
    return sum;
}

bool Signal::isConstant() const
{
    return std::all_of(parts.begin(), parts.end(),
                       [](const SignalPart& part) { return std::holds_alternative<ConstantSignal>(part); });
}

}  // namespace sinew
