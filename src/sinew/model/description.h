// What a scene file says, in the words of the person who wrote it: names, world coordinates of the
// rest pose, optional parts. Editable, unchecked; compile() turns it into a Model.
//
// Units are SI and radians; y is up. A pose without a word is the origin, unturned.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/base/result.h"
#include "sinew/base/special_members.h"
#include "sinew/geometry/shape.h"
#include "sinew/geometry/terrain.h"
#include "sinew/model/joint_type.h"
#include "sinew/model/signal.h"

namespace sinew {

// One shape of a body, placed in the body's frame. At most one of density and mass.
struct ShapeDescription {
    Shape shape;
    Pose pose;
    std::optional<double> density;  // kg/m³; 1000 where neither is given
    std::optional<double> mass;
};

// How a medium holds a body back. What is not given is that of a sphere.
struct DragDescription {
    std::optional<double> radius;       // m; of the sphere of the shapes' volume where not given
    std::optional<double> area;         // m², across; π radius² where not given
    std::optional<double> coefficient;  // of the quadratic law; 0.47 where not given
};

struct BodyDescription {
    SINEW_SPECIAL_MEMBERS(BodyDescription);

    std::string name;
    Pose pose;  // of the body's frame, in the world, at rest

    // Mass properties, given outright or taken from the shapes. With `mass` alone the shapes' inertia
    // is scaled to it; with `inertia` both must be there. With `center` and no inertia the shapes' mass is
    // moved as a whole, so that its centre comes to lie there.
    std::optional<double> mass;
    std::optional<Mat3> inertia;  // about the centre of mass, in the body's axes
    std::optional<Vec3> center;   // centre of mass in the body's frame
    std::vector<ShapeDescription> shapes;
    std::optional<Vec3> color;  // red, green, blue from 0 to 1, in sRGB; else by its name (rig/tone.h)

    // How it touches others, where the scene has `contact`.
    std::optional<double> friction, restitution;  // the scene's where not given
    std::optional<double> staticFriction;         // its own `friction`, else the scene's, where not given
    std::optional<double> rollingFriction, spinningFriction;  // m; the scene's where not given
    std::string layer;                                        // empty: the layer "default"
    bool collides = true;
    DragDescription drag;  // where the scene has a medium

    // Initial velocity of the centre of mass and angular velocity, both in world axes.
    std::optional<Vec3> velocity;
    std::optional<Vec3> angularVelocity;
};

// Where a ball joint's axis may tilt to, farther to one side than to the other (math/swing_cone.h). Fixed
// in the joint's first body.
struct SwingConeDescription {
    std::optional<Vec3> center;     // world, at rest; the joint's axis where not given
    Vec3 toward = Vec3::Zero();     // world, at rest: what is across the centre counts
    std::array<double, 4> reach{};  // rad: toward it, away from it, toward center × toward, away
};

// A joint between two bodies; either may be "world". Its coordinates tell how `second` has moved
// relative to `first` since the rest pose, where all of them are zero.
struct JointDescription {
    SINEW_SPECIAL_MEMBERS(JointDescription);

    std::string name;
    JointType type = JointType::spherical;
    std::string first;
    std::string second;
    Vec3 position = Vec3::Zero();  // world, at rest
    // Hinge and slide: the axis. Universal: `axis` is fixed in the first body, `axis2` in the second,
    // and they are at right angles. Ball joint: the axis of its twist; where given, swing (how far the axis
    // has tilted) and twist (the turn about it) have springs and limits of their own.
    std::optional<Vec3> axis;
    std::optional<Vec3> axis2;

    double stiffness = 0;                  // N·m/rad (N/m for a slide), toward the rest pose
    double damping = 0;                    // N·m·s/rad (N·s/m)
    std::vector<double> rest;              // the coordinate where the spring is slack; empty: zero
    std::optional<double> twistStiffness;  // ball joint with an axis; where not given, `stiffness`
    // Where a one-sided spring begins, one number per freedom of a hinge, slide or universal joint, one for
    // the twist of a ball joint with an axis. Empty: no limit on that side.
    std::vector<double> lower;
    std::vector<double> upper;
    std::optional<double> swingLimit;               // ball joint with an axis: the half-angle of its cone
    std::optional<SwingConeDescription> swingCone;  // or one that is not round
    std::optional<double> limitStiffness;
    // Where not given: what makes the whole figure swing against the limit this often.
    static constexpr double defaultLimitFrequency = 200;  // Hz
    double armature = 0;  // kg·m² (kg for a slide): a rotor's inertia, against the joint's own acceleration
    double coulomb = 0;  // N·m (N for a slide): dry friction, the same at every speed

