#include "sinew/crowd/ground.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/base/text.h"
#include "sinew/geometry/contact_points.h"
#include "sinew/model/contact_springs.h"

namespace sinew::crowd {
namespace {

using recursion::GroundObstacle;
using recursion::GroundPair;
using recursion::GroundPlace;
using Response = ContactDescription::Response;

constexpr double slipSpeed = 1e-3;    // lengths of the figure a second: friction holds below it
constexpr double reachMargin = 1.01;  // so that rounding cannot tell a lane from another

// Masses scale the springs that the model made, not those that the scene gives.
enum Scale { fixed, byRoot, byFactor };

GroundPlace placeOf(const Model& model, const ContactPoint& point)
{
    GroundPlace place;
    place.point = model.links[point.body].center + small(point.point);
    place.radius = point.radius;
    return place;
}

// Whether a place pushes is decided once a step, before the solve. Places that are stiffer than the step
// can follow take turns in bearing the figure, and each time they come anew friction does not hold them. So
// none is stiffer than what the step can resolve, k h² = m of the whole figure: on one such place it would
// rest g h² deep, as far as it falls in a step.
double stiffestOf(const Model& model, double step, int body)
{
    const Skeleton& skeleton = model.skeletons[model.skeletonOf[body]];
    double mass = 0;
    for (int i = skeleton.first; i < skeleton.first + skeleton.count; ++i) mass += model.bodies[i].mass;
    return mass / (step * step);
}

// Without `contact`, as force/laws/obstacles.cpp has it.
void setSprings(const ContactPoint& point, const std::optional<double>& stiffness,
                const std::optional<double>& damping, double stiffest, GroundPlace& place)
{
    place.stiffness = std::min(stiffness.value_or(point.stiffness), stiffest);
    place.stiffnessScale = stiffness ? fixed : byFactor;
    place.damping = damping ? *damping : 2 * std::sqrt(place.stiffness * point.mass);
    place.dampingScale = damping ? fixed : stiffness ? byRoot : byFactor;
}

// Obstacles of a scene with `contact`, where a crowd can do them.
std::optional<GroundObstacle> obstacleOf(const Collider& collider)
{
    GroundObstacle obstacle;
    if (const auto* terrain = std::get_if<Terrain>(&collider.form)) {
        const auto* plane = std::get_if<HalfSpace>(terrain);
        if (!plane) return {};
        obstacle.normal = small(plane->normal);
        obstacle.position = small(Vec3(plane->offset * plane->normal));
        return obstacle;
    }
    const auto* sphere = std::get_if<Sphere>(&std::get<Shape>(collider.form));
    if (!sphere) return {};
    obstacle.isPlane = false;
    obstacle.position = small(collider.pose.position);
    obstacle.normal = Vector3<double>::zero();
    obstacle.radius = sphere->radius;
    return obstacle;
}

// Puts places one after the other, those of a link and an obstacle side by side.
class Gatherer {
public:
    explicit Gatherer(ModelGround& ground) : ground_(ground) {}

