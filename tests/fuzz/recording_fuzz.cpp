// Recordings of interaction, and the lines that a live run is told.
#include <cstdlib>

#include "fuzz/expect.h"
#include "sinew/recording/recording.h"

using namespace sinew;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = textOf(data, size);
    const auto line = parseLiveLine(text.substr(0, text.find('\n')), "f", 1);
    if (!line && line.error().message.empty()) std::abort();
    const Result<Recording> read = parseRecording(text, "f");
    if (!read) {
        if (read.error().message.empty()) std::abort();
        return 0;
    }
    const std::string written = writeRecording(read.value());
    const Result<Recording> again = parseRecording(written, "f");
    if (!again || writeRecording(again.value()) != written) std::abort();
    return 0;
}
