// Whether a sanitizer watches this build: it takes several times the time, and memory as it likes.
#pragma once

namespace sinew::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool isSanitized = true;
#else
constexpr bool isSanitized = false;
#endif

}  // namespace sinew::test
