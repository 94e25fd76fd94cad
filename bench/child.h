// Work in a process of its own, with a bound on time and memory, and the clock that all benchmarks go by.
#pragma once

#include <functional>
#include <string>

#include "sinew/io/json/json.h"

namespace sinew::bench {

// Processor time of this process. Every engine here runs on one thread, so on an idle machine this is wall
// time, and on a shared one it leaves out what the others take.
double processorSeconds();

// An engine that explodes may also abort, throw or run out of memory. The result comes back as JSON text,
// or as an object with the key `failure`. What the engine itself has to say about it goes to the file
// `complaints`.
json::Value inChild(double seconds, const std::string& complaints,
                    const std::function<json::Value()>& work);

// Not a number, or empty, where the object has none.
double numberOf(const json::Value& object, const char* key);
std::string textOf(const json::Value& object, const char* key);

}  // namespace sinew::bench
