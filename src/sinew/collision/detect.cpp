#include "sinew/collision/detect.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sinew/geometry/support.h"

namespace sinew {
namespace {

struct Data {
    const void* data = nullptr;
    std::size_t size = 0;
};

// The memory of a form's mesh or field, which is the same as long as the form is.
Data dataOf(const Collider& collider)
{
    if (const auto* shape = std::get_if<Shape>(&collider.form)) {
        const auto* mesh = std::get_if<ConvexMesh>(shape);
        return mesh ? Data{mesh->vertices.data(), mesh->vertices.size()} : Data{nullptr, shape->index()};
    }
    const auto& terrain = std::get<Terrain>(collider.form);
    if (const auto* mesh = std::get_if<TriangleMesh>(&terrain))
        return {mesh->vertices.data(), mesh->vertices.size()};
    if (const auto* field = std::get_if<HeightField>(&terrain))
        return {field->heights.data(), field->heights.size()};
    return {};
}

BoundingBox widened(BoundingBox box, double by)
{
    box.low.array() -= by;
    box.high.array() += by;
    return box;
}

// A world point in the axes of a body, from its centre of mass.
Vec3 onBody(const State& state, int body, const Vec3& point)
{
    if (body < 0) return point;
    return state.bodies[body].orientation.conjugate() * (point - state.bodies[body].position);
}

}  // namespace

Collisions& Collisions::operator=(const Collisions& other)
{
    if (this != &other) *this = Collisions();
    return *this;
}

bool Collisions::isOf(const Model& model) const
{
    if (colliders_.size() != model.colliders.size()) return false;
    for (std::size_t i = 0; i < colliders_.size(); ++i) {
        const Data now = dataOf(model.colliders[i]);
        if (colliders_[i].source != &model.colliders[i] || colliders_[i].data != now.data ||
            colliders_[i].size != now.size)
            return false;
    }
    return true;
}

void Collisions::prepare(const Model& model)
{
    *this = Collisions();
    colliders_.resize(model.colliders.size());
    for (int i = 0; i < static_cast<int>(colliders_.size()); ++i) {
        Placed& placed = colliders_[i];
        const Collider& collider = model.colliders[i];
        placed.source = &collider;
        const Data data = dataOf(collider);
        placed.data = data.data;
        placed.size = data.size;
        placed.pose = collider.pose;
        if (const auto* shape = std::get_if<Shape>(&collider.form)) {
            if (const auto* mesh = std::get_if<ConvexMesh>(shape)) placed.faces = convexFaces(*mesh);
            placed.reach = collider.pose.position.norm() + reachOf(*shape);
            placed.box = tree_.insert(widened(boundingBox(*shape, collider.pose), 0.5 * nearby));
            boxed_.push_back(i);
        } else {
            const auto& terrain = std::get<Terrain>(collider.form);
            if (!std::holds_alternative<HalfSpace>(terrain))
                placed.triangles = std::make_unique<TerrainTriangles>(terrain);
            terrain_.push_back(i);
        }
    }
}

// False where a body's place or speed is not a finite number: then nothing touches, and whoever steps the
// state reports it.
bool Collisions::place(const Model& model, const State& state, double h)
{
    for (const int i : boxed_) {
        Placed& placed = colliders_[i];
        const Collider& collider = model.colliders[i];
        if (collider.body < 0) continue;
        const BodyState& body = state.bodies[collider.body];
        placed.pose = Pose{body.position, body.orientation} * collider.pose;
        placed.travel = h * (body.velocity.norm() + body.angularVelocity.norm() * placed.reach);
        const BoundingBox box =
            widened(boundingBox(std::get<Shape>(collider.form), placed.pose), placed.travel + 0.5 * nearby);
        if (!box.low.allFinite() || !box.high.allFinite()) return false;
        tree_.move(placed.box, box);
    }
    return true;
}

void Collisions::addPair(const Model& model, const State& state, int a, int b,
                         std::vector<Contact>& contacts)
{
    if (!model.mayCollide(a, b)) return;
    const Collider &A = model.colliders[a], &B = model.colliders[b];
    const Placed &placedA = colliders_[a], &placedB = colliders_[b];
    const double reach = nearby + placedA.travel + placedB.travel;
    const PlacedShape shapeA(std::get<Shape>(A.form), &placedA.faces, placedA.pose);
    if (const auto* shape = std::get_if<Shape>(&B.form))
        findManifold(shapeA, PlacedShape(*shape, &placedB.faces, placedB.pose), reach, work_, manifold_);
    else if (placedB.triangles)
        findManifold(shapeA, *placedB.triangles, placedB.pose, reach, work_, manifold_);
    else
        findManifold(shapeA, std::get<HalfSpace>(std::get<Terrain>(B.form)), placedB.pose, reach, work_,
                     manifold_);
    for (const ManifoldPoint& point : manifold_) {
        Contact contact;
        contact.bodyA = A.body;
        contact.bodyB = B.body;
        contact.colliderA = a;
        contact.colliderB = b;
        contact.feature = point.feature;
        contact.pointA = onBody(state, A.body, point.pointA);
        contact.pointB = onBody(state, B.body, point.pointB);
        contact.roundA = point.roundA;
        contact.roundB = point.roundB;
        contact.normal = point.normal;
        contact.gap = point.gap;
        contact.friction = std::sqrt(A.friction * B.friction);
        contact.staticFriction = std::sqrt(A.staticFriction * B.staticFriction);
        contact.rollingFriction = std::max(A.rollingFriction, B.rollingFriction);
        contact.spinningFriction = std::max(A.spinningFriction, B.spinningFriction);
        contact.restitution = std::max(A.restitution, B.restitution);
        contacts.push_back(contact);
    }
}

bool isBefore(const Contact& a, const Contact& b)
{
    return std::tie(a.colliderA, a.colliderB, a.feature, a.gap) <
           std::tie(b.colliderA, b.colliderB, b.feature, b.gap);
}

void Collisions::detect(const Model& model, const State& state, double h, std::vector<Contact>& contacts)
{
    contacts.clear();
    if (!isOf(model)) prepare(model);
    if (!place(model, state, h)) return;
    tree_.pairs(pairs_);
    for (const auto& [first, second] : pairs_)
        addPair(model, state, boxed_[first], boxed_[second], contacts);
    // Terrain comes after all bodies' colliders, but not after the world's other shapes; those do not move.
    for (const int terrain : terrain_)
        for (const int i : boxed_)
            if (model.colliders[i].body >= 0) addPair(model, state, i, terrain, contacts);
    std::sort(contacts.begin(), contacts.end(), isBefore);
}

}  // namespace sinew
