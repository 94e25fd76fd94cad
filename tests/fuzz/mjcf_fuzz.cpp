// Any bytes are a scene or a line that says why not; what compiles stays finite over a step or is reported.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/expect.h"
#include "sinew/io/file_error.h"
#include "sinew/io/mjcf/mjcf.h"
#include "sinew/model/model.h"

namespace {

// A model that others attach.
constexpr const char* arm =
    "<mujoco model='arm'><compiler angle='radian'/><default><joint "
    "stiffness='2'/></default><worldbody><body name='a'>"
    "<joint name='j'/><geom size='.1'/></body></worldbody><actuator><motor joint='j'/></actuator></mujoco>";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text = sinew::textOf(data, size);
    const sinew::Result<sinew::Imported> imported =
        sinew::parseMjcf(text, "fuzz.xml",
                         [](const std::string& path) -> sinew::Result<std::string> {
                             if (path == "part.xml")
                                 return std::string("<mujocoinclude><default/></mujocoinclude>");
                             if (path == "arm.xml") return std::string(arm);
                             if (path == "a.obj")
                                 return std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\n");
                             return sinew::fileError(path, "there is no such file");
                         },
                         {"home", {}});
    if (!imported) {
        if (imported.error().message.empty()) __builtin_trap();
        return 0;
    }
    const sinew::Result<sinew::Model> model = sinew::compile(imported.value().scene);
    if (!model && model.error().message.empty()) __builtin_trap();
    return 0;
}
