// The constant part of a simulation: compiled, checked, in tree order.
//
// Link i is body i together with the joint that ties it to its parent, which comes earlier
// (parent < i) or is the world (parent = −1). A skeleton that no joint ties to the world gets a free
// joint of its own, so every body has exactly one joint. Body frames sit at the centre of mass.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sinew/base/large_vector.h"
#include "sinew/base/result.h"
#include "sinew/base/special_members.h"
#include "sinew/model/description.h"
#include "sinew/model/joint.h"
#include "sinew/model/path.h"
#include "sinew/model/strength.h"
#include "sinew/model/torque_curve.h"

namespace sinew {

struct Body {
    double mass = 0;                     // 0: a link between joints, without inertia either
    Mat3 inertia = Mat3::Zero();         // about the centre of mass, body axes
    Mat3 inverseInertia = Mat3::Zero();  // zero without mass
    Vec3 center = Vec3::Zero();          // centre of mass in the frame of the description
    Pose rest;                           // of the body frame (at the centre of mass), at rest
    std::string name;
    // A body that is cut, so that a loop becomes a tree, stands here in parts welded to each other, each
    // with its share of mass and inertia: how many there are, and, of all but the first, which that is.
    int parts = 1;
    int cutFrom = -1;  // tree index

    double wholeMass() const { return parts * mass; }
    Mat3 wholeInertia() const { return parts * inertia; }
};

// A load of the scene on one body.
struct BodyLoad {
    int body = 0;
    Vec3 force = Vec3::Zero();   // world axes
    Vec3 torque = Vec3::Zero();  // world axes
    Vec3 point = Vec3::Zero();   // body axes, from the centre of mass
    std::optional<Signal> signal = {};
    int trigger = -1;
    int group = -1;  // loads that share one weight among those whose triggers are on
};

// A place on a body that obstacles push on: a ball of this radius, or a point.
struct ContactPoint {
    int body = 0;
    Vec3 point = Vec3::Zero();  // body axes, from the centre of mass
    double radius = 0;
    double mass = 0;       // kg, of all that is welded to the body
    double stiffness = 0;  // N/m, of obstacles that have none of their own
};

struct Obstacle {
    ObstacleDescription::Type type = ObstacleDescription::Type::plane;
    Vec3 position = Vec3::Zero();
    Vec3 normal = Vec3::Zero();  // unit
    double radius = 0;
    std::optional<double> stiffness, damping;  // where given; else as the place has it
};

// A shape that touches others: one of a body's, or an obstacle.
struct Collider {
    SINEW_SPECIAL_MEMBERS(Collider);

    int body = -1;  // −1: the world
    std::variant<Shape, Terrain> form;
    Pose pose;  // of the form, in the body's frame (at its centre of mass); of the world's, in the world
    double friction = 0, restitution = 0;
    double staticFriction = 0;                         // not less than `friction`
    double rollingFriction = 0, spinningFriction = 0;  // m
    std::uint32_t layer = 1;                           // one bit
    std::uint32_t touches = ~0u;                       // the layers that it does not pass through
    int source = 0;  // of a body: which of its shapes; of the world: which obstacle
};

struct Target {
    SINEW_SPECIAL_MEMBERS(Target);

    int body = 0;
    int motion = -1;            // where that motion has the body, instead of the path
    Vec3 point = Vec3::Zero();  // body axes, from the centre of mass
    double stiffness = 0, damping = 0, turnStiffness = 0, turnDamping = 0;
    Path path;
    double limit = std::numeric_limits<double>::infinity();  // of the force
    std::optional<Signal> weight;
};

// A condition, and when it came true. In State::memory at `slot`: `when` keeps the time and then whether it
// is true now; otherwise only whether it is.
struct Trigger {
    static constexpr double never = -1e300;

