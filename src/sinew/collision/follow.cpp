#include "sinew/collision/follow.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/support.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using Kind = ContactSide::Kind;

// In units of the shape: how exactly a place is known to be one of a rim.
constexpr double onRim = 1e-6;
// Sine: the lowest point of a lid that lies flatter is noise.
constexpr double flatLid = 1e-3;
// Cosine: a normal that turns farther at once is that of another place.
constexpr double sameSide = 0.7;

Pose poseOf(const LargeVector<BodyState>& bodies, int body)
{
    return body < 0 ? Pose{} : Pose{bodies[body].position, bodies[body].orientation};
}

struct Support {
    Vec3 anchor = Vec3::Zero();  // world; the surface is `round` from it
    double round = 0;
    Mat3 radii = Mat3::Zero();  // P
};

Support supportOf(const ContactSide& side, const Pose& pose, const Mat3& R, const Vec3& m)
{
    Support result;
    result.anchor = pose * side.center;
    if (side.kind == Kind::ball) {
        result.round = side.radii[0];
        result.radii = side.radii[0] * (Mat3::Identity() - m * m.transpose());
    } else if (side.kind == Kind::line) {  // where along it the other side decides
        const Vec3 along = R * side.axes.col(0);
        result.round = side.radii[0];
        result.radii = side.radii[0] * (Mat3::Identity() - m * m.transpose() - along * along.transpose());
    } else if (side.kind == Kind::ellipsoid) {
        // s = D² d/|D d| in its own axes.
        const Mat3 axes = R * side.axes;
        const Vec3 square = side.radii.cwiseProduct(side.radii), d = axes.transpose() * m;
        const double length = side.radii.cwiseProduct(d).norm();
        const Vec3 s = square.cwiseProduct(d) / length;
        result.anchor += axes * s;
        result.radii = axes * (Mat3(square.asDiagonal()) - s * s.transpose()) * axes.transpose() / length;
    } else if (side.kind == Kind::rim) {
        const Vec3 axis = R * side.axes.col(0);
        const Vec3 across = m - m.dot(axis) * axis;
        const double length = across.norm();
        if (length < side.leastAcross) {
            result.anchor += side.radii[0] * (R * side.axes.col(1));
        } else {
            const Vec3 u = across / length, along = axis.cross(u);
            result.anchor += side.radii[0] * u;
            result.radii = side.radii[0] / length * along * along.transpose();
        }
    }
    return result;
}

// The normal that both sides agree on, from a guess. Across a line it turns about that alone.
bool findNormal(const FollowedContact& followed, const Pose poses[2], const Mat3 R[2], Vec3& n)
{
    constexpr int limit = 30;
    constexpr double farthest = 0.3;  // rad, of one correction
    constexpr double enough = 1e-9;   // rad: convergence is quadratic, what is left is rounding
    double extent = 0;
    for (const ContactSide& side : followed.sides) extent = std::max(extent, side.radii.maxCoeff());
    const int line = followed.sides[0].kind == Kind::line   ? 0
                     : followed.sides[1].kind == Kind::line ? 1
                                                            : -1;
    const Vec3 along = line < 0 ? Vec3(Vec3::Zero()) : Vec3(R[line] * followed.sides[line].axes.col(0));
    for (int iteration = 0; iteration < limit; ++iteration) {
        if (line >= 0) n = (n - n.dot(along) * along).normalized();
        const Support a = supportOf(followed.sides[0], poses[0], R[0], n);
        const Support b = supportOf(followed.sides[1], poses[1], R[1], -n);
        const Vec3 between = b.anchor - a.anchor;
        const double gap = n.dot(between) - a.round - b.round;
        const Mat3 radii = a.radii + b.radii;
        Vec3 turn;
        if (line >= 0) {
            const Vec3 across = along.cross(n);
            const double s = across.dot(radii * across) + gap;
            if (!(s > 1e-9 * extent)) return false;
            turn = across.dot(between) / s * across;
        } else {
            const auto [t1, t2] = directorsAcross(n);
            Eigen::Matrix<double, 3, 2> T;
            T << t1, t2;
            const Eigen::Matrix2d S = T.transpose() * radii * T + gap * Eigen::Matrix2d::Identity();
            // Two rims that run along each other touch at no one place.
            if (!(S.trace() > 0) || !(S.determinant() > 1e-9 * extent * S.trace())) return false;
            turn = T * (S.inverse() * (T.transpose() * between));
        }
        const double angle = turn.norm();
        if (angle > farthest) turn *= farthest / angle;
        n = (n + turn).normalized();
        if (angle < enough) return true;
    }
    return false;
}

