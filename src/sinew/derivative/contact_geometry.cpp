#include "sinew/derivative/contact_geometry.h"

#include <cmath>

#include "sinew/math/rotation.h"

namespace sinew::stepping {
namespace {

// What of a side can be in touch: a point of the body, or any point of a line.
struct Side {
    enum class Kind { other, point, line } kind = Kind::other;
    Vec3 along = Vec3::Zero();  // world
};

// As in collision/follow.cpp, for what is not curved. `where`: the anchor in the axes of the shape.
Side sideOf(const Shape& shape, const Vec3& where, const Mat3& R)
{
    constexpr double exact = 1e-6;
    Side side;
    if (std::holds_alternative<Sphere>(shape)) side.kind = Side::Kind::point;
    if (const auto* capsule = std::get_if<Capsule>(&shape)) {
        const bool isEnd = std::abs(where.y()) >= 0.5 * capsule->length * (1 - exact);
        side.kind = isEnd ? Side::Kind::point : Side::Kind::line;
        side.along = R * Vec3::UnitY();
    }
    if (const auto* box = std::get_if<Box>(&shape)) {
        int ends = 0, free = 0;
        for (int k = 0; k < 3; ++k) {
            const bool isEnd = std::abs(std::abs(where[k]) - 0.5 * box->size[k]) <= exact * box->size[k];
            ends += isEnd;
            if (!isEnd) free = k;
        }
        if (ends == 3) side.kind = Side::Kind::point;
        if (ends == 2) side.kind = Side::Kind::line;
        side.along = R * Vec3::Unit(free);
    }
    return side;
}

Side sideOf(const Model& model, const Contact& contact, bool isA, const Pose& body)
{
    const Collider& collider = model.colliders[isA ? contact.colliderA : contact.colliderB];
    const auto* shape = std::get_if<Shape>(&collider.form);
    if (!shape) return {};
    const Pose pose = body * collider.pose;
    const Vec3 where = pose.inverse() * (body * (isA ? contact.pointA : contact.pointB));
    return sideOf(*shape, where, pose.orientation.toRotationMatrix());
}

// A place of a body at this arm moves: [1, −s~].
Matrix<3, 6> placeRows(const Vec3& arm)
{
    Matrix<3, 6> rows;
    rows.leftCols<3>() = Mat3::Identity();
    rows.rightCols<3>() = -tilde(arm);
    return rows;
}

// The normal turns with the face, whose anchor is the foot of the other's.
void followFace(const Contact& contact, const Pose poses[2], ContactMotion& motion)
{
    const int face = contact.face == Contact::Face::ofA ? 0 : 1, other = 1 - face;
    const Vec3& n = contact.normal;
    const Mat3 along = Mat3::Identity() - n * n.transpose();
    const Vec3 place = poses[other] * (other == 0 ? contact.pointA : contact.pointB);
    motion.normal[face].rightCols<3>() = -tilde(n);
    motion.anchor[face][other] = along * placeRows(place - poses[other].position);
    motion.anchor[face][face] = -(along * placeRows(place - poses[face].position));
    motion.moves = true;
}

// The normal is along the shortest way between points and lines.
void followWay(const Contact& contact, const Side sides[2], const Pose poses[2], ContactMotion& motion)
{
    const Vec3& n = contact.normal;
    const Vec3 places[2] = {poses[0] * contact.pointA, poses[1] * contact.pointB};
    const Vec3 way = places[1] - places[0];
    const double length = n.dot(way);
    const Mat3 across = Mat3::Identity() - n * n.transpose();
    const bool isLine[2] = {sides[0].kind == Side::Kind::line, sides[1].kind == Side::Kind::line};
    const Vec3 &a = sides[0].along, &b = sides[1].along;
    const double crossed = isLine[0] && isLine[1] ? a.cross(b).norm() : 0;
    if (isLine[0] && isLine[1] ? !(crossed > 1e-3) : !(length > 0)) return;
    motion.moves = true;
    for (int by = 0; by < 2; ++by)
        for (int c = 0; c < 6; ++c) {
            Vec6 unit = Vec6::Zero();
            unit[c] = 1;
            const Vec3 turn = unit.tail<3>();
            const Vec3 moved = placeRows(places[by] - poses[by].position) * unit;
            const Vec3 between = by == 0 ? Vec3(-moved) : moved;
            // How far the anchors slide along the lines, so that these stay across the way.
            double slid[2] = {0, 0}, right[2] = {0, 0};
            for (int k = 0; k < 2; ++k) {
                if (!isLine[k]) continue;
                right[k] = -sides[k].along.dot(between);
                if (k == by) right[k] -= turn.cross(sides[k].along).dot(way);
            }
            if (isLine[0] && isLine[1]) {  // −a·a s + a·b t, −a·b s + b·b t
                const double ab = a.dot(b), determinant = ab * ab - 1;
                slid[0] = (right[0] - ab * right[1]) / determinant;
                slid[1] = (ab * right[0] - right[1]) / determinant;
            } else if (isLine[0]) {
                slid[0] = -right[0];
            } else if (isLine[1]) {
                slid[1] = right[1];
            }
            const Vec3 all = between + slid[1] * b - slid[0] * a;
            Vec3 normal = across * all / (length > 0 ? length : 1);
            if (isLine[0] && isLine[1]) {
                const double sign = a.cross(b).dot(n) < 0 ? -1 : 1;
                const Vec3 change = by == 0 ? turn.cross(a).cross(b) : a.cross(turn.cross(b));
                normal = sign / crossed * (across * change);
            }
            motion.normal[by].col(c) = normal;
            for (int k = 0; k < 2; ++k) motion.anchor[k][by].col(c) = slid[k] * sides[k].along;
        }
}

// Of what is curved: differences of fourth order of where Newton's method finds it (collision/follow.h),
// which is exact to rounding.
void followCurved(const Model& model, const Contact& contact, const FollowedContact& followed,
                  const LargeVector<BodyState>& bodies, ContactMotion& motion)
{
    double extent = model.contactLength;
    LargeVector<BodyState> moved = bodies;
    motion.moves = true;
    const int body[2] = {contact.bodyA, contact.bodyB};
    for (int by = 0; by < 2; ++by) {
        if (body[by] < 0) continue;
        for (int c = 0; c < 6; ++c) {
            const double step = 1e-3 * (c < 3 ? extent : 1);
            Vec3 normal = Vec3::Zero(), points[2] = {Vec3::Zero(), Vec3::Zero()};
            bool found = true;
            for (const double part : {-2., -1., 1., 2.}) {
                BodyState& at = moved[body[by]];
                at = bodies[body[by]];
                if (c < 3)
                    at.position[c] += part * step;
                else
                    at.orientation = expRotation(part * step * Vec3::Unit(c - 3)) * at.orientation;
                Contact there = contact;
                ContactCurvature curvature;
                found &= moveContact(followed, moved, there, curvature);
                const double weight = (part == 1 ? 8 : part == -1 ? -8 : part == 2 ? -1 : 1) / (12 * step);
                normal += weight * there.normal;
                points[0] += weight * there.pointA;
                points[1] += weight * there.pointB;
            }
            moved[body[by]] = bodies[body[by]];
            if (!found) continue;
            motion.normal[by].col(c) = normal;
            for (int k = 0; k < 2; ++k)
                motion.anchor[k][by].col(c) =
                    body[k] < 0 ? points[k] : Vec3(bodies[body[k]].orientation * points[k]);
        }
    }
}

}  // namespace

ContactMotion contactMotion(const Model& model, const Contact& contact, const FollowedContact& followed,
                            const LargeVector<BodyState>& bodies)
{
    ContactMotion motion;
    for (int k = 0; k < 2; ++k) {
        motion.normal[k].setZero();
        for (int by = 0; by < 2; ++by) motion.anchor[k][by].setZero();
    }
    if (followed.isFollowed) {
        followCurved(model, contact, followed, bodies, motion);
        return motion;
    }
    const Pose poses[2] = {poseIn(bodies, contact.bodyA), poseIn(bodies, contact.bodyB)};
    if (contact.face != Contact::Face::none) {
        followFace(contact, poses, motion);
        return motion;
    }
    const Side sides[2] = {sideOf(model, contact, true, poses[0]), sideOf(model, contact, false, poses[1])};
    if (sides[0].kind != Side::Kind::other && sides[1].kind != Side::Kind::other)
        followWay(contact, sides, poses, motion);
    return motion;
}

}  // namespace sinew::stepping