    // One number per freedom; empty means zero. A ball joint's are a rotation vector, a relative
    // angular velocity and a torque, all in the axes of the second body.
    std::vector<double> motor;       // torque on the second body, its reaction on the first
    std::vector<double> coordinate;  // at the start
    std::vector<double> velocity;    // at the start
    std::optional<double> release;   // s: from then on it holds nothing
};

// Two hinges or slides that gears or a belt tie together: the follower's coordinate is always
// ratio · the leader's + offset.
struct CouplingDescription {
    std::string follower, leader;
    double ratio = 1;   // of what they measure: rad or m
    double offset = 0;  // rad (m for a slide)
};

// What can be true or false of a figure in motion. It is looked at when a step ends.
struct ConditionDescription {
    enum class Quantity { angle, height, speed, touch };
    Quantity quantity = Quantity::angle;
    std::string
        of;  // a joint (angle) or a body: height and speed of its centre of mass, touch of an obstacle
    int freedom = 0;  // angle: which
    std::optional<double> above, below;
};

// A force and torque in world axes, at a point that moves with the body.
struct ForceDescription {
    std::string body;
    Vec3 force = Vec3::Zero();
    Vec3 torque = Vec3::Zero();
    std::optional<Vec3> point;          // world, at rest; the centre of mass where not given
    std::optional<Signal> signal = {};  // times this; without it, constant
    // From the moment the condition becomes true, whose time the signal starts at; or as long as it is.
    std::optional<ConditionDescription> when = {}, during = {};
};

// A torque (slide: force) that a joint's motor gives, on the second body.
struct MotorDescription {
    std::string joint;
    std::vector<Signal> torque;  // one per freedom
    std::optional<ConditionDescription> when, during;
};

// A torque that leads an angle of a joint back toward a zone of free play (Armstrong & Green, section 5).
struct TorqueDescription {
    SINEW_SPECIAL_MEMBERS(TorqueDescription);

    enum class Part { freedom, swing, twist, cone };
    struct Point {
        double angle = 0, torque = 0;
    };
    std::string joint;
    Part part = Part::freedom;  // ball joint with an axis: of its swing, its twist or beyond its cone
    int freedom = 0;            // universal joint: which
    // Either the zone, with slopes (N·m/rad) and most torques (N·m) below and above it…
    std::optional<std::array<double, 2>> free, slope, most;
    std::vector<Point> curve;    // …or the whole function, straight between points, constant beyond them
    std::vector<Signal> center;  // from where the angle is counted, one per freedom; none: the rest pose
    double freeDamping = 0;      // N·m·s/rad, in the zone of free play only
};

// A proportional-derivative controller: the motor leads a joint to a moving target.
struct ControllerDescription {
    std::string joint;
    double stiffness = 0;          // N·m/rad (N/m)
    double damping = 0;            // N·m·s/rad, against the error of the velocity
    std::vector<Signal> target;    // one per freedom; none: the rest pose
    std::string motion;            // or as this motion has it
    std::optional<double> limit;   // N·m: the most it gives
    std::optional<Signal> weight;  // times this
};

// Holds a figure up against gravity (Armstrong & Green, section 5).
struct SupportDescription {
    // The weight of the figure at one of its bodies, each body's own weight (thus at the centre of mass),
    // or the weight shared by those of the bodies that touch an obstacle.
    enum class At { body, center, feet };
    At at = At::body;
    std::vector<std::string> bodies;  // body: one; center: one of the figure's; feet: one or more
    double share = 1;                 // of the weight
    std::optional<Vec3> point;        // body: world, at rest; its centre of mass where not given
    std::optional<Signal> weight;     // times this
};

// Something fixed in the world that bodies' shapes do not enter. Without `contact` in the scene it is a
// plane or a sphere with a one-sided spring and damper along its normal, without friction.
struct ObstacleDescription {
    SINEW_SPECIAL_MEMBERS(ObstacleDescription);

