// Figures that stand, step and walk by the torques of their own joints: what a scene says of it, and the
// same compiled. What it does is in control/.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/model/signal.h"
#include "sinew/model/strength.h"

namespace sinew {

// Where the capture point leaves the feet, the figure steps onto it.
struct CaptureStepDescription {
    double time = 0.3;    // s that a foot is in the air
    double lift = 0.06;   // of the length of the leg: how high the foot is lifted
    double reach = 0.45;  // likewise: how far from below the hip it is put down at most
    double width = 0.1;   // likewise: how near the two feet may come sideways
    double further = 0;   // likewise: how far beyond the capture point, in the way of the fall
};
// A state of the gait: one foot bears, the other swings, until a time or a touch.
struct GaitStateDescription {
    std::string name;
    std::string stance;          // the foot that bears
    std::optional<double> time;  // s until the next one…
    bool touch = false;          // …or until the other foot touches
    std::string next;
    std::vector<JointPoseDescription> pose;  // others are at rest
    double lean = 0;                         // rad, of the body, forward
    // How far the swing leg is turned for each metre that the centre of mass is from the bearing ankle,
    // and for each m/s that it moves: forward and sideways.
    std::array<double, 2> distance = {0, 0}, speed = {0, 0};  // rad/m, rad·s/m
};
struct GaitDescription {
    std::vector<GaitStateDescription> states;
    std::string start;              // the first state
    double from = 0;                // s: until then it stands
    std::optional<double> until;    // s: from then on it stands again; for ever where not given
    std::optional<Signal> heading;  // rad, about up, from where it looks at rest
};
struct BalanceDescription {
    using Strength = StrengthDescription;
    using Pose = JointPoseDescription;
    using Step = CaptureStepDescription;
    using State = GaitStateDescription;
    using Gait = GaitDescription;

    std::string body;               // what the legs hang from: the root of its skeleton
    std::vector<std::string> feet;  // one or two
    Vec3 forward = Vec3::UnitZ();   // where it looks at rest, world
    std::vector<Strength> joints;
    double stiffness = 0;  // N/m, of the centre of mass over the feet
    double damping = 0;    // N·s/m
    double sole = 0.8;     // the part of each sole, from its middle, that pressure is wanted in
    std::optional<Step> step;
    std::optional<Gait> gait;
    // Of all that it gives: 0 leaves the figure to others, and from where it is then it begins anew.
    std::optional<Signal> weight;
};

// ---- compiled -------------------------------------------------------------------------------

struct BalanceLeg {
    int foot = 0;                   // tree index
    int hip = 0;                    // the joint at the body
    std::vector<int> joints;        // with strength and without, from the body to the foot
    Vec3 sole = Vec3::Zero();       // its middle: foot axes, from the centre of mass
    Vec3 ankle = Vec3::Zero();      // where the last joint is, likewise
    Vec3 forward = Vec3::UnitZ();   // foot axes
    Vec3 sideways = Vec3::UnitX();  // foot axes; up × forward
    double halfLength = 0, halfWidth = 0;
    double length = 0;        // from hip to sole
    double straight = 0;      // from hip to ankle, stretched
    std::vector<int> bodies;  // the foot and all beyond it, whose touches count
};

struct Balance {
    // In State::memory, from `memory` on.
    enum Memory {
        mode,    // Mode
        since,   // when it began, or its state did
        swing,   // the leg that is in the air
        lifted,  // where that foot was when it left the ground; standing: how far the body was from its
        turned = lifted + 3,  // place when that began: three numbers, and four of the turn
        state = turned + 4,   // of the gait
        heading,              // rad, from where it looks at rest: of the step
        firm,                 // when both feet last stood
        steps,                // taken so far
        asleep,               // 1: it has no weight
        memorySize
    };
    enum Mode { standing, stepping, walking };
    struct Strength {
        int joint = 0;  // tree index
        int slot = 0;   // as of its Servo
    };
    struct State {
        int stance = 0;  // leg
        double time = std::numeric_limits<double>::infinity();
        bool touch = false;
        int next = 0;
        std::vector<std::vector<double>> pose;  // per strength, coordinates of the tree
        double lean = 0;
        std::array<double, 2> distance = {0, 0}, speed = {0, 0};
    };

    int body = 0;
    int skeleton = 0;
    Vec3 up = Vec3::UnitY(), forward = Vec3::UnitZ();  // world
    double gravity = 0;                                // m/s²
    double mass = 0;
    std::vector<BalanceLeg> legs;
    std::vector<Strength> joints;
    double stiffness = 0, damping = 0, sole = 0;
    // At rest, from the middle between the soles: forward, sideways, up.
    Vec3 center = Vec3::Zero(), place = Vec3::Zero();
    Quat orientation = Quat::Identity();  // of the body at rest
    std::optional<BalanceDescription::Step> step;
    std::vector<State> states;
    int start = 0;
    double from = std::numeric_limits<double>::infinity(), until = std::numeric_limits<double>::infinity();
    std::optional<Signal> turn, weight;
    int memory = 0;
};

}  // namespace sinew
