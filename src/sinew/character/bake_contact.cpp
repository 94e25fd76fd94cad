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

// Skin that is flat or a line has no hull; of this thickness it has.
ConvexMesh thickened(const ConvexMesh& flat)
{
    double extent = 0;
    for (const Vec3& vertex : flat.vertices)
        extent = std::max(extent, (vertex - flat.vertices.front()).norm());
    ConvexMesh thick;
    for (const Vec3& vertex : flat.vertices)
        for (int axis = 0; axis < 3; ++axis)
            for (const double side : {-0.01, 0.01})
                thick.vertices.push_back(vertex + side * extent * Vec3::Unit(axis));
    return thick;
}

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
    pass("fingers", "fingers");
    if (options.collide != BakeCollision::all) pass("dynamic", "dynamic"), pass("dynamic", "fingers");
    if (options.collide == BakeCollision::none) pass("animated", "dynamic"), pass("animated", "fingers");
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
    std::vector<int> animated, found;
    for (const int b : order) {
        if (below[b]) continue;
        animated.push_back(b);
        tree.insert(boundingBox(shape(b), placedShape(b)));
    }
    if (animated.empty()) return;
    for (const int a : order) {
        if (!plan.isDynamic[a]) continue;
        const double radius = bodies[a].radius;
        double thin = radius;
        tree.query(
            joined(boundingBox(shape(a), placedShape(a)), boundingBox(shape(a), rest[a] * shapePose(a))),
            found);
        for (const int j : found) {
            const int b = animated[static_cast<std::size_t>(j)];
            if (anchor[a] == b) continue;
            for (const Pose& pose : {placedShape(a), rest[a] * shapePose(a)}) {
                const double deep = -distance(shape(a), pose, shape(b), placedShape(b), work).distance;
                const double left = radius - deep - clear;
                if (deep > -clear && left >= thinnest * radius) thin = std::min(thin, left);
            }
        }
        bodies[a].radius = thin;
    }
}

// The hulls of the skin around bones, by its farthest points in directions all around.
void Planner::wrapSkin()
{
    constexpr int directions = 200;
    constexpr double golden = 2.399963229728653;  // rad
    if (options.collide == BakeCollision::all) return;
    for (const int b : order)
        if (!below[b]) return;
    hulls.resize(rig.bones.size());
    for (const int b : order) {
        const std::vector<Vec3>& flesh = rig.bones[b].flesh;
        if (flesh.size() < 4) continue;
        std::vector<std::size_t> chosen;
        for (int i = 0; i < directions; ++i) {
            const double y = 1 - (2 * i + 1.0) / directions, r = std::sqrt(1 - y * y);
            const Vec3 way(r * std::cos(golden * i), y, r * std::sin(golden * i));
            std::size_t far = 0;
            for (std::size_t k = 1; k < flesh.size(); ++k)
                if (way.dot(flesh[k]) > way.dot(flesh[far])) far = k;
            chosen.push_back(far);
        }
        std::sort(chosen.begin(), chosen.end());
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
        ConvexMesh mesh;
        for (const std::size_t k : chosen) {
            const Vec3 place = options.body.unit * world[b].scale * flesh[k];
            // Seams have their points twice.
            bool isNew = true;
            for (const Vec3& other : mesh.vertices) isNew = isNew && (place - other).norm() > 1e-6;
            if (isNew) mesh.vertices.push_back(place);
        }
        Result<Shape> hull = checkedShape(mesh);
        if (!hull && !mesh.vertices.empty() && mesh.vertices.size() < 32)
            hull = checkedShape(thickened(mesh));
        if (hull) hulls[b] = std::get<ConvexMesh>(hull.value());
    }
}

// The floor stays where it is. What reaches into it at the start is drawn in, as far as its capsule may get
// thinner; a character that floats is lifted by what is still missing.
void Planner::standOnGround()
{
    wrapSkin();
    const double ground = options.body.unit * *options.ground;
    double missing = 0;
    bool floats = false;
    std::vector<std::string> sunk;
    for (const int b : order) {
        if (!below[b]) continue;
        floats = floats || plan.isFloating[b];
        BoneBody& body = bodies[b];
        const Pose pose = placed(world[b]);
        const bool isWrapped = !hulls.empty() && hulls[b];
        double above = std::min((pose * body.from).y(), (pose * body.to).y()) - ground;
        if (isWrapped) above = boundingBox(shape(b), pose).low.y() - ground;
        const double needed = isWrapped ? 0 : thinnest * body.radius;
        if (above < needed) {
            missing = std::max(missing, needed - above);
            sunk.push_back(rig.bones[b].name);
        }
        if (!isWrapped) body.radius = std::clamp(above, needed, body.radius);
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
    constexpr double worthSaying = 1e-4;  // m
    if (missing < worthSaying) return;
    plan.notes.push_back("lifted by " + depth +
                         " of the file's units: the clip begins below the ground with " + names);
}

}  // namespace sinew