// What is known of one side of a contact: body axes.
struct Touch {
    Vec3 point = Vec3::Zero(), surface = Vec3::Zero();  // the anchor, and what it stands for
    Vec3 outwards = Vec3::Zero();                       // to the other body
    Vec3 turn = Vec3::Zero();                           // over the step
    Pose pose;                                          // of the shape
};

ContactSide sideOf(const Sphere& s, const Touch& touch)
{
    ContactSide side{Kind::ball, touch.pose.position};
    side.radii[0] = s.radius;
    return side;
}

ContactSide sideOf(const Ellipsoid& s, const Touch& touch)
{
    if (coreMargin(Shape(s)) > 0) return sideOf(Sphere{s.radii[0]}, touch);
    return {Kind::ellipsoid, touch.pose.position, touch.pose.orientation.toRotationMatrix(), s.radii};
}

ContactSide sideOf(const Capsule& s, const Touch& touch)
{
    ContactSide side{Kind::line, touch.point};
    side.axes.col(0) = touch.pose.orientation * Vec3::UnitY();
    side.radii[0] = s.radius;
    const double along = side.axes.col(0).dot(touch.point - touch.pose.position);
    if (std::abs(along) >= 0.5 * s.length * (1 - onRim)) side.kind = Kind::ball;
    return side;
}

ContactSide sideOf(const Cylinder& s, const Touch& touch)
{
    const Vec3 axis = touch.pose.orientation * Vec3::UnitY();
    const Vec3 across = touch.outwards - touch.outwards.dot(axis) * axis;
    const double length = across.norm();
    const double end = axis.dot(touch.surface - touch.pose.position) < 0 ? -0.5 : 0.5;
    const Vec3 middle = touch.pose.position + end * s.length * axis;
    ContactSide side;
    side.radii[0] = s.radius;
    side.axes.col(0) = axis;
    if (length > flatLid &&
        (touch.surface - middle - s.radius / length * across).norm() <= onRim * s.radius) {
        // The lowest point of a lid that comes to lie flat may be anywhere.
        if (length < 1.5 * touch.turn.cross(axis).norm()) return side;
        side.kind = Kind::rim;
        side.center = middle;
        side.axes.col(1) = across / length;
        side.leastAcross = 0.2 * length;
    } else if (std::abs(touch.outwards.dot(axis)) <= onRim) {
        side.kind = Kind::line;
        side.center = touch.pose.position;
    }
    return side;
}

// Edge or corner, as the point lies at the end of two sides or of all three.
ContactSide sideOf(const Box& s, const Touch& touch)
{
    const Mat3 axes = touch.pose.orientation.toRotationMatrix();
    const Vec3 local = axes.transpose() * (touch.point - touch.pose.position);
    int ends = 0, free = 0;
    for (int k = 0; k < 3; ++k) {
        const bool isEnd = std::abs(std::abs(local[k]) - 0.5 * s.size[k]) <= onRim * s.size[k];
        ends += isEnd;
        if (!isEnd) free = k;
    }
    ContactSide side;
    if (ends >= 2) side.kind = ends == 3 ? Kind::ball : Kind::line;
    side.center = touch.point;
    side.axes.col(0) = axes.col(free);
    return side;
}

ContactSide sideOf(const ConvexMesh&, const Touch&)
{
    return {};
}

ContactSide sideOf(const Model& model, const Contact& contact, const LargeVector<BodyState>& bodies,
                   int which, double h)
{
    const bool isA = which == 0;
    const Collider& collider = model.colliders[isA ? contact.colliderA : contact.colliderB];
    const int body = isA ? contact.bodyA : contact.bodyB;
    const Quat toBody = poseOf(bodies, body).orientation.conjugate();
    if (contact.face == (isA ? Contact::Face::ofA : Contact::Face::ofB)) {
        ContactSide side{Kind::face, isA ? contact.pointA : contact.pointB};
        side.axes.col(0) = toBody * contact.normal;
        return side;
    }
    const auto* shape = std::get_if<Shape>(&collider.form);
    if (!shape) return {};
    Touch touch;
    touch.point = isA ? contact.pointA : contact.pointB;
    touch.outwards = toBody * (isA ? contact.normal : Vec3(-contact.normal));
    touch.surface = touch.point + (isA ? contact.roundA : contact.roundB) * touch.outwards;
    if (body >= 0) touch.turn = h * bodies[body].angularVelocity;
    touch.pose = collider.pose;
    return std::visit([&](const auto& s) { return sideOf(s, touch); }, *shape);
}

}  // namespace

