#include "chain_case.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sinew/io/json/scene.h"
#include "sinew/math/rotation.h"
#include "sinew/measure/energy.h"
#include "sinew/state/kinematics.h"

namespace sinew::bench {
namespace {

ChainCase compiled(std::string name, std::string title, Description description)
{
    Result<Model> model = compile(description);
    if (!model) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), model.error().text().c_str());
        std::exit(1);
    }
    ChainCase made;
    made.name = std::move(name);
    made.title = std::move(title);
    made.description = std::move(description);
    made.model = std::move(model.value());
    return made;
}

// m g times how far each link can fall until the chain hangs: for a chain that starts along x that is its
// x.
double fallFromHorizontal(const Model& model)
{
    double sum = 0;
    for (const Body& body : model.bodies) sum += body.mass * model.gravity.norm() * body.rest.position.x();
    return sum;
}

struct Finger {
    const char* name;
    Vec3 knuckle;
    double turn;  // about y, from straight ahead
    double lengths[3];
};

void addFinger(const Finger& finger, Description& hand)
{
    constexpr double radius = 0.008;
    const Quat heading(AngleAxis(finger.turn, Vec3::UnitY()));
    // A capsule lies along its y: turned so that this is the finger's direction.
    const Quat along = heading * rotationBetween(Vec3::UnitY(), Vec3::UnitX());
    const Vec3 direction = heading * Vec3::UnitX();
    Vec3 place = finger.knuckle;
    for (int bone = 0; bone < 3; ++bone) {
        const double length = finger.lengths[bone];
        BodyDescription body;
        body.name = std::string(finger.name) + std::to_string(bone + 1);
        body.pose = {place + direction * (length / 2), along};
        body.shapes.push_back({Capsule{radius, length - 2 * radius}, {}, {}, {}});

        JointDescription joint;
        joint.name = body.name;
        joint.first = bone == 0 ? "palm" : finger.name + std::to_string(bone);
        joint.second = body.name;
        joint.position = place;
        joint.type = bone == 0 ? JointType::spherical : JointType::hinge;
        if (bone > 0) joint.axis = heading * Vec3::UnitZ();
        joint.stiffness = bone == 0 ? 0.5 : 0.2;  // a relaxed hand's, by order of magnitude
        joint.damping = 0.002;
        hand.bodies.push_back(std::move(body));
        hand.joints.push_back(std::move(joint));
        place += direction * length;
    }
}

}  // namespace

ChainCase heavyTip()
{
    ChainOptions options;
    options.tipRatio = 1000;
    options.horizontal = true;
    ChainCase made =
        compiled("heavy_tip", "heavy tip: 10 links, the last 1000 times heavier", makeChain(options));
    made.energyRange = fallFromHorizontal(made.model);
    return made;
}

ChainCase stiffChain(double stiffness)
{
    ChainOptions options;
    options.links = 50;
    options.horizontal = true;
    options.stiffness = stiffness;
    options.damping = 0.01;
    char name[64], title[128];
    std::snprintf(name, sizeof name, "stiff_%.0f", stiffness);
    std::snprintf(title, sizeof title, "stiff chain: 50 links, springs of %g N·m/rad, damping 0.01",
                  stiffness);
    ChainCase made = compiled(name, title, makeChain(options));
    made.energyRange = fallFromHorizontal(made.model);
    return made;
}

ChainCase swayingChain(int links, JointType joint)
{
    ChainOptions options;
    options.links = links;
    options.joint = joint;
    Description description = makeChain(options);
    constexpr double aside = 10 * pi / 180;
    description.gravity = 9.81 * Vec3(std::sin(aside), -std::cos(aside), 0);
    return compiled("sway_" + std::to_string(links), "swaying chain", std::move(description));
}

ChainCase personInTheAir(const std::string& scene)
{
    Result<Description> read = readScene(scene);
    if (!read) {
        std::fprintf(stderr, "%s\n", read.error().text().c_str());
        std::exit(1);
    }
    Description person = std::move(read.value());
    person.obstacles.clear();
    person.supports.clear();
    person.targets.clear();
    person.forces.clear();
    for (JointDescription& joint : person.joints) {
        joint.lower.clear();
        joint.upper.clear();
        joint.swingLimit.reset();
        joint.limitStiffness.reset();
        if (joint.type == JointType::spherical) joint.axis.reset();
    }
    return compiled("person", "person in the air", std::move(person));
}

ChainCase hand()
{
    Description hand;
    hand.name = "hand";
    BodyDescription palm;
    palm.name = "palm";
    palm.pose.position = {0.05, 0, 0};
    palm.shapes.push_back({Box{{0.1, 0.03, 0.08}}, {}, {}, {}});
    hand.bodies.push_back(std::move(palm));
    JointDescription wrist;
    wrist.name = "wrist";
    wrist.first = "world";
    wrist.second = "palm";
    wrist.stiffness = 5;
    wrist.damping = 0.05;
    hand.joints.push_back(std::move(wrist));
    addFinger({"thumb", {0.03, 0, 0.045}, -pi / 4, {0.045, 0.035, 0.03}}, hand);
    addFinger({"index", {0.1, 0, 0.03}, 0, {0.045, 0.028, 0.022}}, hand);
    addFinger({"middle", {0.1, 0, 0.01}, 0, {0.05, 0.032, 0.023}}, hand);
    addFinger({"ring", {0.1, 0, -0.01}, 0, {0.046, 0.03, 0.023}}, hand);
    addFinger({"little", {0.1, 0, -0.03}, 0, {0.037, 0.022, 0.02}}, hand);
    return compiled("hand", "hand of 16 bones", std::move(hand));
}

Meter::Meter(const Model& model) : model_(model), state_(restState(model)) {}

Measures Meter::measure()
{
    Measures measures;
    if (firstNonFinite(state_) >= 0) return measures;
    jointsFromBodies(model_, state_);  // the springs' energy is a function of the joint coordinates
    measures.energy = energy(model_, state_).total();
    measures.gap = largestJointError(model_, state_).gap;
    measures.finite = std::isfinite(measures.energy) && std::isfinite(measures.gap);
    return measures;
}

}  // namespace sinew::bench