    ConditionDescription::Quantity quantity = ConditionDescription::Quantity::angle;
    int of = 0;  // tree index of a joint or body
    int freedom = 0;
    double above = 0, below = 0;  // ±∞ where not given
    bool when = false;
    bool ofSupport = false;  // touch: what lies on the ground counts, also where it bears nothing
    int slot = 0;
};

// What drives a joint beside its spring, dampers and constant motor.
struct TorqueFunction {
    TorqueDescription::Part part = TorqueDescription::Part::freedom;
    int freedom = 0;  // tree order
    TorqueCurve curve;
    double freeLower = 0, freeUpper = 0, freeDamping = 0;
    std::vector<Signal> center;
};
struct Controller {
    double stiffness = 0, damping = 0;
    double limit = std::numeric_limits<double>::infinity();
    std::optional<TorqueBounds> bounds = {};
    std::vector<Signal> target;
    std::optional<Signal> weight;
};
struct Motor {
    std::vector<Signal> torque;
    int trigger = -1;
};
// What a figure that balances itself gives in a joint (control/): a controller whose target it sets before
// each step, beside a torque. In State::memory from `slot` on: the coordinates and velocities that are
// wanted, the torque per freedom, and the parts of stiffness and damping that act.
struct Servo {
    double stiffness = 0, damping = 0;
    double limit = std::numeric_limits<double>::infinity();  // of all together
    std::optional<TorqueBounds> bounds = {};
    int slot = 0;
};
struct JointDrives {
    SINEW_SPECIAL_MEMBERS(JointDrives);

    std::vector<TorqueFunction> functions;
    std::vector<Controller> controllers;
    std::vector<Motor> motors;
    std::vector<Servo> servos;
};

// A motion without forces: coordinates of joints (none: at rest) and paths of floating roots, by tree
// index.
struct KinematicMotion {
    SINEW_SPECIAL_MEMBERS(KinematicMotion);

    std::string name;
    bool isTracked = false;  // bodies are drawn to it; others only lend their curves
    std::vector<std::vector<Signal>> joints;
    std::vector<std::optional<Path>> roots;
};

// From this time on the joint's spring and motor act, or do not.
struct JointSwitch {
    // Times within this count as the same: the end of a step is only as good as its sum.
    static constexpr double slack = 1e-9;  // s

    double time = 0;
    int joint = 0;  // tree index
    bool active = true;
};

// From the first step on that begins at this time, or later, a joint has these numbers (JointSettings).
struct JointSetting {
    double time = 0;
    int joint = 0;                                                       // tree index
    bool spring = false, damper = false, limits = false, motor = false;  // which of them
    Joint numbers;

    bool isDue(double now) const { return time <= now + JointSwitch::slack; }
};

// A joint that follows a given motion from a time on and until another (state/prescribed.h).
struct Prescription {
    SINEW_SPECIAL_MEMBERS(Prescription);

    // In State::memory: whether it does now, since when, and how far from its curve it was then.
    enum Memory { isOn, start, offset, offsetRate = offset + 6, memorySize = offsetRate + 6 };

    int joint = 0;               // tree index
    std::vector<Signal> motion;  // of its coordinates, one per freedom; free joints have the others
    Path path;
    Vec3 point = Vec3::Zero();  // of the body, in its axes, from its centre of mass
    double from = 0, until = 0, blend = 0;
    int memory = 0;  // where its part of State::memory begins
};

// A joint that closes a loop: not part of the tree, but rows (model/rows.h) that hold two of its bodies
// together. Where every joint of a loop has forces of its own, all of them are in the tree, and what closes
// it is the weld between the two parts of a body (Body::parts).
struct LoopJoint {
    SINEW_SPECIAL_MEMBERS(LoopJoint);

    Joint joint;          // between joint.parent and `child`; it has no coordinates
    int child = 0;        // tree index
    bool isSeam = false;  // of a body that is cut; named after the joint that leads to the part
    double release = std::numeric_limits<double>::infinity();  // s: lets go then
    int rows() const { return joint.rows(); }
    // In a step that begins then.
    bool holds(double time) const { return time < release - JointSwitch::slack; }
};

// q_follower = ratio · q_leader + offset, of two joints with one freedom each.
struct Coupling {
    int follower = 0, leader = 0;  // tree indices
    double ratio = 1, offset = 0;
};

// A tree of links: [first, first + count) in tree order.
struct Skeleton {
    int first = 0;
    int count = 0;
    // How large its links are, m: the largest radius of gyration or way from a centre of mass to a joint.
    // What is small and what is near is told by it.
    double length = 0;
    // Of its links, the least mass times radius of gyration or way to the joint, kg·m.
    double leastMoment = 0;
};

// A run of skeletons that answer a push as one, because springs tie some of them together.
struct SkeletonRun {
    int first = 0, count = 1;
};

// In headers of their own, as their descriptions.
struct Drag;
struct Spring;
struct TiedMeshes;
struct SpringMesh;
struct ParticleSystem;
struct Wish;
struct Balance;
template <class T>
struct LinkData;  // model/link.h

struct Model {
    SINEW_SPECIAL_MEMBERS(Model);

