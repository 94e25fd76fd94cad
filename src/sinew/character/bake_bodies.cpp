// The plan of a bake: bones as bodies, and the joints that hold them.
#include <algorithm>
#include <cmath>

#include "sinew/character/planner.h"
#include "sinew/math/rotation.h"
#include "sinew/rig/turns.h"

namespace sinew {
namespace {

constexpr double limitFrequency = 30;  // Hz: how hard the ends of a joint's range are
// Of a whole character, of its mass times the square of its height: no joint turns more easily. A fingertip
// that meets the floor at 3 m/s would have to turn at 8000°/s, if nothing but its own few grams held it
// back; sinews and flesh do.
constexpr double easiest = 2e-6;
constexpr double limpFrequency = 1;  // Hz: at least, what the damping of limp bones refers to

}  // namespace

// Dynamic bones stand in their bind pose on what carries them, so that limits are counted from it; where
// they start is a coordinate of their joints.
void Planner::placeAtRest()
{
    rest.resize(rig.bones.size());
    for (const int b : order) {
        const Pose now{options.body.unit * world[b].pose.position, world[b].pose.orientation};
        if (!below[b] || plan.isFloating[b]) {
            rest[b] = now;
            continue;
        }
        const int a = anchor[b];
        const Vec3 offset = options.body.unit * (world[a].pose.inverse() * world[b].pose.position);
        rest[b] = {rest[a] * offset, (rest[a].orientation * relative(b, bind)).normalized()};
    }
}

Shape Planner::shape(int bone) const
{
    const BoneBody& body = bodies[bone];
    if (!hulls.empty() && hulls[bone]) return *hulls[bone];
    // Nearly a sphere is one: no direction can be had from so short an axis.
    if (body.length() < 1e-3 * body.radius) return Sphere{body.radius};
    return Capsule{body.radius, body.length()};
}

Pose Planner::shapePose(int bone) const
{
    const BoneBody& body = bodies[bone];
    if (!hulls.empty() && hulls[bone]) return {};
    Pose pose{body.middle(), Quat::Identity()};
    if (std::holds_alternative<Capsule>(shape(bone)))
        pose.orientation = rotationBetween(Vec3::UnitY(), body.to - body.from).normalized();
    return pose;
}

void Planner::addBody(int bone)
{
    Description& scene = plan.scene;
    BodyDescription body;
    body.name = rig.bones[bone].name;
    for (char& c : body.name)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
    while (!taken.insert(body.name).second) body.name += '_';
    body.pose = rest[bone];
    body.mass = bodies[bone].mass;
    body.shapes.push_back({shape(bone), shapePose(bone), {}, {}});
    // Fingers of a hand lie beside each other, and rub for nothing.
    const bool isFinger = below[bone] && sluggishness(bone) > 0;
    body.layer = isFinger ? "fingers" : below[bone] ? "dynamic" : "animated";
    body.collides = below[bone] || options.collide != BakeCollision::none;
    for (const BoneRule& rule : options.body.rules)
        if (rule.collides && matchesPattern(rule.pattern, rig.bones[bone].name))
            body.collides = *rule.collides;
    plan.bodyOfBone[bone] = static_cast<int>(scene.bodies.size());
    if (plan.isFloating[bone]) {
        // As the animation moves at that moment.
        const Pose &a = before[bone].pose, &b = after[bone].pose;
        const Vec3 spin = logRotation((b.orientation * a.orientation.conjugate()).normalized()) / span;
        const Vec3 velocity = options.body.unit * (b.position - a.position) / span;
        body.angularVelocity = spin;
        body.velocity = velocity + spin.cross(rest[bone].orientation * bodies[bone].middle());
    }
    scene.bodies.push_back(std::move(body));
}

// A bone that follows the animation: its body's path.
void Planner::addPath(int bone)
{
    PrescribedDescription path;
    path.body = name(bone);
    path.point = rest[bone].position;
    bool moves = false;
    for (std::size_t k = 0; k < frames.size(); ++k) {
        const Pose& pose = frames[k][bone].pose;
        const Pose& first = frames[0][bone].pose;
        moves |= pose.position != first.position || pose.orientation.coeffs() != first.orientation.coeffs();
        path.path.push_back(
            {static_cast<double>(k) / plan.fps, options.body.unit * pose.position, pose.orientation});
    }
    if (!moves) path.path.resize(1);
    plan.scene.prescribed.push_back(std::move(path));
}

// From the ends of the limbs inwards.
void Planner::weighLimbs()
{
    limbs.assign(rig.bones.size(), {});
    for (const int b : order) {
        const BoneBody& body = bodies[b];
        const double l = body.length(), r = body.radius;
        limbs[b] = {body.mass, rest[b] * body.middle(), body.mass * (l * l / 12 + 0.4 * r * r)};
    }
    for (int b = static_cast<int>(limbs.size()) - 1; b >= 0; --b)
        if (anchor[b] >= 0) limbs[anchor[b]].add(limbs[b]);
}

// J of the bone with all that hangs from it about its joint, at rest: the trace's half, which is the mean
// of the moments about two axes for what is long and thin.
double Planner::inertiaBeyond(int bone) const
{
    const Limb& limb = limbs[bone];
    return limb.inertia + limb.mass * (limb.center - rest[bone].position).squaredNorm();
}

// The bone that floats and carries this one; −1 where that follows the animation.
int Planner::floatingRoot(int bone) const
{
    while (anchor[bone] >= 0) bone = anchor[bone];
    return plan.isFloating[bone] ? bone : -1;
}

// kg·m²: what a finger's joint turns beside the finger.
double Planner::sluggishness(int bone) const
{
    const int root = floatingRoot(bone);
    return root < 0
               ? 0
               : std::max(0.0, easiest * limbs[root].mass * figureSize * figureSize - inertiaBeyond(bone));
}

// rad/s: of the bone with all that hangs from it as a pendulum.
double Planner::pendulum(int bone) const
{
    const Limb& limb = limbs[bone];
    const double arm = (limb.center - rest[bone].position).norm(), inertia = inertiaBeyond(bone);
    return inertia > 0 ? std::sqrt(limb.mass * options.gravity * arm / inertia) : 0;
}

// The clip's rotation vectors of a joint since the bind pose, at every frame.
std::vector<Vec3> Planner::turnsOf(int bone) const
{
    const Quat atRest = relative(bone, bind);
    std::vector<Quat> rotations;
    for (const auto& frame : frames) rotations.push_back(atRest.conjugate() * relative(bone, frame));
    return turnsWithoutJumps(rotations);
}

void Planner::addJoint(int bone)
{
    JointDescription joint;
    joint.type = JointType::spherical;
    joint.name = name(bone);
    joint.first = name(anchor[bone]);
    joint.second = name(bone);
    joint.position = rest[bone].position;

    const std::vector<Vec3> turns = turnsOf(bone);
    if (!plan.isDynamic[bone]) {
        PrescribedDescription path;
        path.joint = joint.name;
        path.motion = turnSignals(turns, plan.fps);
        plan.scene.prescribed.push_back(std::move(path));
        plan.scene.joints.push_back(std::move(joint));
        return;
    }

    // As the animation has it at that moment.
    const Vec3 spin =
        logRotation((relative(bone, before).conjugate() * relative(bone, after)).normalized()) / span;
    joint.coordinate = {turns[0][0], turns[0][1], turns[0][2]};
    joint.velocity = {spin[0], spin[1], spin[2]};

    const JointRange range = jointRange(rig.bones[bone].name, bodies[bone], turns, options.body.rules);
    joint.axis = rest[bone].orientation * range.axis;
    joint.swingLimit = range.swing;
    joint.lower = {range.lower};
    joint.upper = {range.upper};

    double inertia = inertiaBeyond(bone);
    joint.armature = sluggishness(bone);
    inertia += joint.armature;
    const double frequency = 2 * pi * plan.springs[bone].frequency;
    const double ratio = plan.springs[bone].ratio;
    const double hard = 2 * pi * std::max(limitFrequency, 3 * frequency / (2 * pi));
    joint.limitStiffness = hard * hard * inertia;
    if (frequency > 0) {
        ControllerDescription spring;
        spring.joint = joint.name;
        spring.stiffness = frequency * frequency * inertia;
        spring.damping = 2 * ratio * frequency * inertia;
        spring.target = turnSignals(turns, plan.fps);
        plan.scene.controllers.push_back(std::move(spring));
    } else {
        // A finger swings far more often than a leg, so that the same damper would leave it wild.
        joint.damping = 2 * ratio * std::max(2 * pi * limpFrequency, pendulum(bone)) * inertia;
    }
    plan.scene.joints.push_back(std::move(joint));
}

}  // namespace sinew
