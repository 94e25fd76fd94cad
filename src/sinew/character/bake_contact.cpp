// The plan of a bake: what dynamic bones touch.
#include <algorithm>
#include <cmath>

#include "sinew/character/planner.h"
#include "sinew/collision/box_tree.h"
#include "sinew/geometry/distance.h"

namespace sinew {
namespace {

constexpr std::size_t mostOverlaps = 1'000'000, mostNear = 4'000'000;  // pairs of bones
// A capsule may lose so much of its radius to be clear of what it begins in; it is only as thick as half of
// its skin's points say.
constexpr double thinnest = 0.4;

}  // namespace

// Bones that overlap from the start, one of them dynamic. One bone's neighbours at a time, so that a heap
// of bones in one place takes no more memory than there are bones.
std::optional<Diagnostic> Planner::findOverlaps(ContactDescription& contact) const
{
    BoxTree tree(0);
    for (const int b : order) tree.insert(boundingBox(shape(b), placedShape(b)));
    std::vector<int> found;
    std::size_t near = 0, overlaps = 0;
    DistanceWork work;
    for (int i = 0; i < tree.size(); ++i) {
        const int a = order[i];
        if (!below[a]) continue;
        tree.query(tree.box(i), found);
        for (const int j : found) {
            const int b = order[j];
            if (j == i || (below[b] && (j < i || options.collide != BakeCollision::all))) continue;
            const bool overlap =
                distance(shape(a), placedShape(a), shape(b), placedShape(b), work).distance <= 0;
            if (overlap) contact.ignore.push_back({name(std::min(a, b)), name(std::max(a, b))});
            overlaps += overlap;
            if (overlaps > mostOverlaps || ++near > mostNear)
                return Diagnostic{"more than " + std::to_string(mostOverlaps) +
                                  " pairs of bones overlap at the start, or " + std::to_string(mostNear) +
                                  " nearly; simulate fewer of them"};
        }
    }
    return {};
}

// The bodies and the ground meet; what overlaps from the start is let through, as it is part of the
// drawing.
std::optional<Diagnostic> Planner::addContact()
{
    bool touches = options.ground || options.collide == BakeCollision::all;
    if (options.collide == BakeCollision::body)
        for (const int b : order) touches = touches || !below[b];
    if (!touches) return {};
    Description& scene = plan.scene;
    ContactDescription contact;
    contact.friction = options.friction;
    const auto pass = [&](const char* one, const char* other) {
        const auto there = [&](const char* layer) {
            return (options.ground && layer == std::string("ground")) ||
                   std::any_of(scene.bodies.begin(), scene.bodies.end(),
                               [&](const BodyDescription& body) { return body.layer == layer; });
        };
        if (there(one) && there(other)) contact.ignore.push_back({one, other});
    };
    pass("animated", "animated");
    pass("animated", "ground");
    if (options.collide != BakeCollision::all) pass("dynamic", "dynamic");
    if (options.collide == BakeCollision::none) pass("animated", "dynamic");
    if (options.collide != BakeCollision::none)
        if (auto fault = findOverlaps(contact)) return fault;
    if (options.ground) {
        ObstacleDescription ground;
        ground.name = "ground";
        ground.layer = "ground";
        ground.position = Vec3(0, options.body.unit * *options.ground, 0);
        scene.obstacles.push_back(std::move(ground));
    }
    scene.contact = std::move(contact);
    return {};
}

// Where a dynamic bone begins a little in a bone of the body, as the two are drawn, its capsule is made
// thinner, so that the two can be kept apart from then on. Neighbours pass through each other anyway.
void Planner::thinOut()
{
    if (options.collide == BakeCollision::none) return;
    constexpr double clear = 1e-4;  // m
    DistanceWork work;
    BoxTree tree(0);
    for (const int b : order) tree.insert(boundingBox(shape(b), placedShape(b)));
    std::vector<int> found;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const int a = order[i];
        if (!plan.isDynamic[a]) continue;
        const double radius = bodies[a].radius;
        double thin = radius;
        tree.query(tree.box(static_cast<int>(i)), found);
        if (found.size() > shownNames * shownNames) continue;  // a heap, which is let through
        for (const int j : found) {
            const int b = order[static_cast<std::size_t>(j)];
            if (b == a || below[b] || anchor[a] == b || anchor[b] == a) continue;
            for (const Pose& pose : {placedShape(a), rest[a] * shapePose(a)}) {
                const double deep = -distance(shape(a), pose, shape(b), placedShape(b), work).distance;
                const double left = radius - deep - clear;
                if (deep > -clear && left >= thinnest * radius) thin = std::min(thin, left);
            }
        }
        bodies[a].radius = thin;
    }
}

// How low a bone's capsule reaches at a pose.
double Planner::lowestPoint(int bone, const Pose& pose) const
{
    const BoneBody& body = bodies[bone];
    return std::min((pose * body.from).y(), (pose * body.to).y()) - body.radius;
}

// The floor stays where it is. What reaches into it at the start is drawn in, as far as its capsule may get
// thinner; a character that floats is lifted by what is still missing.
void Planner::standOnGround()
{
    const double ground = options.body.unit * *options.ground;
    double missing = 0;
    bool floats = false;
    std::vector<std::string> sunk;
    for (const int b : order) {
        if (!below[b]) continue;
        floats = floats || plan.isFloating[b];
        BoneBody& body = bodies[b];
        const double above = lowestPoint(b, placed(world[b])) + body.radius - ground;
        if (above >= body.radius) continue;
        if (above < thinnest * body.radius) {
            missing = std::max(missing, thinnest * body.radius - above);
            sunk.push_back(rig.bones[b].name);
        }
        body.radius = std::max(thinnest * body.radius, above);
    }
    if (!(missing > 0)) return;
    const std::string names = listedNames(sunk, 3);
    const std::string depth = std::to_string(missing / options.body.unit);
    if (!floats) {
        plan.notes.push_back("below the ground at the start by " + depth +
                             " of the file's units, from where contact lifts them: " + names);
        return;
    }
    // A hair's breadth more, so that nothing begins in touch by rounding alone.
    plan.lift = missing * (1 + 1e-9) + 1e-6;
    for (const int b : order)
        if (below[b]) world[b].pose.position.y() += plan.lift / options.body.unit;
    plan.notes.push_back("lifted by " + depth +
                         " of the file's units: the clip begins below the ground with " + names);
}

}  // namespace sinew
