// The engines that are there, as chains and trees of ball joints, hinges and a free root.
#pragma once

#include "harness.h"

namespace sinew::bench {

enum class SimbodyMethod : int;

std::unique_ptr<ChainEngine> makeBulletChain(const ChainCase& chain, double h);
std::unique_ptr<ChainEngine> makeDartChain(const ChainCase& chain, double h);
std::unique_ptr<ChainEngine> makeMujocoChain(const ChainCase& chain, double h);
std::unique_ptr<ChainEngine> makeSimbodyChain(const ChainCase& chain, double h, SimbodyMethod method);

}  // namespace sinew::bench
