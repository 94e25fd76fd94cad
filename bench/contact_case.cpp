#include "contact_case.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "sinew/base/random.h"
#include "sinew/geometry/bounding_volume.h"
#include "sinew/geometry/contact_points.h"
#include "sinew/measure/energy.h"

namespace sinew::bench {
namespace {

constexpr double friction = 0.6;

Description onGround(const char* name)
{
    Description description;
    description.name = name;
    ObstacleDescription ground;
    ground.name = "ground";
    description.obstacles.push_back(ground);
    description.contact.emplace();
    description.contact->friction = friction;
    return description;
}

ContactCase compiled(std::string title, Description description)
{
    Result<Model> model = compile(description);
    if (!model) {
        std::fprintf(stderr, "%s: %s\n", title.c_str(), model.error().text().c_str());
        std::exit(1);
    }
    ContactCase made;
    made.title = std::move(title);
    made.description = std::move(description);
    made.model = std::move(model.value());
    made.friction = friction;
    return made;
}

// Bones stand upright, so that shapes lie along the world's axes at rest.
struct Bone {
    const char* name;
    const char* parent;  // null: the root
    Vec3 joint;          // to the parent
    Vec3 center;
    Shape shape;
    double mass;
    bool carries;  // weight: a stiff joint; the others are the neck and the arms
};

void addBone(const Bone& bone, double side, const std::string& suffix, Description& figure)
{
    constexpr double drop = 0.005;  // m, so that the ground has to be found
    const auto placed = [side](const Vec3& place) {
        return Vec3(place.x(), place.y() + drop, place.z() * side);
    };
    BodyDescription body;
    body.name = bone.name + suffix;
    body.pose.position = placed(bone.center);
    body.mass = bone.mass;
    body.shapes.emplace_back().shape = bone.shape;
    figure.bodies.push_back(std::move(body));
    if (!bone.parent) return;

    const std::string twin = bone.parent + suffix;
    const bool hasTwin = std::any_of(figure.bodies.begin(), figure.bodies.end(),
                                     [&](const BodyDescription& other) { return other.name == twin; });
    JointDescription joint;
    joint.name = bone.name + suffix;
    joint.first = hasTwin ? twin : bone.parent;
    joint.second = bone.name + suffix;
    joint.position = placed(bone.joint);
    joint.stiffness = bone.carries ? 1e4 : 500;
    joint.damping = bone.carries ? 500 : 10;
    figure.joints.push_back(std::move(joint));
}

}  // namespace

ContactCase fallingBoxes()
{
    constexpr int perEdge = 10;
    constexpr double edge = 0.2, pitch = 0.25, clearance = 0.5, offset = 0.01, turn = 0.1;
    Description description = onGround("falling boxes");
    Random random(1);
    for (int i = 0; i < perEdge * perEdge * perEdge; ++i) {
        const Vec3 cell(i % perEdge - 0.5 * (perEdge - 1), i / (perEdge * perEdge),
                        i / perEdge % perEdge - 0.5 * (perEdge - 1));
        const auto askew = [&random](double most) {
            const double x = random.uniform(-most, most), y = random.uniform(-most, most);
            return Vec3(x, y, random.uniform(-most, most));
        };
        BodyDescription box;
        box.name = "box" + std::to_string(i + 1);
        box.pose.position = pitch * cell + Vec3(0, clearance + edge / 2, 0) + askew(offset);
        const Vec3 angles = askew(turn);
        box.pose.orientation = AngleAxis(angles.x(), Vec3::UnitX()) * AngleAxis(angles.y(), Vec3::UnitY()) *
                               AngleAxis(angles.z(), Vec3::UnitZ());
        box.shapes.emplace_back().shape = Box{Vec3::Constant(edge)};
        description.bodies.push_back(std::move(box));
    }
    return compiled("1,000 falling boxes", std::move(description));
}

ContactCase standingFigure()
{
    Description figure = onGround("standing figure");
    const Bone trunk[] = {
        {"pelvis", nullptr, {0, 0, 0}, {0, 0.97, 0}, Box{{0.2, 0.18, 0.32}}, 11, true},
        {"abdomen", "pelvis", {0, 1.06, 0}, {0, 1.14, 0}, Box{{0.18, 0.16, 0.26}}, 10, true},
        {"chest", "abdomen", {0, 1.22, 0}, {0, 1.36, 0}, Box{{0.22, 0.28, 0.34}}, 16, true},
        {"head", "chest", {0, 1.52, 0}, {0, 1.62, 0}, Capsule{0.08, 0.12}, 5, false},
    };
    const Bone limbs[] = {
        {"upper_arm", "chest", {0, 1.44, 0.24}, {0, 1.3, 0.24}, Capsule{0.045, 0.28}, 2, false},
        {"forearm", "upper_arm", {0, 1.16, 0.24}, {0, 1.035, 0.24}, Capsule{0.04, 0.25}, 1.2, false},
        {"hand", "forearm", {0, 0.91, 0.24}, {0, 0.82, 0.24}, Box{{0.08, 0.16, 0.04}}, 0.45, false},
        {"thigh", "pelvis", {0, 0.9, 0.1}, {0, 0.69, 0.1}, Capsule{0.07, 0.42}, 7.5, true},
        {"shin", "thigh", {0, 0.48, 0.1}, {0, 0.28, 0.1}, Capsule{0.05, 0.4}, 3.3, true},
        {"foot", "shin", {0, 0.08, 0.1}, {0.05, 0.035, 0.1}, Box{{0.26, 0.07, 0.1}}, 1, true},
    };
    for (const Bone& bone : trunk) addBone(bone, 1, "", figure);
    for (double side : {-1.0, 1.0})
        for (const Bone& bone : limbs) addBone(bone, side, side < 0 ? "_left" : "_right", figure);
    ContactCase made = compiled("Standing figure of 16 bones", std::move(figure));
    made.isFigure = true;
    return made;
}

const Shape& shapeOf(const ContactCase& scene, int body)
{
    const Collider& collider = scene.model.colliders[body];
    SINEW_ASSERT(collider.body == body && collider.pose.position.isZero(1e-12));
    return std::get<Shape>(collider.form);
}

ContactJudge::ContactJudge(const ContactCase& scene) : scene_(scene), state_(restState(scene.model))
{
    const auto& bodies = scene.model.bodies;
    for (int i = 0; i < scene.model.size(); ++i)
        if (bodies[i].rest.position.y() > bodies[top_].rest.position.y()) top_ = i;
}

bool ContactJudge::isFinite() const
{
    return firstNonFinite(state_) < 0;
}
double ContactJudge::kineticEnergy() const
{
    return energy(scene_.model, state_).kinetic;
}
double ContactJudge::jointGap() const
{
    return largestJointError(scene_.model, state_).gap;
}
double ContactJudge::farthest() const
{
    double most = 0;
    for (const BodyState& body : state_.bodies) most = std::max(most, body.position.norm());
    return most;
}
double ContactJudge::topDisplacement() const
{
    return (state_.bodies[top_].position - scene_.model.bodies[top_].rest.position).norm();
}

double ContactJudge::groundDepth() const
{
    double deepest = 0;
    for (int i = 0; i < scene_.model.size(); ++i)
        for (const Ball& ball : contactBalls(shapeOf(scene_, i))) {
            const BodyState& body = state_.bodies[i];
            const double height = (body.position + body.orientation * ball.center).y() - ball.radius;
            deepest = std::max(deepest, -height);
        }
    return deepest;
}

double ContactJudge::pairDepth()
{
    extents_.clear();
    const auto poseOf = [this](int i) {
        return Pose{state_.bodies[i].position, state_.bodies[i].orientation};
    };
    for (int i = 0; i < scene_.model.size(); ++i) {
        const BoundingBox box = boundingBox(shapeOf(scene_, i), poseOf(i));
        extents_.push_back({box.low, box.high, i});
    }
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return a.low.x() < b.low.x(); });
    double deepest = 0;
    for (std::size_t a = 0; a < extents_.size(); ++a)
        for (std::size_t b = a + 1; b < extents_.size() && extents_[b].low.x() < extents_[a].high.x();
             ++b) {
            const Extent &one = extents_[a], &two = extents_[b];
            if ((one.low - two.high).maxCoeff() > 0 || (two.low - one.high).maxCoeff() > 0) continue;
            if (!scene_.model.mayCollide(one.body, two.body)) continue;
            const Proximity found = distance(shapeOf(scene_, one.body), poseOf(one.body),
                                             shapeOf(scene_, two.body), poseOf(two.body), work_);
            deepest = std::max(deepest, -found.distance);
        }
    return deepest;
}

}  // namespace sinew::bench
