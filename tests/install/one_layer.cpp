// One layer and what is below it, by the headers that are used.
#include "sinew/simulation/simulation.h"

int main()
{
    return sinew::Simulation::create({}, {.solver = "no such method", .integrator = "", .step = {}}) ? 1
                                                                                                     : 0;
}
