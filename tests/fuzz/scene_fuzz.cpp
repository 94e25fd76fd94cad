// Scenes: read or refused, compiled or refused, never more.
#include <cstdlib>

#include "fuzz/expect.h"
#include "sinew/io/json/scene.h"
#include "sinew/state/state.h"

using namespace sinew;

namespace {

void expectOneLine(const Diagnostic& error)
{
    if (error.message.empty() || error.text().find('\n') != std::string::npos) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<Description> scene = parseScene(textOf(data, size), "f");
    if (!scene) return expectOneLine(scene.error()), 0;
    // What was read can be written and read again to the same text.
    const std::string text = writeScene(scene.value());
    const Result<Description> again = parseScene(text, "f");
    if (!again || writeScene(again.value()) != text) std::abort();

    const Result<Model> model = compile(scene.value());
    if (!model) return expectOneLine(model.error()), 0;
    const auto state = initialState(model.value(), scene.value());
    if (!state) expectOneLine(state.error());
    return 0;
}
