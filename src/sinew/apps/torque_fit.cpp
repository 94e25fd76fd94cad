#include "sinew/apps/torque_fit.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double told = 0.5;          // of the torques' variance: less is no spring
constexpr double springPart = 0.05;   // likewise, of the spring by itself
constexpr double leastMotion = 1e-4;  // rad: a joint that stood still says nothing

Vec3 across(const Vec3& v, const Vec3& axis)
{
    return v - axis.dot(v) * axis;
}

// By differences over two frames; the first and the last frame have none.
std::vector<Vec3> velocities(const JointRecord& record)
{
    std::vector<Vec3> out;
    for (std::size_t i = 1; i + 1 < record.time.size(); ++i)
        out.push_back((record.place[i + 1] - record.place[i - 1]) /
                      (record.time[i + 1] - record.time[i - 1]));
    return out;
}

Vec3 meanOf(const std::vector<Vec3>& all)
{
    Vec3 sum = Vec3::Zero();
    for (const Vec3& one : all) sum += one;
    return sum / static_cast<double>(all.size());
}

}  // namespace

std::optional<FittedSpring> fitSpring(const JointRecord& record, const Vec3& axis)
{
    if (record.time.size() < 10) return {};
    std::vector<Vec3> q, v = velocities(record), torque;
    for (std::size_t i = 1; i + 1 < record.time.size(); ++i) {
        q.push_back(across(record.place[i], axis));
        torque.push_back(across(record.torque[i], axis));
    }
    for (Vec3& one : v) one = across(one, axis);
    const Vec3 q0 = meanOf(q), v0 = meanOf(v), torque0 = meanOf(torque);
    double qq = 0, qv = 0, vv = 0, qt = 0, vt = 0, tt = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
        const Vec3 dq = q[i] - q0, dv = v[i] - v0, dt = torque[i] - torque0;
        qq += dq.squaredNorm();
        qv += dq.dot(dv);
        vv += dv.squaredNorm();
        qt += dq.dot(dt);
        vt += dv.dot(dt);
        tt += dt.squaredNorm();
    }
    const double count = static_cast<double>(q.size()), determinant = qq * vv - qv * qv;
    if (std::sqrt(qq / count) < leastMotion || !(determinant > 1e-12 * qq * vv) || !(tt > 0)) return {};
    FittedSpring fit;
    fit.stiffness = -(qt * vv - vt * qv) / determinant;
    fit.damping = -(vt * qq - qt * qv) / determinant;
    if (!(fit.stiffness > 0)) return {};
    if (fit.damping < 0) {
        fit.damping = 0;
        fit.stiffness = -qt / qq;
    }
    const double explained = -fit.stiffness * qt - fit.damping * vt;
    if (!(fit.stiffness > 0) || explained < told * tt) return {};
    if (fit.stiffness * fit.stiffness * qq < springPart * tt) return {};  // a damper tells it all
    fit.center = q0 + (torque0 + fit.damping * v0) / fit.stiffness;
    return fit;
}

double quantile(std::vector<double> numbers, double share)
{
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1) + 0.5);
    std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
    return numbers[static_cast<std::size_t>(at)];
}

}  // namespace sinew
