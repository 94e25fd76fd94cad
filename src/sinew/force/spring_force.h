// What laws are made of that draw to a place: springs and dampers that give no more than they can, that
// come and go, and that act at a point of a body.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "sinew/model/signal.h"
#include "sinew/model/strength.h"
#include "sinew/state/state.h"

namespace sinew {

// A force with minus its derivatives by place and by velocity.
struct SpringForce {
    Vec3 force;
    Mat3 stiffness, damping;

    // No longer than this: beyond it only the direction is left to change.
    void limit(double longest)
    {
        const double size = force.norm();
        if (!(size > longest)) return;
        const Vec3 direction = force / size;
        const Mat3 across = longest / size * (Mat3::Identity() - direction * direction.transpose());
        force = longest * direction;
        stiffness = across * stiffness;
        damping = across * damping;
    }
    // Within an ellipse that reaches farther to one side than to the other: Q/s, s² = Σ (Q_i / L_i)².
    void limit(const TorqueBounds& bounds, int freedoms)
    {
        Vec3 slope = Vec3::Zero();  // Q_i / L_i²
        double size = 0;
        for (int i = 0; i < freedoms; ++i) {
            const double part = force[i] / bounds.of(i, force[i]);
            slope[i] = part / bounds.of(i, force[i]);
            size += part * part;
        }
        size = std::sqrt(size);
        if (!(size > 1)) return;
        const Mat3 across = 1 / size * (Mat3::Identity() - force * slope.transpose() / (size * size));
        force /= size;
        stiffness = (across * stiffness).eval();
        damping = (across * damping).eval();
    }
    // Of a joint with so many freedoms.
    void addTo(int freedoms, double* Q) const
    {
        for (int i = 0; i < freedoms; ++i) Q[i] += force[i];
    }
    void addTo(JointTangent& tangent) const
    {
        tangent.stiffness += stiffness;
        tangent.damping += damping;
    }
};

// 1 without a signal.
inline double weightAt(const std::optional<Signal>& weight, double time)
{
    return weight ? weight->at(time).value : 1;
}

// Adds the derivatives of a force f at an arm of a body with angular velocity `spin`, world axes, that
// changes with the place of its point by −K and with its velocity by −D.
void addPointTangent(const Vec3& arm, const Vec3& spin, const Vec3& f, const Mat3& K, const Mat3& D,
                     BodyTangent& tangent);

// A new one of a body, all zero.
inline BodyTangent& appendTangent(int body, std::vector<BodyTangent>& tangents)
{
    BodyTangent& tangent = tangents.emplace_back();
    tangent.body = body;
    return tangent;
}

}  // namespace sinew
