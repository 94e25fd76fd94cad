// sinew make chain: a scene for benchmarks.
#include <fmt/core.h>

#include <cmath>

#include "sinew/apps/commands.h"
#include "sinew/apps/exit_code.h"
#include "sinew/apps/files.h"
#include "sinew/apps/text.h"
#include "sinew/io/json/scene.h"
#include "sinew/model/model.h"

namespace sinew {

namespace {

constexpr int mostLinks = 100'000;

// The first option that makes no chain, as a line, or empty.
std::string optionFault(const ChainOptions& options)
{
    if (options.links < 1 || options.links > mostLinks)
        return fmt::format("--links: must be from 1 to {}, not {}", mostLinks, options.links);
    const struct {
        const char* name;
        double value;
        bool zeroAllowed;
    } numbers[] = {{"--length", options.length, false},      {"--mass", options.mass, false},
                   {"--radius", options.radius, false},      {"--tip-ratio", options.tipRatio, false},
                   {"--stiffness", options.stiffness, true}, {"--damping", options.damping, true}};
    for (const auto& number : numbers) {
        if (std::isfinite(number.value) && (number.value > 0 || (number.zeroAllowed && number.value == 0)))
            continue;
        return fmt::format("{}: must be a {} number, not {}", number.name,
                           number.zeroAllowed ? "non-negative" : "positive", number.value);
    }
    return {};
}

}  // namespace

int makeChainFile(const ChainOptions& options, const std::string& output)
{
    if (const std::string fault = optionFault(options); !fault.empty()) return fail(fault);
    const Description description = makeChain(options);
    // Numbers can each be fine and still make no body: a mass of 1e-300 has no inertia.
    if (Result<Model> model = compile(description); !model) return fail(model.error());
    if (const std::string fault = writeWhole(output, writeScene(description)); !fault.empty())
        return fail(fault);
    fmt::print("{}: a chain of {}\n", printable(output), counted(options.links, "link", "links"));
    return exitDone;
}

}  // namespace sinew
