// Puts data into the viewer's page. The rule is short enough to be repeated in C++:
// write the JSON with every `<` as \u003c, then replace the one marker by it.

export const marker = '@SINEW_DATA@';

/**
 * JSON that may stand inside a <script> element. `<` occurs in JSON inside strings only, where \u003c
 * means the same; without any `<` neither `</script>` nor `<!--` can be read by the HTML parser.
 */
export function toScriptJson(value) {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** The finished page. Cut and joined, because `replace` would look for `$&` in the data. */
export function embed(page, value) {
  const parts = page.split(marker);
  if (parts.length !== 2) throw new Error(`the page must hold ${marker} once, not ${parts.length - 1} times`);
  return parts[0] + toScriptJson(value) + parts[1];
}
