// Sources: Gottschalk, Lin, Manocha, "OBBTree" (1996), for boxes; Ericson, Real-Time Collision Detection
// (2004), section 5.1.9, for lines; geometry/distance.h for all others.
#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/collision/manifold.h"
#include "sinew/geometry/support.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

// Edges within this sine of each other have no direction across both that faces do not have better.
constexpr double parallelEdges = 1e-4;
// Axes that are nearer than this part of the extent meet: the direction between them is unknown.
constexpr double meeting = 1e-10;
// What distance() promises, in units of the extent.
constexpr double rounding = 1e-9;

struct FaceAxis {
    double gap = -HUGE_VAL;
    double area = 0;
};

// The better face of those that are good enough: the wider one, then A's.
Separation::Face chooseFace(const FaceAxis& a, const FaceAxis& b, double least)
{
    const bool aIsGood = a.gap >= least, bIsGood = b.gap >= least;
    if (aIsGood && (!bIsGood || a.area >= b.area * (1 - 1e-6))) return Separation::Face::ofA;
    return bIsGood ? Separation::Face::ofB : Separation::Face::none;
}

// Nearest points of two segments p + s d, q + t e, 0 ≤ s, t ≤ 1.
void nearestOfSegments(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e, double& s, double& t)
{
    const double dd = d.squaredNorm(), ee = e.squaredNorm(), de = d.dot(e);
    const double pd = d.dot(p - q), pe = e.dot(p - q);
    const double square = dd * ee - de * de;
    s = square > 1e-14 * dd * ee ? std::clamp((de * pe - pd * ee) / square, 0., 1.) : 0.;
    t = ee > 0 ? (de * s + pe) / ee : 0.;
    if (t < 0 || t > 1 || !(ee > 0)) {
        t = std::clamp(t, 0., 1.);
        s = dd > 0 ? std::clamp((de * t - pd) / dd, 0., 1.) : 0.;
    }
}

// ---- what is round ------------------------------------------------------------------------------

struct Core {
    Vec3 middle = Vec3::Zero(), toEnd = Vec3::Zero();
    double radius = 0;
    bool isCapped = true;  // by balls; a cylinder is not
};

std::optional<Core> coreOf(const PlacedShape& placed)
{
    const Vec3& center = placed.pose.position;
    const Vec3 axis = placed.R.col(1);
    if (const auto* s = std::get_if<Sphere>(placed.shape))
        return Core{center, Vec3::Zero(), s->radius, true};
    if (const auto* s = std::get_if<Capsule>(placed.shape))
        return Core{center, 0.5 * s->length * axis, s->radius, true};
    if (const auto* s = std::get_if<Cylinder>(placed.shape))
        return Core{center, 0.5 * s->length * axis, s->radius, false};
    return {};
}

// Spheres, capsules, and cylinders where they touch with their sides: distance of the axes less the radii.
std::optional<Separation> separateCores(const PlacedShape& a, const PlacedShape& b)
{
    const std::optional<Core> A = coreOf(a), B = coreOf(b);
    if (!A || !B) return {};
    const Vec3 startA = A->middle - A->toEnd, startB = B->middle - B->toEnd;
    double s = 0, t = 0;
    nearestOfSegments(startA, 2 * A->toEnd, startB, 2 * B->toEnd, s, t);
    const Vec3 onA = startA + 2 * s * A->toEnd, onB = startB + 2 * t * B->toEnd;
    Separation result;
    const double length = (onB - onA).norm();
    if (length > meeting * (a.reach + b.reach)) {
        result.normal = (onB - onA) / length;
    } else {
        if (!A->isCapped || !B->isCapped) return {};
        const Vec3 across = A->toEnd.cross(B->toEnd);
        const Vec3 along = A->toEnd.squaredNorm() > 0 ? A->toEnd : B->toEnd;
        if (across.norm() > 1e-6 * A->toEnd.norm() * B->toEnd.norm())
            result.normal = across.normalized();
        else if (along.squaredNorm() > 0)
            result.normal = directorsAcross(along.normalized()).first;
    }
    const Vec3& n = result.normal;
    result.gap = n.dot(onB - onA) - A->radius - B->radius;
    for (const auto& [core, placed, other, sign] :
         {std::tuple(&*A, &a, &b, 1.), std::tuple(&*B, &b, &a, -1.)}) {
        if (core->isCapped) continue;
        const Vec3 axis = placed->R.col(1);
        if (std::abs(n.dot(axis)) > 1e-9) return {};
        // Out over a lid may be shorter than out across.
        for (const double side : {-1., 1.})
            if (result.gap < 0 && -placed->along(side * axis) - other->along(-side * axis) > result.gap)
                return {};
    }
    result.pointA = onA + A->radius * n;
    result.pointB = onB - B->radius * n;
    return result;
}

// ---- boxes --------------------------------------------------------------------------------------

// The line of a box that reaches farthest along n and runs along one of its axes.
void edgeTowards(const PlacedShape& box, const Vec3& half, int axis, const Vec3& n, Vec3& start, Vec3& edge)
{
    start = box.pose.position - half[axis] * box.R.col(axis);
    edge = 2 * half[axis] * box.R.col(axis);
    for (int k = 0; k < 3; ++k)
        if (k != axis) start += (n.dot(box.R.col(k)) < 0 ? -half[k] : half[k]) * box.R.col(k);
}

