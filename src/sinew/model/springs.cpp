// The nearest place of a curve or surface, and how it moves. With x(s) a curve, d = p − x(s) and d · x' =
// 0,
//     ds/dp = x'ᵀ / (|x'|² − d · x'')        ∂² ½|d|² = 1 − x' x'ᵀ / (|x'|² − d · x'')
// A surface's distance has the second derivative of what it curves away by: nothing for a plane, 1/ρ across
// the normal for a sphere, and across normal and axis for a cylinder.
#include "sinew/model/springs.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

struct CurvePoint {
    Vec3 place, slope, bend;  // x, x', x''
};

class CurveSegments {
public:
    explicit CurveSegments(const SpringCurve& curve)
        : curve_(curve), count_(static_cast<int>(curve.points.size()))
    {
    }
    int size() const { return curve_.closed ? count_ : count_ - 1; }
    bool isCurved() const { return curve_.smooth && count_ > 2; }
    // Within segment i, s from 0 to 1.
    CurvePoint at(int i, double s) const
    {
        const Vec3 &from = point(i), &to = point(i + 1);
        if (!isCurved()) return {from + s * (to - from), to - from, Vec3::Zero()};
        const Vec3 a = slope(i), b = slope(i + 1), way = to - from;
        const Vec3 second = 3 * way - 2 * a - b, third = a + b - 2 * way;
        return {from + s * (a + s * (second + s * third)), a + s * (2 * second + 3 * s * third),
                2 * second + 6 * s * third};
    }
    // Whether the curve ends at the beginning of segment i, or with i = size() at its end.
    bool endsAt(int i) const { return !curve_.closed && (i == 0 || i == size()); }

private:
    const Vec3& point(int i) const { return curve_.points[static_cast<std::size_t>(i % count_)]; }
    // Catmull and Rom's; at an end that of the parabola through it and the next two.
    Vec3 slope(int i) const
    {
        if (curve_.closed) return 0.5 * (point(i + 1) - point(i + count_ - 1));
        if (i == 0) return 2 * (point(1) - point(0)) - 0.5 * (point(2) - point(0));
        if (i == count_ - 1) return 2 * (point(i) - point(i - 1)) - 0.5 * (point(i) - point(i - 2));
        return 0.5 * (point(i + 1) - point(i - 1));
    }

    const SpringCurve& curve_;
    int count_;
};

struct CurvePlace {
    int segment = 0;
    double s = 0, squared = HUGE_VAL;
};

void look(const CurveSegments& curve, int i, double s, const Vec3& p, CurvePlace& best)
{
    const double squared = (p - curve.at(i, s).place).squaredNorm();
    if (squared < best.squared) best = {i, s, squared};
}

// Newton's method on d · x' = 0 between two samples; what leaves them is kept at their rim.
double refine(const CurveSegments& curve, int i, double s, double low, double high, const Vec3& p)
{
    for (int step = 0; step < 30; ++step) {
        const CurvePoint c = curve.at(i, s);
        const Vec3 d = p - c.place;
        const double g = d.dot(c.slope), below = c.slope.squaredNorm() - d.dot(c.bend);
        if (g > 0)
            low = s;
        else
            high = s;
        double next = below > 0 ? s + g / below : 0.5 * (low + high);
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (next == s || std::abs(next - s) < 1e-16) return next;
        s = next;
    }
    return s;
}

// Between samples where the distance goes down and then up again there is a place; and the ends.
CurvePlace nearestOf(const CurveSegments& curve, const Vec3& p)
{
    CurvePlace best;
    constexpr int samples = 8;
    for (int i = 0; i < curve.size(); ++i) {
        if (!curve.isCurved()) {
            const CurvePoint c = curve.at(i, 0);
            const double s = (p - c.place).dot(c.slope) / c.slope.squaredNorm();
            look(curve, i, std::clamp(s, 0., 1.), p, best);
            continue;
        }
        const auto towards = [&](double s) {
            const CurvePoint c = curve.at(i, s);
            return (p - c.place).dot(c.slope);
        };
        look(curve, i, 0, p, best);
        double before = towards(0);
        for (int k = 1; k <= samples; ++k) {
            const double low = (k - 1.) / samples, high = static_cast<double>(k) / samples;
            const double now = towards(high);
            if (before >= 0 && now <= 0)
                look(curve, i, refine(curve, i, 0.5 * (low + high), low, high, p), p, best);
            before = now;
        }
        look(curve, i, 1, p, best);
    }
    return best;
}

SpringReach fromOffset(const Vec3& d, const Vec3& nearest, const Mat3& square)
{
    SpringReach out;
    out.distance = d.norm();
    out.nearest = nearest;
    out.square = square;
    if (!(out.distance > 0)) return out;
    out.normal = d / out.distance;
    out.curvature = (square - out.normal * out.normal.transpose()) / out.distance;
    return out;
}

SpringReach reachOf(const SpringPoint& form, const Vec3& p)
{
    return fromOffset(p - *form.point, *form.point, Mat3::Identity());
}

SpringReach reachOf(const SpringCurve& form, const Vec3& p)
{
    const CurveSegments curve(form);
    const CurvePlace best = nearestOf(curve, p);
    const CurvePoint c = curve.at(best.segment, best.s);
    const Vec3 d = p - c.place;
    const double below = c.slope.squaredNorm() - d.dot(c.bend);
    // At an end, and at a corner of straight pieces, it is a point; and in the centre of a bend.
    const bool atRim = best.s == 0 || best.s == 1;
    const bool isCorner =
        atRim && (!curve.isCurved() || curve.endsAt(best.segment + static_cast<int>(best.s)));
    if (isCorner || !(below > 0)) return fromOffset(d, c.place, Mat3::Identity());
    SpringReach out = fromOffset(d, c.place, Mat3::Identity() - c.slope * c.slope.transpose() / below);
    const double speed = c.slope.norm();
    out.tangent = c.slope / speed;
    const Vec3 bend = (c.bend - out.tangent.dot(c.bend) * out.tangent) / speed;
    out.tangentRate = bend * c.slope.transpose() / below;
    return out;
}

SpringReach reachOf(const SpringPlane& form, const Vec3& p)
{
    SpringReach out;
    out.distance = form.normal.dot(p - form.point);
    out.normal = form.normal;
    out.nearest = p - out.distance * form.normal;
    return out;
}

// Around a centre or an axis.
SpringReach round(const Vec3& across, const Mat3& directions, double radius, const Vec3& p)
{
    SpringReach out;
    const double rho = across.norm();
    out.distance = rho - radius;
    out.nearest = p;
    if (!(rho > 0)) return out;
    out.normal = across / rho;
    out.nearest = p - out.distance * out.normal;
    out.curvature = (directions - out.normal * out.normal.transpose()) / rho;
    return out;
}

SpringReach reachOf(const SpringSphere& form, const Vec3& p)
{
    return round(p - form.center, Mat3::Identity(), form.radius, p);
}

SpringReach reachOf(const SpringCylinder& form, const Vec3& p)
{
    const Mat3 directions = Mat3::Identity() - form.axis * form.axis.transpose();
    return round(directions * (p - form.point), directions, form.radius, p);
}

}  // namespace

SpringReach springReach(const SpringForm& form, const Vec3& p)
{
    return std::visit([&](const auto& own) { return reachOf(own, p); }, form);
}

bool isSpringSurface(const SpringForm& form)
{
    return !std::holds_alternative<SpringPoint>(form) && !std::holds_alternative<SpringCurve>(form);
}

}  // namespace sinew
