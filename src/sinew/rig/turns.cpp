#include "sinew/rig/turns.h"

#include <algorithm>

#include "sinew/math/rotation.h"

namespace sinew {

std::vector<Vec3> turnsWithoutJumps(const std::vector<Quat>& rotations)
{
    std::vector<Vec3> turns;
    for (const Quat& rotation : rotations) {
        Vec3 turn = logRotation(rotation.normalized());
        const double angle = turn.norm();
        if (!turns.empty() && angle > 1e-9) {
            const Vec3 axis = turn / angle;
            turn = unwrapAngle(angle, turns.back().dot(axis)) * axis;
        }
        turns.push_back(turn);
    }
    return turns;
}

std::vector<Signal> turnSignals(const std::vector<Vec3>& turns, double fps)
{
    std::vector<Signal> signals(3);
    for (int axis = 0; axis < 3; ++axis) {
        const bool moves = std::any_of(turns.begin(), turns.end(),
                                       [&](const Vec3& turn) { return turn[axis] != turns[0][axis]; });
        if (!moves) {
            signals[axis].parts.push_back(ConstantSignal{turns[0][axis]});
            continue;
        }
        KeySignal keys;
        for (std::size_t k = 0; k < turns.size(); ++k)
            keys.keys.push_back({static_cast<double>(k) / fps, turns[k][axis]});
        signals[axis].parts.push_back(std::move(keys));
    }
    return signals;
}

}  // namespace sinew