FollowedContact followContact(const Model& model, const Contact& contact,
                              const LargeVector<BodyState>& bodies, double h)
{
    FollowedContact followed;
    const auto isCurved = [&](int collider) {
        const auto* shape = std::get_if<Shape>(&model.colliders[collider].form);
        return shape &&
               (std::holds_alternative<Ellipsoid>(*shape) || std::holds_alternative<Cylinder>(*shape));
    };
    if (!isCurved(contact.colliderA) && !isCurved(contact.colliderB)) return followed;
    for (int which = 0; which < 2; ++which) {
        ContactSide& side = followed.sides[which];
        side = sideOf(model, contact, bodies, which, h);
        if (side.kind == Kind::other) return followed;
    }
    if (followed.sides[0].kind == Kind::line && followed.sides[1].kind == Kind::line) return followed;
    const auto isLineOnFace = [&](int k) {
        return followed.sides[k].kind == Kind::line && followed.sides[1 - k].kind == Kind::face;
    };
    if (isLineOnFace(0) || isLineOnFace(1)) return followed;
    for (const ContactSide& side : followed.sides)
        followed.isFollowed |= side.kind == Kind::ellipsoid || side.kind == Kind::rim;
    return followed;
}

bool moveContact(const FollowedContact& followed, const LargeVector<BodyState>& bodies, Contact& contact,
                 ContactCurvature& curvature)
{
    const Pose poses[2] = {poseOf(bodies, contact.bodyA), poseOf(bodies, contact.bodyB)};
    const Mat3 R[2] = {poses[0].orientation.toRotationMatrix(), poses[1].orientation.toRotationMatrix()};
    const ContactSide* sides = followed.sides;
    const int face = sides[0].kind == Kind::face ? 0 : sides[1].kind == Kind::face ? 1 : -1;
    Vec3 n = contact.normal;
    if (face >= 0)
        n = R[face] * sides[face].axes.col(0);
    else if (!findNormal(followed, poses, R, n) || n.dot(contact.normal) < sameSide)
        return false;
    Support supports[2];
    for (int k = 0; k < 2; ++k)
        if (k != face) supports[k] = supportOf(sides[k], poses[k], R[k], k == 0 ? n : Vec3(-n));
    for (int k = 0; k < 2; ++k)
        if (sides[k].kind == Kind::line) {
            const Vec3 along = R[k] * sides[k].axes.col(0);
            supports[k].anchor += along.dot(supports[1 - k].anchor - supports[k].anchor) * along;
        }
    if (face >= 0) {
        // The foot on the plane of what is nearest to it.
        const Vec3& other = supports[1 - face].anchor;
        supports[face].anchor = other - n.dot(other - poses[face] * sides[face].center) * n;
    }
    contact.normal = n;
    contact.pointA = R[0].transpose() * (supports[0].anchor - poses[0].position);
    contact.pointB = R[1].transpose() * (supports[1].anchor - poses[1].position);
    contact.roundA = supports[0].round;
    contact.roundB = supports[1].round;
    const double gap =
        n.dot(supports[1].anchor - supports[0].anchor) - supports[0].round - supports[1].round;
    const bool isFlat[2] = {sides[0].kind == Kind::face, sides[1].kind == Kind::face};
    for (int k = 0; k < 2; ++k) {
        curvature.radii[k] = supports[k].radii;
        if (isFlat[1 - k] || sides[1 - k].kind == Kind::line) continue;
        // P − P S⁻¹ P, S = P_A + P_B + g: what is left of it, since the normal turns as well.
        const Mat3 S = supports[0].radii + supports[1].radii + gap * Mat3::Identity() +
                       (supports[0].radii + supports[1].radii).trace() * n * n.transpose();
        const Mat3 left = supports[k].radii - supports[k].radii * S.inverse() * supports[k].radii;
        if (left.allFinite() && left.trace() >= 0) curvature.radii[k] = left;
    }
    return true;
}

Vec3 slipBetween(const Contact& contact, const LargeVector<BodyState>& from,
                 const LargeVector<BodyState>& to)
{
    // Seen from one of the two: the one with the face, or the world.
    const bool fromA = contact.bodyA < 0 || (contact.face == Contact::Face::ofA && contact.bodyB >= 0);
    const int still = fromA ? contact.bodyA : contact.bodyB, moving = fromA ? contact.bodyB : contact.bodyA;
    const Vec3& point = fromA ? contact.pointB : contact.pointA;
    const double round = fromA ? contact.roundB : contact.roundA;
    const Pose before = poseOf(from, still).inverse() * poseOf(from, moving);
    const Pose frame = poseOf(to, still), now = poseOf(to, moving);
    const Pose after = frame.inverse() * now;
    const Vec3 turn = now.orientation * logRotation(before.orientation.conjugate() * after.orientation);
    const Vec3 arm = now.orientation * point + (fromA ? -round : round) * contact.normal;
    const Vec3 way = frame.orientation * (after.position - before.position);
    const Vec3 moved = way + 0.5 * turn.cross(way) + turn.cross(arm);
    return fromA ? moved : Vec3(-moved);
}

}  // namespace sinew
