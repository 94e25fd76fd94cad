// The checks of signals in a description. Not a public header.
#pragma once

#include "sinew/model/check.h"
#include "sinew/model/signal.h"

namespace sinew::compiling {

void checkSignal(const Signal& signal, const std::string& pointer, Checker& check);
// The times of two keys in a row.
void checkRise(double before, double now, const std::string& pointer, Checker& check);
// One per freedom, or none.
void checkSignals(const std::vector<Signal>& signals, int freedoms, const std::string& pointer,
                  Checker& check);

}  // namespace sinew::compiling
