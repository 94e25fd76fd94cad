// What fills the space around bodies, meshes and particles: winds, gusts, vortices, attractors; and the two
// laws by which the medium resists. The evaluation is in sinew/field.
//
//     wind       u = velocity
//     gusts      u = Σ a_m w(k_m · (x − velocity t) + f_m t + p_m)    waves across their own directions, so
//                    that the air neither gathers nor thins out: ∇·u = 0
//     vortex     u = 2 speed ρ radius / (radius² + ρ²)  around the axis, ρ from it: `speed` at `radius`
//                    (Scully's vortex: as smooth as Lamb and Oseen's, without an exponential)
//     attractor  a = strength d / s^(exponent + 1)  toward the place, s² = |d|² + softening²
//
// The air's velocity is the sum of all winds, gusts and vortices, each times its signal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/model/signal.h"

namespace sinew {

// A wave of gusts in the field's own frame. Phases are counted in turns.
struct GustWave {
    Vec3 amplitude = Vec3::Zero();  // m/s, at right angles to `wave`
    Vec3 wave = Vec3::Zero();       // turns per metre
    double frequency = 0;           // turns per second, of the air at rest
    double phase = 0;
};

// As a scene says it. Compiled it is the same, with unit vectors and waves.
struct FieldDescription {
    enum class Type { wind, gusts, vortex, attractor };
    std::string name;
    Type type = Type::wind;
    std::optional<Signal> signal;  // times this

    Vec3 velocity = Vec3::Zero();  // wind: of the air; gusts: what carries them along
    double speed = 0;              // gusts: root mean square; vortex: the largest, at `radius`
    double size = 1;               // gusts: m, from one to the next
    double duration = 0;           // gusts: s, how long they last; 0: they do not change by themselves
    std::uint32_t seed = 0;        // gusts
    bool mirrored = false;         // gusts: the mirror image, along x, of what the seed gives
    Vec3 position = Vec3::Zero();  // gusts: of their frame; vortex: of its axis; attractor: its own
    Quat orientation = Quat::Identity();  // gusts: of their frame
    Vec3 axis = Vec3(0, 1, 0);            // vortex: the air turns about it as a right hand's fingers
    double radius = 0;                    // vortex: of its core
    double strength = 0;   // attractor: what it does at 1 m without softening; < 0: it repels
    int exponent = 2;      // attractor: −1 (as a spring) to 4
    double softening = 0;  // attractor: m
    bool byMass = true;    // attractor: an acceleration, m/s²; otherwise a force, N

    std::vector<GustWave> waves;  // gusts: made by compile()

    bool moves() const { return type != Type::attractor; }  // is part of the air's velocity
};

// Makes the waves of gusts out of their seed: compile() does, once.
void makeGustWaves(FieldDescription& gusts);

// How the medium holds a body back that moves against it by v: f = −(6π η r + ½ ρ c A |v|) v.
struct Drag {
    double radius = 0;  // r, m
    double area = 0;    // c A, m²: the area across times its coefficient
};

}  // namespace sinew