    std::string name;
    Vec3 gravity = Vec3::Zero();
    LargeVector<Body> bodies;
    LargeVector<Joint> joints;            // joints[i] belongs to bodies[i]
    LargeVector<LinkData<double>> links;  // the same, as the recursion reads it
    std::vector<int> extraLinks;          // those with an `extra`
    bool hasJointForces = false;          // one of them `hasForces`
    std::vector<Skeleton> skeletons;
    std::vector<int> skeletonOf;  // per body
    std::vector<SkeletonRun> runs;
    std::vector<int> runOf;  // per skeleton
    std::vector<LoopJoint> loops;
    std::vector<Coupling> couplings;
    std::vector<BodyLoad> loads;
    std::vector<Obstacle> obstacles;
    std::vector<ContactPoint> contactPoints;  // of all bodies with shapes; empty without obstacles
    // Where the scene has `contact`, with every number given; obstacles and contactPoints are empty then.
    std::optional<ContactDescription> contact;
    double contactLength = 1;         // m, likewise: the reach of the smallest body that touches others
    std::vector<Collider> colliders;  // bodies' in tree order, then the world's
    std::vector<std::pair<int, int>>
        silentPairs;  // of bodies, sorted, first < second: these do not collide
    std::vector<int>
        pieces;  // per body: the first that welds hold it to, −1: the world; nor do those of one
    std::vector<Target> targets;
    std::vector<JointSwitch> switches;   // joint by joint, times rising
    std::vector<JointSetting> settings;  // times rising
    std::vector<JointDrives> drives;     // Joint::drives
    std::vector<Trigger> triggers;
    std::vector<std::vector<int>> loadGroups;  // triggers of each
    std::vector<KinematicMotion> motions;
    double gravityCompensation = 0;
    std::vector<Prescription> prescribed;
    std::vector<Spring> springs;
    MediumDescription medium;
    std::vector<FieldDescription> fields;
    std::vector<Drag> drags;  // per body; empty where there is no medium
    std::vector<SpringMesh> meshes;
    std::vector<TiedMeshes> meshGroups;  // every mesh is in one: how they are solved
    std::vector<ParticleSystem> particles;
    std::vector<Wish> wishes;  // in the order of the description
    std::vector<Balance> balances;
    std::vector<double> memory;  // State::memory at the start
    int coordinateCount = 0;     // numbers in q
    int freedomCount = 0;        // numbers in u
    // Per freedom, what a motion of it is measured by: 1 for turns, the length of its skeleton for slides.
    std::vector<double> freedomUnits;

    // The order in which the description names bodies and joints, as tree indices. Joints that close loops
    // are left out.
    std::vector<int> bodyOrder;
    std::vector<int> jointOrder;
    std::vector<int> linkOfJoint;  // per joint of the description: its tree index; −1: only rows of a loop

    int size() const { return static_cast<int>(bodies.size()); }
    // Bodies that the description names: those of size() but for further parts of bodies that are cut.
    int describedSize() const { return static_cast<int>(bodyOrder.size()); }
    // Degrees of freedom, and joints that the description names.
    int declaredJointCount() const { return static_cast<int>(linkOfJoint.size()); }
    double mass() const;
    // Whether the joint's spring and motor act at this time.
    bool isActive(int joint, double time) const;
    // Gives a joint the numbers of a setting.
    void set(const JointSetting& setting);
    // Whether two colliders can touch: filters, joints and layers let them.
    bool mayCollide(int colliderA, int colliderB) const;
    // Tree index, or −1.
    int findBody(std::string_view name) const;
    int findJoint(std::string_view name) const;
};

// Checks everything and orders the tree. The error's pointer is the JSON pointer of the culprit in
// the scene file (/bodies/3/mass).
Result<Model> compile(const Description& description);

}  // namespace sinew
