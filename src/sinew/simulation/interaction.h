// What hands do to a running simulation, as values that can be kept, written and done again.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "sinew/simulation/simulation.h"

namespace sinew {

// Bodies go by their names, which survive changes of the scene that indices do not. Points are in the
// body's own frame, that of the scene and of its trajectory; where none is given, the centre of mass is
// meant. Places, impulses, positions and orientations are in world axes.
struct Interaction {
    struct Grab {
        std::string body;
        std::optional<Vec3> point;
        Vec3 place = Vec3::Zero();
    };
    struct MoveGrab {
        Vec3 place = Vec3::Zero();
    };
    struct Release {};
    // A sudden momentum, N·s.
    struct Push {
        std::string body;
        std::optional<Vec3> point;
        Vec3 impulse = Vec3::Zero();
    };
    // What is left out stays as it is.
    struct Change {
        std::optional<Vec3> gravity;
        std::optional<double> stiffnessFactor, dampingFactor;
        std::optional<double> addedStiffness, addedDamping;
        std::optional<bool> torques;
    };
    // What is left out is as the scene wishes, else the default.
    struct Choose {
        Settings settings;
    };
    struct Reset {};
    // The targets that draw a body go from where they are to a place, evenly, and stand there. What is left
    // out stays as it is. Position and orientation mean what they do in a scene: those of the target's
    // point and of the body's frame.
    struct AimTarget {
        std::string body;
        std::optional<Vec3> position;
        std::optional<Quat> orientation;
        std::optional<double> over;  // s; never less than a step, which is the default
    };
    // A torque of a joint (force of what slides) beside those that the scene gives it, one number per
    // freedom as in the scene, from now on; zero is none.
    struct Torque {
        std::string joint;
        std::vector<double> torque;
    };
    // What the controllers of a joint aim at, and their gains, instead of what the scene says. What is left
    // out stays as it is.
    struct Control {
        std::string joint;
        std::vector<double> target;
        std::optional<double> stiffness, damping;
    };
    // Spring, damper, limits and motor of a joint, instead of what the scene has of them, its switches
    // included. What is left out stays as it is.
    struct SetJoint {
        std::string joint;
        JointSettings settings;
    };
    // A motor that a hand puts into a joint, beside all that the scene has there: it leads the joint to a
    // target, which moves on at a speed, and gives no more than its strength. What is left out stays as it
    // is; at first that is where the joint is, at rest, without gains or bound. Without gains it is gone.
    struct Motor {
        std::string joint;
        std::vector<double> target, speed;  // one number per freedom
        std::optional<double> stiffness, damping, strength;
    };
    // Whether spring, motors and controllers of a joint act from now on, whatever its switches say; without
    // a name, those of every joint.
    struct Switch {
        std::string joint;
        bool active = true;
    };
    // Numbers of a figure that balances. What is left out stays as it is.
    struct Balance {
        struct Step {
            std::optional<double> time, lift, reach, width, further;
        };
        struct Strength {
            std::string joint;
            std::optional<double> stiffness, damping, limit;
        };
        std::string body;
        std::optional<double> stiffness, damping, sole;
        std::optional<Step> step;
        std::vector<Strength> joints;
    };
    // Numbers of its gait, and of one state or of all of them.
    struct Gait {
        struct Pose {
            std::string joint;
            std::vector<double> coordinate;
        };
        std::string body, state;
        std::optional<double> time, lean;
        std::optional<std::array<double, 2>> distance, speed;
        std::vector<Pose> pose;
        std::optional<double> from, until, heading;
    };
    // Joints, their controllers and figures that balance are as the scene has them again; the motion goes
    // on.
    struct Restore {};
    using Action = std::variant<Grab, MoveGrab, Release, Push, Change, Choose, Reset, AimTarget, Torque,
                                Control, SetJoint, Motor, Switch, Balance, Gait, Restore>;

    std::uint64_t step = 0;  // made before it happened, since the simulation was created
    Action action;
};

}  // namespace sinew
