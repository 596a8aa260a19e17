/** Elements; every text goes in by textContent. */

/** Keeps JupyterLab from taking keys typed here; it looks at the element itself before its ancestors. */
export const NO_SHORTCUTS = { 'data-lm-suppress-shortcuts': 'true' };

/** Makes an element with attributes (functions become listeners) and children (strings become text). */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(name, value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]/gu;

/** Returns a text without what would make it look like another, such as a change of the direction of writing. */
export function printable(text) {
  return text.replace(UNSAFE, '\ufffd');
}

/** Turns a text with `code` in backticks into nodes. */
export function rich(text) {
  return printable(text).split(/`([^`\n]+)`/).map((piece, i) => (i % 2 ? make('code', {}, piece) : piece));
}

/** Draws the hunks of one edit; the label is read out, since the keyboard reaches the diff to scroll it. */
export function drawDiff(hunks, label) {
  const kinds = { '-': 'nbh-gone', '+': 'nbh-come', ' ': 'nbh-same' };
  const numbers = hunks.flatMap(hunk => hunk.rows.map(row => row.line));
  const wide = String(Math.max(...numbers)).length;
  const pre = make('pre', { ...NO_SHORTCUTS, class: 'nbh-code nbh-diff', tabindex: '0', role: 'group', 'aria-label': label });
  hunks.forEach((hunk, number) => {
    if (number) pre.append(make('span', {}, make('span', { class: 'nbh-gutter' }, '…')), '\n');
    for (const { mark, line, parts } of hunk.rows) {
      const tag = mark === '-' ? 'del' : 'ins';
      const pieces = parts.map(part => (part.changed ? make(tag, {}, printable(part.text)) : printable(part.text)));
      const gutter = make('span', { class: 'nbh-gutter' }, `${String(line).padStart(wide)} ${mark} `);
      pre.append(make('span', { class: kinds[mark] }, gutter, ...pieces), '\n');
    }
  });
  pre.lastChild?.remove();
  return pre;
}

/** Puts a text on the clipboard, also where the page is not secure; resolves to whether it went well. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make('textarea', { style: 'position: fixed; opacity: 0' });
    const focused = document.activeElement;
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    focused?.focus();
    return done;
  }
}

/** Calls back once an element is in the page; returns the function that stops waiting. */
export function onAttached(node, callback) {
  let frame = 0;
  const look = () => (node.isConnected ? callback() : (frame = requestAnimationFrame(look)));
  look();
  return () => cancelAnimationFrame(frame);
}