    enum class Type { plane, sphere, shape, terrain };
    std::string name;
    Type type = Type::plane;
    Vec3 position =
        Vec3::Zero();  // a point of the plane, the centre of the sphere, the origin of the others
    Quat orientation = Quat::Identity();  // of shape and terrain
    Vec3 normal = Vec3(0, 1, 0);          // plane: out of the ground
    double radius = 0;                    // sphere
    Shape shape = Sphere{};               // shape: any but a sphere
    Terrain terrain = HalfSpace{};        // terrain: a height field or a triangle mesh
    // N/m and N·s/m, while in touch; where not given, as the body needs (model/compile/surroundings.cpp).
    std::optional<double> stiffness, damping;
    std::optional<double> friction, restitution;  // as of bodies
    std::optional<double> staticFriction, rollingFriction, spinningFriction;
    std::string layer;  // empty: the layer "default"
};

// That bodies touch each other and the obstacles, and how they answer.
struct ContactDescription {
    SINEW_SPECIAL_MEMBERS(ContactDescription);

    // From the slides, in their order: the velocity is negated and damped; springs push what is inside out;
    // an impulse at the moment of collision; and forces that hold what rests, as Coulomb's law has them.
    enum class Response { kinematic, penalty, impulse, resting };
    enum class Solver { automatic, exact, iterative };
    // To the tolerance, or with a fixed budget of work: of resting contact in implicit steps.
    enum class Accuracy { exact, fast };
    Response response = Response::resting;
    double friction = 0.6;                 // Coulomb's coefficient; of a pair, the geometric mean
    std::optional<double> staticFriction;  // while nothing slips; the same where not given
    // Torque against rolling and spinning over the normal force, m; of a pair, the larger one.
    double rollingFriction = 0, spinningFriction = 0;
    double restitution = 0;  // ε of a pair: the larger one
    // m/s: slower ones do not bounce. Where not given, what a fall by 2 % of the smallest body's size
    // gives.
    std::optional<double> bounceSpeed;
    double keep = 0.5;       // kinematic: the part of the normal velocity that comes back
    double stiffness = 1e5;  // N/m, penalty
    double damping = 500;    // N·s/m, penalty
    bool atFraction = true;  // impulse, resting: a collision cuts the step at its moment; otherwise the
                             // next step begins with it
    Accuracy accuracy = Accuracy::exact;
    Solver solver = Solver::automatic;
    int sweeps = 200;                 // of the iterative solver, at most, per Newton iteration
    std::optional<double> tolerance;  // m: where the solvers stop; where not given, 1e-7 of that size
    bool plainInertia = false;        // contact forces from the plain inertia, for comparison
    bool sleeping = false;            // what has come to rest is not computed until something touches it
    // Pairs of layers or bodies that pass through each other. Bodies joined by a joint always do, bodies
    // that welds make one piece, and bodies of one skeleton that overlap in the rest pose.
    std::vector<std::array<std::string, 2>> ignore;
};

// A spring and damper, linear and torsional, that draws a body along a path.
struct TargetDescription {
    SINEW_SPECIAL_MEMBERS(TargetDescription);

    // Between keys the place is linear in time and the orientation turns evenly; before the first and
    // after the last it stands still. What a key leaves out is as in the rest pose.
    struct Key {
        double time = 0;
        std::optional<Vec3> position;     // of the point, world
        std::optional<Quat> orientation;  // of the body's frame, world
    };
    std::string body;
    std::optional<Vec3> point;     // world, at rest; the centre of mass where not given
    double stiffness = 0;          // N/m
    double damping = 0;            // N·s/m
    double turnStiffness = 0;      // N·m/rad
    double turnDamping = 0;        // N·m·s/rad
    std::vector<Key> path;         // at least one, times rising
    bool smooth = false;           // through the keys with continuous velocities, not straight between them
    std::optional<double> limit;   // N: the most the linear spring and damper give
    std::optional<Signal> weight;  // times this
};

// A motion of the whole figure without forces: joints and roots as functions of time, all else at rest.
struct MotionDescription {
    SINEW_SPECIAL_MEMBERS(MotionDescription);

