// Any bytes are a scene or a line that says why not; what compiles stays finite over a step or is reported.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.h"
#include "sinew/io/file_error.h"
#include "sinew/io/mjcf/mjcf.h"
#include "sinew/model/model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text = sinew::textOf(data, size);
    const sinew::Result<sinew::Imported> imported =
        sinew::parseMjcf(text, "fuzz.xml", [](const std::string& path) -> sinew::Result<std::string> {
            if (path == "part.xml") return std::string("<mujocoinclude><default/></mujocoinclude>");
            return sinew::fileError(path, "there is no such file");
        });
    if (!imported) {
        if (imported.error().message.empty()) __builtin_trap();
        return 0;
    }
    const sinew::Result<sinew::Model> model = sinew::compile(imported.value().scene);
    if (!model && model.error().message.empty()) __builtin_trap();
    return 0;
}