Separation separateBoxes(const PlacedShape& a, const Vec3& halfA, const PlacedShape& b, const Vec3& halfB,
                         double reach, ManifoldWork& work)
{
    const Mat3 cosines = a.R.transpose() * b.R, size = cosines.cwiseAbs();
    const Vec3 offset = b.pose.position - a.pose.position;
    const Vec3 offsetA = a.R.transpose() * offset, offsetB = b.R.transpose() * offset;
    const Vec3 gapsA = offsetA.cwiseAbs() - halfA - size * halfB;
    const Vec3 gapsB = offsetB.cwiseAbs() - halfB - size.transpose() * halfA;
    int i = 0, j = 0;
    FaceAxis faceA, faceB;
    faceA.gap = gapsA.maxCoeff(&i);
    faceB.gap = gapsB.maxCoeff(&j);
    faceA.area = 4 * halfA[(i + 1) % 3] * halfA[(i + 2) % 3];
    faceB.area = 4 * halfB[(j + 1) % 3] * halfB[(j + 2) % 3];
    const Vec3 normalA = offsetA[i] < 0 ? Vec3(-a.R.col(i)) : Vec3(a.R.col(i));
    const Vec3 normalB = offsetB[j] < 0 ? Vec3(-b.R.col(j)) : Vec3(b.R.col(j));

    Separation best;
    best.gap = -HUGE_VAL;
    int edgeA = -1, edgeB = -1;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
            Vec3 n = a.R.col(k).cross(b.R.col(l));
            const double length = n.norm();
            if (length < parallelEdges) continue;
            n *= (n.dot(offset) < 0 ? -1 : 1) / length;
            const double gap = n.dot(offset) - (a.R.transpose() * n).cwiseAbs().dot(halfA) -
                               (b.R.transpose() * n).cwiseAbs().dot(halfB);
            if (gap > best.gap) {
                best.gap = gap;
                best.normal = n;
                edgeA = k;
                edgeB = l;
            }
        }
    const double faceGap = std::max(faceA.gap, faceB.gap);
    if (std::max(best.gap, faceGap) >= reach) {
        best.gap = reach;
        return best;
    }
    if (std::max(best.gap, faceGap) > 0) {
        // Apart: the nearest points may be corners, whose direction is none of these.
        const Proximity p = distance(*a.shape, a.pose, *b.shape, b.pose, work.distance);
        best = {p.normal, p.distance, p.pointA, p.pointB, Separation::Face::none};
    } else if (best.gap > faceGap) {
        Vec3 startA, alongA, startB, alongB;
        edgeTowards(a, halfA, edgeA, best.normal, startA, alongA);
        edgeTowards(b, halfB, edgeB, -best.normal, startB, alongB);
        double s = 0, t = 0;
        nearestOfSegments(startA, alongA, startB, alongB, s, t);
        best.pointA = startA + s * alongA;
        best.pointB = startB + t * alongB;
    } else {
        best.gap = faceGap;
        best.normal = faceA.gap >= faceB.gap ? normalA : normalB;
        // Any corner that reaches farthest will do: the faces' own points come from clipping.
        best.pointA = a.pose.position + a.R * coreSupport(*a.shape, a.R.transpose() * best.normal);
        best.pointB = b.pose.position - b.R * coreSupport(*b.shape, b.R.transpose() * best.normal);
    }
    best.face = chooseFace(faceA, faceB, best.gap - facePreference(best.gap, std::min(a.reach, b.reach)));
    if (best.face == Separation::Face::ofA) best.normal = normalA;
    if (best.face == Separation::Face::ofB) best.normal = normalB;
    return best;
}

// ---- all others ---------------------------------------------------------------------------------

FaceAxis axisOf(const Patch& patch, const PlacedShape& owner, const PlacedShape& other)
{
    if (!patch.isFace()) return {};
    return {-owner.along(patch.normal) - other.along(-patch.normal), patch.area};
}

Separation separateByDistance(const PlacedShape& a, const PlacedShape& b, double reach, ManifoldWork& work)
{
    const Proximity p = distance(*a.shape, a.pose, *b.shape, b.pose, work.distance);
    Separation result{p.normal, p.distance, p.pointA, p.pointB, Separation::Face::none};
    if (p.distance >= reach) return result;
    findPatch(a, p.normal, work.patchA);
    findPatch(b, -p.normal, work.patchB);
    const double extent = a.reach + b.reach;
    // A point that rolls over an edge must not have its normal bent; lines and faces gain more points.
    const bool isPoint = work.patchA.corners.size() == 1 || work.patchB.corners.size() == 1;
    const double slack =
        isPoint ? rounding * extent + p.gap : facePreference(p.distance, std::min(a.reach, b.reach));
    result.face = chooseFace(axisOf(work.patchA, a, b), axisOf(work.patchB, b, a), p.distance - slack);
    if (result.face == Separation::Face::ofA) result.normal = work.patchA.normal;
    if (result.face == Separation::Face::ofB) result.normal = -work.patchB.normal;
    return result;
}

}  // namespace

double facePreference(double gap, double extent)
{
    return 0.02 * std::abs(gap) + 1e-4 * extent;
}

Separation separate(const PlacedShape& a, const PlacedShape& b, double reach, ManifoldWork& work)
{
    const auto *boxA = std::get_if<Box>(a.shape), *boxB = std::get_if<Box>(b.shape);
    if (boxA && boxB) return separateBoxes(a, 0.5 * boxA->size, b, 0.5 * boxB->size, reach, work);
    if (const std::optional<Separation> found = separateCores(a, b)) return *found;
    return separateByDistance(a, b, reach, work);
}

}  // namespace sinew
