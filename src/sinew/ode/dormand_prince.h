// Dormand & Prince 1980, RK5(4)7M: fifth order, an error by the embedded method of fourth order, steps as
// long as the tolerance allows by a PI controller (Hairer, Nørsett & Wanner, Solving Ordinary Differential
// Equations I, II.4, II.5; IV.2 for the controller), and a dense output of fourth order inside of each step
// (II.6). The last stage is the first one of the next step.
//
//     ode::Flow flow(system, 0, y);            the motion, computed as far as it is asked for
//     for (double t : frames) flow.at(t, y);
//
// As a row of the table (ode/schemes.h) it steps inside h and lands on t + h.
#pragma once

#include "sinew/ode/runge_kutta.h"

namespace sinew::ode {

bool dormandPrinceStep(FirstOrder& system, double t, double h, Out y, Work& work);

class Flow {
public:
    // `first`: the step to try at first; zero: it is guessed from the rates.
    Flow(FirstOrder& system, double t, In y, const Tolerance& tolerance = {}, double first = 0);

    // The state at t, which must not lie before the last step; in a chart, in that of the start of this
    // step. False: the motion could not be followed so far.
    [[nodiscard]] bool at(double t, Out y);
    double stepStart() const { return from_; }
    double stepEnd() const { return to_; }
    const Statistics& statistics() const { return work_.statistics; }

private:
    bool advance();

    FirstOrder& system_;
    Work work_;
    double from_, to_;
    std::vector<double> end_;  // the state at to_; the one at from_ is work_.y
    bool isMoved_ = false;     // the chart is still that of from_
};

}  // namespace sinew::ode
