#include "sinew/collision/follow.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/support.h"
#include "sinew/math/rotation.h"

namespace sinew {
namespace {

using Kind = ContactSide::Kind;

// In units of the shape: how exactly a place is known to be one of a rim, once it is polished and before.
constexpr double onRim = 1e-6, nearRim = 1e-3;
// Sine: the lowest point of a lid that lies flatter is noise.
constexpr double flatLid = 1e-3;
// Cosine: a normal that turns farther at once is that of another place.
constexpr double sameSide = 0.7;

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
            Matrix<3, 2> T;
            T << t1, t2;
            const Mat2 S = T.transpose() * radii * T + gap * Mat2::Identity();
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
    double exact = onRim;
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
    if (std::abs(along) >= 0.5 * s.length * (1 - touch.exact)) side.kind = Kind::ball;
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
        (touch.surface - middle - s.radius / length * across).norm() <= touch.exact * s.radius) {
        // The lowest point of a lid that comes to lie flat may be anywhere.
        if (length < 1.5 * touch.turn.cross(axis).norm()) return side;
        side.kind = Kind::rim;
        side.center = middle;
        side.axes.col(1) = across / length;
        side.leastAcross = 0.2 * length;
    } else if (std::abs(touch.outwards.dot(axis)) <= touch.exact) {
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
        const bool isEnd = std::abs(std::abs(local[k]) - 0.5 * s.size[k]) <= touch.exact * s.size[k];
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

// What is known of the bodies of a contact.
struct Bodies {
    Pose poses[2];
    Vec3 turns[2] = {Vec3::Zero(), Vec3::Zero()};  // over the step, body axes
};

ContactSide sideOf(const Model& model, const Contact& contact, const Bodies& bodies, int which,
                   double exact)
{
    const bool isA = which == 0;
    const Collider& collider = model.colliders[isA ? contact.colliderA : contact.colliderB];
    const Quat toBody = bodies.poses[which].orientation.conjugate();
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
    touch.turn = bodies.turns[which];
    touch.pose = collider.pose;
    touch.exact = exact;
    return std::visit([&](const auto& s) { return sideOf(s, touch); }, *shape);
}

// Whether Newton's method has anything to find: what is curved, on what is known.
bool isFollowed(const ContactSide sides[2])
{
    bool isCurved = false;
    for (int k = 0; k < 2; ++k) {
        const Kind kind = sides[k].kind, other = sides[1 - k].kind;
        if (kind == Kind::other) return false;
        if (kind == Kind::line && (other == Kind::line || other == Kind::face)) return false;
        isCurved |= kind == Kind::ellipsoid || kind == Kind::rim;
    }
    return isCurved;
}

bool hasCurved(const Model& model, const Contact& contact)
{
    const auto isCurved = [&](int collider) {
        const auto* shape = std::get_if<Shape>(&model.colliders[collider].form);
        return shape &&
               (std::holds_alternative<Ellipsoid>(*shape) || std::holds_alternative<Cylinder>(*shape));
    };
    return isCurved(contact.colliderA) || isCurved(contact.colliderB);
}

FollowedContact follow(const Model& model, const Contact& contact, const Bodies& bodies, double exact)
{
    FollowedContact followed;
    for (int which = 0; which < 2; ++which)
        followed.sides[which] = sideOf(model, contact, bodies, which, exact);
    followed.isFollowed = isFollowed(followed.sides);
    return followed;
}

}  // namespace

FollowedContact followContact(const Model& model, const Contact& contact,
                              const LargeVector<BodyState>& bodies, double h)
{
    if (!hasCurved(model, contact)) return {};
    Bodies known;
    for (int which = 0; which < 2; ++which) {
        const int body = which == 0 ? contact.bodyA : contact.bodyB;
        known.poses[which] = poseIn(bodies, body);
        if (body >= 0) known.turns[which] = h * bodies[body].angularVelocity;
    }
    return follow(model, contact, known, onRim);
}

namespace {

bool moveContact(const FollowedContact& followed, const Pose poses[2], Contact& contact,
                 ContactCurvature& curvature)
{
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

// The side of terrain: the ridge, or the end of it that the contact would be beyond.
ContactSide sideOf(const Ridge& ridge, const Pose& pose, const Contact& contact)
{
    const Vec3 from = pose.inverse() * ridge.from, along = pose.inverse() * ridge.to - from;
    const double t = along.squaredNorm() > 0 ? along.dot(contact.pointB - from) / along.squaredNorm() : 0;
    ContactSide side{t > 0 && t < 1 ? Kind::line : Kind::ball, t < 1 ? from : Vec3(from + along)};
    if (side.kind == Kind::line) side.axes.col(0) = along.normalized();
    return side;
}

// Where two lines that cross are nearest to each other. False where they run along each other.
bool crossLines(const ContactSide sides[2], const Pose poses[2], Contact& contact)
{
    constexpr double parallel = 0.01;  // sine of the angle, as where lines are said to lie on each other
    const Vec3 a = poses[0].orientation * sides[0].axes.col(0),
               b = poses[1].orientation * sides[1].axes.col(0);
    const Vec3 across = a.cross(b), between = poses[1] * sides[1].center - poses[0] * sides[0].center;
    const double square = across.squaredNorm();
    if (square < parallel * parallel) return false;
    contact.normal = (across.dot(contact.normal) < 0 ? -1 : 1) / std::sqrt(square) * across;
    const auto inBody = [&](int k, const Vec3& along, double by) -> Vec3 {
        return sides[k].center + by * (poses[k].orientation.conjugate() * along);
    };
    contact.pointA = inBody(0, a, between.cross(b).dot(across) / square);
    contact.pointB = inBody(1, b, between.cross(a).dot(across) / square);
    contact.roundA = sides[0].radii[0];
    contact.roundB = sides[1].radii[0];
    return true;
}

bool movePolished(const ContactSide sides[2], const Pose poses[2], Contact& contact)
{
    ContactCurvature curvature;
    if (sides[0].kind == Kind::line && sides[1].kind == Kind::line)
        return crossLines(sides, poses, contact);
    return isFollowed(sides) && moveContact({{sides[0], sides[1]}, true}, poses, contact, curvature);
}

}  // namespace

bool moveContact(const FollowedContact& followed, const LargeVector<BodyState>& bodies, Contact& contact,
                 ContactCurvature& curvature)
{
    const Pose poses[2] = {poseIn(bodies, contact.bodyA), poseIn(bodies, contact.bodyB)};
    return moveContact(followed, poses, contact, curvature);
}

void polishContact(const Model& model, const Pose& poseA, const Pose& poseB, const Ridge* ridge,
                   double extent, Contact& contact)
{
    constexpr double farthest = 1e-3, noise = 1e-9;  // rad, and of the extent
    if (contact.face != Contact::Face::none || !hasCurved(model, contact)) return;
    const Bodies bodies{{poseA, poseB}};
    for (const double exact : {onRim, nearRim}) {
        FollowedContact followed = follow(model, contact, bodies, exact);
        Contact better = contact;
        // Once more where the place on a ridge turns out to be beyond its end.
        for (int i = 0; i < (ridge ? 2 : 1); ++i) {
            if (ridge) followed.sides[1] = sideOf(*ridge, poseB, better);
            if (!movePolished(followed.sides, bodies.poses, better)) {
                better.normal.setZero();
                break;
            }
            if (followed.sides[1].kind != Kind::line) break;
        }
        better.gap = better.normal.dot(poseB * better.pointB - poseA * better.pointA) - better.roundA -
                     better.roundB;
        if ((better.normal - contact.normal).norm() < farthest &&
            std::abs(better.gap - contact.gap) < noise * extent) {
            contact = better;
            return;
        }
    }
}

}  // namespace sinew
