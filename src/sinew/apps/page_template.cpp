// The assembler takes files as they are; a C++ array of their bytes would take a minute to compile.
#include "sinew/apps/page_template.h"

#include "sinew/base/assert.h"

#define SINEW_STRING_OF(x) #x
#define SINEW_STRING(x) SINEW_STRING_OF(x)
#define SINEW_SYMBOL(name) SINEW_STRING(__USER_LABEL_PREFIX__) #name
#ifdef __APPLE__
#define SINEW_CONSTANTS "__TEXT,__const"
#else
#define SINEW_CONSTANTS ".rodata"
#endif
// clang-format off
#define SINEW_EMBED(name, file)                       \
    asm(".pushsection " SINEW_CONSTANTS "\n"          \
        ".global " SINEW_SYMBOL(name) "\n"            \
        ".global " SINEW_SYMBOL(name##End) "\n"       \
        SINEW_SYMBOL(name) ":\n"                      \
        ".incbin \"" file "\"\n"                      \
        SINEW_SYMBOL(name##End) ":\n"                 \
        ".byte 0\n"                                   \
        ".popsection\n");                             \
    extern "C" const char name[], name##End[]
// clang-format on

SINEW_EMBED(sinewViewer, SINEW_VIEWER_FILE);
#ifdef SINEW_ENGINE_FILE
SINEW_EMBED(sinewEngine, SINEW_ENGINE_FILE);
#endif

namespace sinew {

namespace {

constexpr std::string_view dataMarker = "@SINEW_DATA@";
constexpr std::string_view characterMarker = "@SINEW_CHARACTER@";
constexpr std::string_view engineMarker = "@SINEW_ENGINE@";

// What stands before the marker; `rest` becomes what stands behind it.
std::string_view cutAt(std::string_view marker, std::string_view& rest)
{
    const std::size_t place = rest.find(marker);
    SINEW_ASSERT(place != std::string_view::npos);
    const std::string_view before = rest.substr(0, place);
    rest.remove_prefix(place + marker.size());
    SINEW_ASSERT(rest.find(marker) == std::string_view::npos);
    return before;
}

}  // namespace

const PageTemplate& pageTemplate()
{
    static const PageTemplate parts = [] {
        std::string_view rest(sinewViewer, static_cast<std::size_t>(sinewViewerEnd - sinewViewer));
        PageTemplate cut;
        cut.head = cutAt(dataMarker, rest);
        cut.afterData = cutAt(characterMarker, rest);
        cut.afterCharacter = cutAt(engineMarker, rest);
        cut.tail = rest;
        return cut;
    }();
    return parts;
}

std::string_view packedEngine()
{
#ifdef SINEW_ENGINE_FILE
    std::string_view text(sinewEngine, static_cast<std::size_t>(sinewEngineEnd - sinewEngine));
    while (text.ends_with('\n')) text.remove_suffix(1);
    return text;
#else
    return {};
#endif
}

}  // namespace sinew
