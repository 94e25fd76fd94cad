#include "sinew/collision/detect.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sinew/collision/follow.h"
#include "sinew/geometry/support.h"
#include "sinew/math/rotation.h"
#include "sinew/state/contacts.h"

namespace sinew {
namespace {

// How far a box may move before the broad phase's tree changes, over the smallest body: of cost alone.
constexpr double treeMargin = 0.25;
// rad in a step: less brings no other corner near.
constexpr double turnWorthALook = 1e-3;
// Places that are nearer, in units of the shape, and whose normals have such a cosine, are one.
constexpr double samePlace = 1e-3, sameNormal = 0.999;

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

// Of a pair whose bodies are at these poses.
Contact contactAt(const Model& model, int a, int b, const ManifoldPoint& point, const Pose& poseA,
                  const Pose& poseB)
{
    const Collider &A = model.colliders[a], &B = model.colliders[b];
    Contact contact;
    contact.bodyA = A.body;
    contact.bodyB = B.body;
    contact.colliderA = a;
    contact.colliderB = b;
    contact.feature = point.feature;
    contact.pointA = poseA.orientation.conjugate() * (point.pointA - poseA.position);
    contact.pointB = poseB.orientation.conjugate() * (point.pointB - poseB.position);
    contact.roundA = point.roundA;
    contact.roundB = point.roundB;
    contact.normal = point.normal;
    contact.gap = point.gap;
    contact.face = point.face;
    contact.friction = std::sqrt(A.friction * B.friction);
    contact.staticFriction = std::sqrt(A.staticFriction * B.staticFriction);
    contact.rollingFriction = std::max(A.rollingFriction, B.rollingFriction);
    contact.spinningFriction = std::max(A.spinningFriction, B.spinningFriction);
    contact.restitution = std::max(A.restitution, B.restitution);
    return contact;
}

bool isEllipsoid(const Collider& collider)
{
    const auto* shape = std::get_if<Shape>(&collider.form);
    return shape && std::holds_alternative<Ellipsoid>(*shape);
}

// Whether a turn can bring other places of it into touch than those that were found: what is round is
// followed (collision/follow.h) or has but two.
bool hasCorners(const Collider& collider)
{
    const auto* shape = std::get_if<Shape>(&collider.form);
    return shape && (std::holds_alternative<Box>(*shape) || std::holds_alternative<ConvexMesh>(*shape) ||
                     std::holds_alternative<Cylinder>(*shape));
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
    const Wishes wishes = wishes_;
    *this = Collisions();
    wishes_ = wishes;
    tree_ = BoxTree(treeMargin * model.contactLength);
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
            placed.box = tree_.insert(boundingBox(*shape, collider.pose));
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
        if (collider.body < 0 && nearby_ == placedFor_) continue;
        if (collider.body >= 0) {
            const BodyState& body = state.bodies[collider.body];
            placed.pose = Pose{body.position, body.orientation} * collider.pose;
            placed.turns = h * (body.angularVelocity.norm() * placed.reach);
            placed.travel = h * (body.velocity.norm() + body.angularVelocity.norm() * placed.reach);
        }
        const BoundingBox now = boundingBox(std::get<Shape>(collider.form), placed.pose);
        BoundingBox box = widened(now, (wishes_.isBound ? placed.turns : placed.travel) + 0.5 * nearby_);
        if (wishes_.isBound && collider.body >= 0) {
            const Vec3 way = h * state.bodies[collider.body].velocity;
            box.low += way.cwiseMin(Vec3::Zero());
            box.high += way.cwiseMax(Vec3::Zero());
        }
        if (!box.low.allFinite() || !box.high.allFinite()) return false;
        tree_.move(placed.box, box);
    }
    placedFor_ = nearby_;
    return true;
}

// Adds the places that a pair had, if they are of faces, which have turned with them, and if neither they
// nor what is about them has gone far: what could touch besides is among what is near. The slack is how far
// anchors slip off each other; corners stay what they are, and planes of faces too.
bool Collisions::keepsPlaces(const Model& model, const State& state, double h, int a, int b,
                             std::vector<Contact>& contacts) const
{
    constexpr double slack = 2e-3,
                     still = 1e-3;  // of the smallest shape: since they were found, and in a step
    const double length = model.contactLength;
    const auto first = std::lower_bound(wishes_.known->begin(), wishes_.known->end(), std::pair(a, b),
                                        [](const Contact& c, const std::pair<int, int>& pair) {
                                            return std::pair(c.colliderA, c.colliderB) < pair;
                                        });
    auto end = first;
    for (; end != wishes_.known->end() && end->colliderA == a && end->colliderB == b; ++end) {
        if (end->face == Contact::Face::none || end->roundA != 0 || end->roundB != 0) return false;
        const double gap = contactGap(*end, state);
        const auto anchor = [&](int body, const Vec3& point) -> Vec3 {
            return body < 0 ? point
                            : Vec3(state.bodies[body].position + state.bodies[body].orientation * point);
        };
        const Vec3 apart = anchor(end->bodyB, end->pointB) - anchor(end->bodyA, end->pointA);
        if (!(std::abs(gap) < 0.5 * nearby_) || !((apart - gap * end->normal).norm() < slack * length))
            return false;
    }
    // Where fewer than three hold, it may be about to tip onto others.
    if (end - first < 3) return false;
    if (!(colliders_[a].turns + colliders_[b].turns < still * length)) return false;
    const auto velocity = [&](int body) {
        return body < 0 ? Vec3(Vec3::Zero()) : state.bodies[body].velocity;
    };
    if (!(h * (velocity(first->bodyA) - velocity(first->bodyB)).norm() < still * length)) return false;
    for (auto c = first; c != end; ++c) {
        contacts.push_back(*c);
        contacts.back().gap = contactGap(*c, state);
        contacts.back().blow.setZero();
    }
    return true;
}

// How far two colliders can come together along a normal, each by itself.
double Collisions::reachAlong(const Model& model, const State& state, double h, int a, int b,
                              const Vec3& normal) const
{
    const auto way = [&](int collider, double sign) {
        const int body = model.colliders[collider].body;
        return body < 0 ? 0 : std::max(0., sign * h * normal.dot(state.bodies[body].velocity));
    };
    return nearby_ + way(a, 1) + way(b, -1) + colliders_[a].turns + colliders_[b].turns;
}

// The manifold of a pair with A at this pose.
void Collisions::findPair(const Model& model, int a, int b, const Pose& poseA, double reach)
{
    const Collider &A = model.colliders[a], &B = model.colliders[b];
    const Placed& placedB = colliders_[b];
    const PlacedShape shapeA(std::get<Shape>(A.form), &colliders_[a].faces, poseA);
    if (const auto* shape = std::get_if<Shape>(&B.form))
        findManifold(shapeA, PlacedShape(*shape, &placedB.faces, placedB.pose), reach, work_, manifold_);
    else if (placedB.triangles)
        findManifold(shapeA, *placedB.triangles, placedB.pose, reach, work_, manifold_);
    else
        findManifold(shapeA, std::get<HalfSpace>(std::get<Terrain>(B.form)), placedB.pose, reach, work_,
                     manifold_);
}

void Collisions::addPair(const Model& model, const State& state, double h, int a, int b,
                         std::vector<Contact>& contacts)
{
    const auto isIn = [&](const std::vector<char>& bodies, int collider) {
        const int body = model.colliders[collider].body;
        return body >= 0 && bodies[static_cast<std::size_t>(body)];
    };
    if (wishes_.onlyOf && !isIn(*wishes_.onlyOf, a) && !isIn(*wishes_.onlyOf, b)) return;
    if (wishes_.leftOut && (isIn(*wishes_.leftOut, a) || isIn(*wishes_.leftOut, b))) return;
    if (!model.mayCollide(a, b)) return;
    if (wishes_.known && keepsPlaces(model, state, h, a, b, contacts)) return;
    const double reach = nearby_ + colliders_[a].travel + colliders_[b].travel;
    findPair(model, a, b, colliders_[a].pose, reach);
    const Pose poseA = poseIn(state.bodies, model.colliders[a].body),
               poseB = poseIn(state.bodies, model.colliders[b].body);
    for (const ManifoldPoint& point : manifold_) {
        if (wishes_.isBound && point.gap > reachAlong(model, state, h, a, b, point.normal)) continue;
        contacts.push_back(contactAt(model, a, b, point, poseA, poseB));
        polishContact(model, poseA, poseB, point.isOnRidge ? &point.ridge : nullptr,
                      colliders_[a].reach + colliders_[b].reach, contacts.back());
    }
    if (h > 0 && !manifold_.empty()) addTurned(model, state, h, a, b, reach, contacts);
}

// A body that rolls on its corners or tumbles comes to lie on others than it does now, and what rolls over
// triangles on the next of them: they must be known as well, or it sinks in before they are. So the pair is
// looked at as it will be turned: A about the place that is nearest to B, which moves along it, neither
// nearer nor away.
void Collisions::addTurned(const Model& model, const State& state, double h, int a, int b, double reach,
                           std::vector<Contact>& contacts)
{
    const Collider &A = model.colliders[a], &B = model.colliders[b];
    const bool isOnTriangles = colliders_[b].triangles && isEllipsoid(A);
    if (!(A.body >= 0 && hasCorners(A)) && !(B.body >= 0 && hasCorners(B)) && !isOnTriangles) return;
    const BodyState* bodies[2] = {A.body < 0 ? nullptr : &state.bodies[A.body],
                                  B.body < 0 ? nullptr : &state.bodies[B.body]};
    const auto turnOf = [](const BodyState* body) {
        return body ? body->angularVelocityWorld() : Vec3(Vec3::Zero());
    };
    const Vec3 turn = h * (turnOf(bodies[0]) - turnOf(bodies[1]));
    if (turn.norm() < turnWorthALook) return;
    const ManifoldPoint nearest =
        *std::min_element(manifold_.begin(), manifold_.end(),
                          [](const ManifoldPoint& p, const ManifoldPoint& q) { return p.gap < q.gap; });
    const Vec3 pivot = nearest.pointA + nearest.roundA * nearest.normal;
    const auto velocityOf = [&](const BodyState* body) -> Vec3 {
        return body ? Vec3(body->velocity + turnOf(body).cross(pivot - body->position)) : Vec3::Zero();
    };
    Vec3 slip = h * (velocityOf(bodies[0]) - velocityOf(bodies[1]));
    slip -= slip.dot(nearest.normal) * nearest.normal;
    const Quat turned = expRotation(turn);
    const Pose motion{pivot + slip - turned * pivot, turned};
    findPair(model, a, b, motion * colliders_[a].pose, reach);
    const Pose poseA = motion * poseIn(state.bodies, A.body), poseB = poseIn(state.bodies, B.body);
    const bool isOnPlane = std::holds_alternative<Terrain>(B.form) && !colliders_[b].triangles;
    const double extent = reachOf(std::get<Shape>(A.form));
    const std::size_t known = contacts.size();
    for (const ManifoldPoint& point : manifold_) {
        Contact contact = contactAt(model, a, b, point, poseA, poseB);
        polishContact(model, poseA, poseB, point.isOnRidge ? &point.ridge : nullptr,
                      colliders_[a].reach + colliders_[b].reach, contact);
        bool isKnown = false;
        for (std::size_t k = known; k-- > 0 && !isKnown;) {
            const Contact& other = contacts[k];
            if (other.colliderA != a || other.colliderB != b) break;
            isKnown = other.isSamePlace(contact) ||
                      ((other.pointA - contact.pointA).norm() < samePlace * extent &&
                       other.normal.dot(contact.normal) > sameNormal);
        }
        // Where its anchors are now. What was not found now is outside; below the plane of a face it is
        // beside it, and may stay there.
        contact.gap = contactGap(contact, state);
        if (isKnown || (!isOnPlane && contact.gap < -samePlace * extent)) continue;
        contacts.push_back(contact);
    }
}

bool isBefore(const Contact& a, const Contact& b)
{
    return std::tie(a.colliderA, a.colliderB, a.feature, a.gap) <
           std::tie(b.colliderA, b.colliderB, b.feature, b.gap);
}

// False if there are too many.
bool Collisions::findAll(const Model& model, const State& state, double h, std::vector<Contact>& contacts)
{
    if (!tree_.pairs(pairs_, mostPairs) || terrain_.size() * boxed_.size() > mostPairs) return false;
    for (const auto& [first, second] : pairs_) {
        addPair(model, state, h, boxed_[first], boxed_[second], contacts);
        if (contacts.size() > mostContacts) return false;
    }
    // Terrain comes after all bodies' colliders, but not after the world's other shapes; those do not move.
    for (const int terrain : terrain_)
        for (const int i : boxed_) {
            if (model.colliders[i].body >= 0) addPair(model, state, h, i, terrain, contacts);
            if (contacts.size() > mostContacts) return false;
        }
    return true;
}

void Collisions::detect(const Model& model, const State& state, double h, std::vector<Contact>& contacts)
{
    contacts.clear();
    if (!isOf(model)) prepare(model);
    nearby_ = nearby(model, h);
    if (!place(model, state, h)) return;
    if (findAll(model, state, h, contacts)) {
        std::sort(contacts.begin(), contacts.end(), isBefore);
    } else {
        contacts.clear();
        tooMany_ = true;
    }
}

double Collisions::depth(const Model& model, const State& state)
{
    if (!model.contact) return 0;
    detect(model, state, 0, inside_);
    double deepest = 0;
    for (const Contact& contact : inside_) deepest = std::max(deepest, -contact.gap);
    return deepest;
}

bool Collisions::outruns(const Model& model, const State& start, const State& end, double h,
                         double slack) const
{
    if (!isOf(model)) return false;
    return std::any_of(boxed_.begin(), boxed_.end(), [&](int i) {
        const int body = model.colliders[i].body;
        if (body < 0) return false;
        const BodyState &from = start.bodies[body], &to = end.bodies[body];
        const double turns = to.angularVelocity.norm() - from.angularVelocity.norm();
        const double way = (to.position - from.position).norm() - h * from.velocity.norm();
        return way + h * turns * colliders_[i].reach > slack + model.gravity.norm() * h * h;
    });
}

bool Collisions::meet(const Model& model, const State& start, const State& end, double h, int a, int b)
{
    constexpr double touching = 1e-3;  // of the smallest shape
    constexpr int mostSteps = 64;      // what goes along something so long will touch it
    const auto poseAt = [&](int collider, double part) {
        const int body = model.colliders[collider].body;
        if (body < 0) return model.colliders[collider].pose;
        const BodyState &from = start.bodies[body], &to = end.bodies[body];
        return Pose{from.position + part * (to.position - from.position),
                    from.orientation * expRotation(part * h * to.angularVelocity)} *
               model.colliders[collider].pose;
    };
    const auto wayOf = [&](int collider) -> Vec3 {
        const int body = model.colliders[collider].body;
        return body < 0 ? Vec3(Vec3::Zero())
                        : Vec3(end.bodies[body].position - start.bodies[body].position);
    };
    const auto turnOf = [&](int collider) {
        const int body = model.colliders[collider].body;
        return body < 0 ? 0 : h * end.bodies[body].angularVelocity.norm() * colliders_[collider].reach;
    };
    const double way = (wayOf(a) - wayOf(b)).norm() + turnOf(a) + turnOf(b),
                 near = touching * model.contactLength;
    double part = 0;
    for (int k = 0; k < mostSteps; ++k) {
        colliders_[b].pose = poseAt(b, part);
        findPair(model, a, b, poseAt(a, part), (1 - part) * way + near);
        double gap = HUGE_VAL;
        for (const ManifoldPoint& point : manifold_) gap = std::min(gap, point.gap);
        if (gap <= near) return true;
        part += gap / way;
        if (!(part < 1)) return false;
    }
    return true;
}

}  // namespace sinew
