// Impulses that hold contacts and closed loops: d = d0 + W μ under Coulomb's law (contact/delassus.h).
#pragma once

#include <vector>

#include "sinew/contact/delassus.h"

namespace sinew {

struct ConstraintSolverSettings {
    enum class Choice { automatic, exact, iterative };
    Choice choice = Choice::automatic;
    int sweeps = 200;         // of the iterative one, at most
    double tolerance = 1e-9;  // m
};

// How far the answer is from being one, over all blocks, each as a displacement in metres.
struct ConstraintReport {
    double complementarity = 0;  // of normal impulse and gap, and of slip and friction
    double cone = 0;             // friction beyond what the normal impulse allows
    double penetration = 0;      // the largest d_n below zero
    double equality = 0;         // the largest |d| of an equality row
    int sweeps = 0;              // the most that any island took; of the exact solver, its iterations
    bool reachedCap = false;     // an island stopped there, not at the tolerance
};

// Memory for solving, kept from call to call.
struct ConstraintSolverWork;

}  // namespace sinew