    void add(int link, int obstacle, const ContactPoint& point, const GroundPlace& place)
    {
        if (ground_.pairs.empty() || ground_.pairs.back().link != link ||
            ground_.pairs.back().obstacle != obstacle) {
            const int first = static_cast<int>(ground_.places.size());
            ground_.pairs.push_back({link, obstacle, first, first, 0});
        }
        GroundPair& pair = ground_.pairs.back();
        ground_.places.push_back(place);
        ++pair.end;
        pair.reach = std::max(pair.reach, reachMargin * (point.point.norm() + point.radius));
    }

private:
    ModelGround& ground_;
};

ModelGround plainGround(const Model& model, double step)
{
    ModelGround ground;
    Gatherer gatherer(ground);
    for (const Obstacle& source : model.obstacles) {
        const int number = static_cast<int>(ground.obstacles.size());
        ground.obstacles.push_back({source.type == ObstacleDescription::Type::plane, small(source.position),
                                    small(source.normal), source.radius});
        for (const ContactPoint& point : model.contactPoints) {
            GroundPlace place = placeOf(model, point);
            setSprings(point, source.stiffness, source.damping, stiffestOf(model, step, point.body), place);
            gatherer.add(point.body, number, point, place);
        }
    }
    return ground;
}

// Balls and corners of the bodies of a scene with `contact`, and whose collider each is.
struct BodyPoints {
    std::vector<ContactPoint> points;
    std::vector<int> colliders;
};
BodyPoints bodyPoints(const Model& model)
{
    BodyPoints all;
    for (std::size_t i = 0; i < model.colliders.size(); ++i) {
        const Collider& collider = model.colliders[i];
        if (collider.body < 0) continue;
        for (const Ball& ball : contactBalls(std::get<Shape>(collider.form))) {
            all.points.push_back({collider.body, collider.pose * ball.center, ball.radius, 0, 0});
            all.colliders.push_back(static_cast<int>(i));
        }
    }
    setContactSprings(model, all.points);
    return all;
}

ModelGround contactGround(const Model& model, double step)
{
    ModelGround ground;
    Gatherer gatherer(ground);
    const BodyPoints all = bodyPoints(model);
    const bool isPenalty = model.contact->response == Response::penalty;
    for (std::size_t o = 0; o < model.colliders.size(); ++o) {
        const Collider& source = model.colliders[o];
        const std::optional<GroundObstacle> obstacle =
            source.body < 0 ? obstacleOf(source) : std::optional<GroundObstacle>();
        if (!obstacle) continue;
        const int number = static_cast<int>(ground.obstacles.size());
        ground.obstacles.push_back(*obstacle);
        for (std::size_t p = 0; p < all.points.size(); ++p) {
            const int own = all.colliders[p];
            const ContactPoint& point = all.points[p];
            if (!model.mayCollide(own, static_cast<int>(o))) continue;
            GroundPlace place = placeOf(model, point);
            place.friction = std::sqrt(source.friction * model.colliders[own].friction);
            place.drag = std::numeric_limits<float>::max();
            const double stiffest = stiffestOf(model, step, point.body);
            if (isPenalty) {
                place.stiffness = std::min(model.contact->stiffness, stiffest);
                place.damping = place.drag = model.contact->damping;
            } else {
                setSprings(point, {}, {}, stiffest, place);
                place.slip = slipSpeed * model.skeletons[model.skeletonOf[point.body]].length;
            }
            gatherer.add(point.body, number, point, place);
        }
    }
    return ground;
}

std::string nameOf(const Model& model, const Collider& collider)
{
    return quotedName(model.bodies[collider.body].name);
}

}  // namespace

ModelGround groundOf(const Model& model, double step)
{
    ModelGround ground = model.contact ? contactGround(model, step) : plainGround(model, step);
    std::stable_sort(ground.pairs.begin(), ground.pairs.end(),
                     [](const GroundPair& a, const GroundPair& b) { return a.link < b.link; });
    std::size_t next = 0;
    for (int i = 0; i <= model.size(); ++i) {
        while (next < ground.pairs.size() && ground.pairs[next].link < i) ++next;
        ground.firstPair.push_back(static_cast<int>(next));
    }
    return ground;
}

std::string unsupportedContact(const Model& model)
{
    if (!model.contact) return {};
    const Response response = model.contact->response;
    if (response == Response::kinematic || response == Response::impulse)
        return std::string("the contact response ") +
               (response == Response::impulse ? "impulse" : "kinematic") + "; resting and penalty it does";
    const int count = static_cast<int>(model.colliders.size());
    for (int b = 0; b < count; ++b) {
        const Collider& other = model.colliders[b];
        if (other.body < 0 && !obstacleOf(other)) return "obstacles other than planes and spheres";
        if (other.restitution > 0) return "restitution";
        if (other.staticFriction != other.friction) return "static friction of its own";
        if (other.rollingFriction > 0 || other.spinningFriction > 0) return "rolling and spinning friction";
        for (int a = 0; a < b; ++a)
            if (model.colliders[a].body >= 0 && other.body >= 0 && model.mayCollide(a, b))
                return "contact between bodies, such as " + nameOf(model, model.colliders[a]) + " and " +
                       nameOf(model, other) + "; a layer of theirs in \"ignore\" lets them pass";
    }
    return {};
}

}  // namespace sinew::crowd
