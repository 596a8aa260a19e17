/** Texts: phrases, cells' sources and the diffs between them. */

/** Fills the {names} of a phrase and begins it with a capital. */
export function phrase(template, values = {}) {
  const text = template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const line = row => row.parts.map(part => part.text).join('');

/** Makes the edit that the diff on screen shows. */
export function applyHunks(source, hunks) {
  const lines = source.split('\n');
  for (const hunk of [...hunks].reverse()) {
    const gone = hunk.rows.filter(row => row.mark !== '+').length;
    const come = hunk.rows.filter(row => row.mark !== '-').map(line);
    lines.splice(hunk.start - 1, gone, ...come);
  }
  return lines.join('\n');
}

/** Returns the one range in which two texts differ: [start, end in the old text, new text]. */
export function changedRange(old, text) {
  const most = Math.min(old.length, text.length);
  let start = 0;
  while (start < most && old[start] === text[start]) start++;
  let tail = 0;
  while (tail < most - start && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  // Half of a surrogate pair would be stored as U+FFFD.
  if (/[\uD800-\uDBFF]/.test(old[start - 1] ?? '')) start--;
  if (/[\uDC00-\uDFFF]/.test(old[old.length - tail] ?? '')) tail--;
  return [start, old.length - tail, text.slice(start, text.length - tail)];
}