    struct JointCurve {
        std::string joint;
        std::vector<Signal> coordinate;
    };
    struct RootPath {
        std::string body;  // a floating root; its centre of mass follows the path
        std::vector<TargetDescription::Key> path;
        bool smooth = true;
    };
    std::string name;
    std::vector<JointCurve> joints;
    std::vector<RootPath> roots;
};

// Couples bodies to where a motion has them, by springs and dampers, linear and torsional.
struct TrackDescription {
    struct Weight {
        std::string body;
        double weight = 1;
    };
    std::string motion;
    std::vector<std::string> bodies;  // none: all
    double stiffness = 0, damping = 0, turnStiffness = 0, turnDamping = 0;
    std::vector<Weight> weights;   // of single bodies, times this; others 1
    std::optional<Signal> weight;  // of all, times this: how animation and physics hand over to each other
};

// Numbers of a joint that may change while it moves, as in JointDescription. What is not given stays.
struct JointSettings {
    std::optional<double> stiffness, damping, swingLimit, limitStiffness;
    std::vector<double> rest, lower, upper, motor;
    std::optional<bool> limits;  // false: those that it had are gone

    bool isAny() const;
    bool setsSpring() const { return stiffness || !rest.empty(); }
    bool setsLimits() const
    {
        return limits || swingLimit || limitStiffness || !lower.empty() || !upper.empty();
    }
    // What another one gives on top.
    void add(const JointSettings& later);
    void applyTo(JointDescription& joint) const;
};

// From a time on: whether the torques of a joint, its spring and its motor, act (dampers, friction and
// limits stay), and other numbers of the joint.
struct SwitchDescription {
    double time = 0;
    std::string joint;                  // empty: every joint, which can only be told to act or not
    std::optional<bool> active = true;  // none: as it was
    JointSettings settings = {};
};

// A joint, or the root of a floating skeleton, that moves as told while the rest of the figure is dynamic.
// One of `joint` and `body`.
struct PrescribedDescription {
    SINEW_SPECIAL_MEMBERS(PrescribedDescription);

    std::string joint;
    std::vector<Signal> motion;  // its coordinates, one signal per freedom

    std::string body;
    std::vector<TargetDescription::Key> path;  // at least one, times rising
    bool smooth = true;                        // through the keys with continuous velocities
    std::optional<Vec3> point;  // that follows the path: world, at rest; the centre of mass where not given

    // Before `from` and after `until` it is dynamic; on its curve `blend` after the beginning.
    double from = 0;              // s
    std::optional<double> until;  // s; for ever where not given
    double blend = 0;             // s
};

// A motion to be found (optimize/): it obeys physics, fulfils the scene's wishes at their times, and costs
// as little as may be.
struct PlanDescription {
    SINEW_SPECIAL_MEMBERS(PlanDescription);

    // A joint that pushes, or a body that floats and has thrusters.
    struct Drive {
        std::string joint, body;
        std::optional<double> limit;  // N·m, N of what slides: of each freedom, both ways
        double cost = 1;
    };
    // Points of a body rest on a plane, normal · place = height, for a while.
    struct Contact {
        std::string name, body;
        std::vector<Vec3> points;  // world, at rest
        double from = 0, until = 0;
        Vec3 normal = Vec3(0, 1, 0);
        double height = 0, friction = 1;
    };
    // A body is held by another one, as in the rest pose, for a while.
    struct Hold {
        std::string name, body, by;
        double from = 0, until = 0;
    };
    // A point of a body stays above such a plane, but while it is in contact.
    struct Clearance {
        std::string name, body;
        std::optional<Vec3> point;  // world, at rest; the centre of mass where not given
        Vec3 normal = Vec3(0, 1, 0);
        double height = 0;
    };
    struct Still {
        double time = 0;
        std::vector<std::string> joints;  // none: all, and bodies that float
    };
    struct Guess {
        double time = 0;
        struct Pose {
            std::string joint;
            std::vector<double> coordinate;
        };
        struct Place {
            std::string body;  // that floats
            std::optional<Vec3> position;
            std::optional<Quat> orientation;
        };
        std::vector<Pose> joints;  // others are as in the guess before
        std::vector<Place> bodies;
    };
    // What the motion begins with: pose and velocities of the scene, its pose alone, or whatever is best.
    enum class Start { state, pose, free };

