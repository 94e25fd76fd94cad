#include "sinew/soft/ties.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/symmetric_eigen.h"

namespace sinew {
namespace {

struct TieTension {
    double value = 0, slope = 0, energy = 0;
    bool acts = false;
};
TieTension tieTension(const MeshTieLaw& tie, double length, double length0, double h)
{
    const double perStep = h > 0 ? tie.damping / h : 0, slope = tie.stiffness + perStep;
    if (!(slope > 0)) return {};
    const double slack = (tie.stiffness * tie.rest + perStep * length0) / slope;
    double from = slack;
    if (!tie.pushes) from = std::max(slack, tie.rest);
    if (!tie.pulls) from = std::min(slack, tie.rest);
    if ((!tie.pushes && !(length > from)) || (!tie.pulls && !(length < from))) return {};
    const double stretch = length - slack, begins = from - slack;
    return {slope * stretch, slope, 0.5 * slope * (stretch * stretch - begins * begins), true};
}

double tensionAt(const MeshTieLaw& tie, double length, double rate)
{
    const double stretch = length - tie.rest;
    if ((!tie.pushes && !(stretch > 0)) || (!tie.pulls && !(stretch < 0))) return 0;
    const double tension = tie.stiffness * stretch + tie.damping * rate;
    if ((!tie.pushes && tension < 0) || (!tie.pulls && tension > 0)) return 0;
    return tension;
}

Vec3 inForm(const GlidePlace& place)
{
    return place.pose.orientation.conjugate() * Vec3(place.vertex - place.pose.position);
}

Mat3 across(const Vec3& tangent)
{
    return Mat3::Identity() - tangent * tangent.transpose();
}

// Without what is negative.
Mat3 positivePart(const Mat3& matrix)
{
    const SymmetricEigen3 parts(matrix);
    Mat3 sum = Mat3::Zero();
    for (int k = 0; k < 3; ++k) {
        const Vec3 axis = parts.eigenvectors().col(k);
        if (parts.eigenvalues()[k] > 0) sum += parts.eigenvalues()[k] * (axis * axis.transpose());
    }
    return sum;
}

// Where a vertex is to its curve or surface, now and before.
struct Glide {
    Vec3 now, before;
    SpringReach reach, reach0;
    Vec3 slip() const { return across(reach0.tangent) * Vec3(now - before); }
};
Glide glideOf(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before)
{
    Glide at;
    at.now = inForm(now);
    at.before = inForm(before);
    at.reach = springReach(glide.form, at.now);
    at.reach0 = springReach(glide.form, at.before);
    return at;
}

}  // namespace

double pinEnergy(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h)
{
    if (pin.isLine()) return tieTension(pin, way.norm(), way0.norm(), h).energy;
    const double elastic = 0.5 * pin.stiffness * way.squaredNorm();
    return h > 0 ? elastic + 0.5 * pin.damping / h * Vec3(way - way0).squaredNorm() : elastic;
}

Vec3 pinPull(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h)
{
    if (!pin.isLine()) return pin.stiffness * way + pin.damping / h * Vec3(way - way0);
    const double length = way.norm();
    if (!(length > 0)) return Vec3::Zero();
    return tieTension(pin, length, way0.norm(), h).value / length * way;
}

Mat3 pinBlock(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h)
{
    if (!pin.isLine()) return (pin.stiffness + pin.damping / h) * Mat3::Identity();
    const double length = way.norm();
    if (!(length > 0)) return Mat3::Zero();
    const TieTension t = tieTension(pin, length, way0.norm(), h);
    const double across = std::max(t.value / length, 0.0);
    return across * Mat3::Identity() + (t.slope - across) / (length * length) * (way * way.transpose());
}

double pinDissipation(const MeshTieLaw& pin, const Vec3& way, const Vec3& way0, double h)
{
    if (!pin.isLine()) return pin.damping / h * Vec3(way - way0).squaredNorm();
    const double length = way.norm(), length0 = way0.norm();
    if (!tieTension(pin, length, length0, h).acts) return 0;
    return pin.damping / h * (length - length0) * (length - length0);
}

double glideEnergy(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h)
{
    const Glide at = glideOf(glide, now, before);
    if (glide.isLine()) return tieTension(glide, at.reach.distance, at.reach0.distance, h).energy;
    const double elastic = 0.5 * glide.stiffness * at.reach.distance * at.reach.distance;
    return h > 0 ? elastic + 0.5 * glide.damping / h * at.slip().squaredNorm() : elastic;
}

Vec3 glidePull(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h)
{
    const Glide at = glideOf(glide, now, before);
    Vec3 pull;
    if (glide.isLine())
        pull = tieTension(glide, at.reach.distance, at.reach0.distance, h).value * at.reach.normal;
    else
        pull = glide.stiffness * Vec3(at.now - at.reach.nearest) + glide.damping / h * at.slip();
    return now.pose.orientation * pull;
}

Mat3 glideBlock(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h)
{
    const Glide at = glideOf(glide, now, before);
    Mat3 block;
    if (glide.isLine()) {
        const TieTension t = tieTension(glide, at.reach.distance, at.reach0.distance, h);
        block = t.slope * (at.reach.normal * at.reach.normal.transpose()) +
                positivePart(t.value * at.reach.curvature);
    } else {
        block =
            glide.stiffness * positivePart(at.reach.square) + glide.damping / h * across(at.reach0.tangent);
    }
    const Mat3 turn = now.pose.orientation.toRotationMatrix();
    return turn * block * turn.transpose();
}

double glideDissipation(const MeshGlide& glide, const GlidePlace& now, const GlidePlace& before, double h)
{
    const Glide at = glideOf(glide, now, before);
    if (!glide.isLine()) return glide.damping / h * at.slip().squaredNorm();
    const double way = at.reach.distance - at.reach0.distance;
    if (!tieTension(glide, at.reach.distance, at.reach0.distance, h).acts) return 0;
    return glide.damping / h * way * way;
}

Vec3 pinPullAt(const MeshTieLaw& pin, const Vec3& way, const Vec3& speed)
{
    if (!pin.isLine()) return pin.stiffness * way + pin.damping * speed;
    const double length = way.norm();
    if (!(length > 0)) return Vec3::Zero();
    return tensionAt(pin, length, way.dot(speed) / length) / length * way;
}

Vec3 glidePullAt(const MeshGlide& glide, const Vec3& vertex, const Vec3& velocity)
{
    const SpringReach reach = springReach(glide.form, vertex);
    if (glide.isLine()) return tensionAt(glide, reach.distance, reach.normal.dot(velocity)) * reach.normal;
    return glide.stiffness * Vec3(vertex - reach.nearest) +
           glide.damping * Vec3(across(reach.tangent) * velocity);
}

}  // namespace sinew
