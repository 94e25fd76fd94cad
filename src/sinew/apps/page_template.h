// What every page is made of: the viewer, and the engine where the build has one. Both are part of the
// command itself, which needs no other file once it is installed.
#pragma once

#include <string_view>

namespace sinew {

// web/dist/viewer.html, cut where data, character and engine belong: one of them after each part but the
// last.
struct PageTemplate {
    std::string_view head, afterData, afterCharacter, tail;
};
const PageTemplate& pageTemplate();

// The engine as base64 of gzip of WebAssembly; empty where there is none.
std::string_view packedEngine();

}  // namespace sinew
