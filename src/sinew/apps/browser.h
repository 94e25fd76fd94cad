// The browser of whoever sits at the machine.
#pragma once

#include <string>

namespace sinew {

// Shows a file: by $BROWSER where it is set, else by what the system opens files with. It goes on by itself
// when the command has ended. False if nothing could be started, or it gave up at once.
bool openInBrowser(const std::string& path);

// "file:///tmp/a%20b/index.html"
std::string fileUrl(const std::string& path);

}  // namespace sinew
