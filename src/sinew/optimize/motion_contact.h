// Contacts and holds of a planned motion (optimize/motion_problem.h): the forces that they transmit, which
// are variables, and that what touches stays where it is.
//
// A phase has places, three numbers each: a contact the forces at its points; a hold the force at the
// centre of mass of what is held, and a torque.
#pragma once

#include "sinew/optimize/motion_problem.h"

namespace sinew {

inline int placesOf(const ContactPhase& phase)
{
    return phase.isHold() ? 2 : static_cast<int>(phase.points.size());
}
// What is on at a time: function(phase, its first place among all that are).
template <class Function>
void eachPhase(const MotionProblem& problem, double time, Function&& function)
{
    int place = 0;
    for (const ContactPhase& phase : problem.phases) {
        if (!phase.isOn(time)) continue;
        function(phase, place);
        place += placesOf(phase);
    }
}
// function(phase, which of its places, which of all)
template <class Function>
void eachPlace(const MotionProblem& problem, double time, Function&& function)
{
    eachPhase(problem, time, [&](const ContactPhase& phase, int first) {
        for (int k = 0; k < placesOf(phase); ++k) function(phase, k, first + k);
    });
}
int placesAt(const MotionProblem& problem, double time);

// N or N·m: what the three numbers of a place are measured by.
double placeUnit(const MotionProblem& problem, const ContactPhase& phase, int place);

// Adds the force f at a place, and how it changes as bodies turn. It pushes the body, and what holds it
// back.
void addPlaceForce(const State& state, const ContactPhase& phase, int place, const Vec3& f, Forces& forces,
                   ForceTangents* tangents);
// 3 × freedoms: how the place moves, against what holds it. Its transpose makes joint forces of f.
void placeJacobian(const Model& model, const State& state, const ContactPhase& phase, int place, MatX& J);

// That a phase begins closed and at rest; and that it stays so, of a stage that inverse dynamics has been
// through (accelerations in body axes).
void addBeginRows(const MotionMoment& moment, const MotionProblem& problem, const ContactPhase& phase,
                  int name, MotionRows& rows);
void addRestRows(const MotionMoment& moment, const LargeVector<Motion>& accelerations,
                 const ContactPhase& phase, int name, double scale, double length, MotionRows& rows);

}  // namespace sinew