    double duration = 1;  // s
    double piece = 0.05;  // s: the longest piece of the first mesh
    int points = 3;       // of Gauss in each
    Start start = Start::state;
    std::vector<Drive> drives;  // none: all joints with forces of their own to give, without limits
    double force = 1, power = 0, acceleration = 0;  // weights in the cost
    std::vector<Still> still;
    std::vector<Contact> contacts;
    std::vector<Hold> holds;
    std::vector<Clearance> clearances;
    std::vector<Guess> guess;
};

// In headers of their own (model/springs.h, fields.h, spring_mesh.h, particles.h, wish.h, balance.h,
// action.h): whoever looks into them includes those.
struct SpringDescription;
struct FieldDescription;
struct SpringMeshDescription;
struct ParticlesDescription;
struct WishDescription;
struct BalanceDescription;
struct ActionDescription;

// What bodies, meshes and particles move in, unless it is empty space.
struct MediumDescription {
    double viscosity = 0;  // η, Pa·s
    double density = 0;    // kg/m³
};

// How the scene likes to be run; the command line overrides each.
struct RunSettings {
    std::string solver;  // empty: the engine's choice
    std::string integrator;
    std::string coordinates;     // joint or maximal, for integrators that have both
    std::optional<double> step;  // s
    std::optional<double> duration;
    std::optional<double> fps;
    std::optional<int> slowBand = {};      // of the integrator bands: steps between two slow updates
    bool spread = false;                   // of the integrator bands: a share of the links in every step
    std::optional<double> tolerance = {};  // of integrators that adapt
};

// What stands at `expanded` in the description, such as /bodies/7, comes from `written` in the file.
struct Origin {
    std::string expanded, written;
};

struct Description {
    SINEW_SPECIAL_MEMBERS(Description);

    std::string name;
    std::string about;  // a sentence for people
    Vec3 gravity = Vec3(0, -9.81, 0);
    // Armstrong & Green's trick against fast turns of thin links about their long axes: no principal moment
    // of a body counts as less than this part of its largest one.
    double inertiaFloor = 0;
    std::vector<BodyDescription> bodies;
    std::vector<JointDescription> joints;
    std::vector<CouplingDescription> couplings;
    std::vector<ForceDescription> forces;
    std::vector<ObstacleDescription> obstacles;
    std::optional<ContactDescription> contact;
    std::vector<TargetDescription> targets;
    std::vector<SwitchDescription> switches;
    std::vector<MotorDescription> motors;
    std::vector<TorqueDescription> torques;
    std::vector<ControllerDescription> controllers;
    std::vector<SupportDescription> supports;
    std::vector<MotionDescription> motions;
    std::vector<TrackDescription> tracks;
    double gravityCompensation = 0;  // how much of their load's weight joints carry by themselves, 0 to 1
    std::vector<PrescribedDescription> prescribed;
    std::vector<SpringDescription> springs;
    MediumDescription medium;
    std::vector<FieldDescription> fields;
    std::vector<SpringMeshDescription> meshes;
    std::vector<ParticlesDescription> particles;
    std::vector<WishDescription> wishes;
    std::vector<BalanceDescription> balances;
    std::vector<ActionDescription> actions;
    std::optional<PlanDescription> plan;
    // Bodies that shall be the root of their skeleton, as prescribed bodies are. Without a word a skeleton
    // hangs from the world if a joint ties it there, otherwise its first body is the root.
    std::vector<std::string> roots;
    RunSettings run;
    // Of bodies and joints that a reader made out of something shorter; empty where the file has them
    // itself.
    std::vector<Origin> origins;
};

// A fault found in the description, with the pointer to the place in the file that is to blame.
Diagnostic asWritten(Diagnostic fault, const Description& description);

}  // namespace sinew
