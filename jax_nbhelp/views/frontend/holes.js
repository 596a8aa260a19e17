/** A hole of a fix as a choice: the likely values with their reasons, and room for another one. */
import { make, NO_SHORTCUTS } from './dom.js';

const OTHER = '\u0000';

/**
 * Draws a hole with the value that stands in it.
 *
 * `take` is called with the value that the user chooses or types.
 */
export function drawHole(hole, value, id, say, take) {
  // An option holds plain text only, so the backticks around code go.
  const label = ({ value: source, reason }) => (reason ? `${source}  (${reason.replaceAll('`', '')})` : source);
  const known = new Map(hole.candidates.map(one => [one.value, label(one)]));
  if (value && !known.has(value)) known.set(value, value);

  const text = make('input', {
    ...NO_SHORTCUTS,
    type: 'text',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-label': say('value_of', { label: hole.label }),
    keydown: event => event.key === 'Enter' && takeText()
  });
  const use = make('button', { type: 'button', class: 'nbh-button', click: takeText }, say('use'));
  const free = make('span', { class: 'nbh-hole', hidden: known.size > 0 }, text, use);
  function takeText() {
    if (text.value.trim()) take(text.value.trim());
  }
  if (!known.size) return make('span', { class: 'nbh-hole' }, make('span', {}, hole.label), free);

  const option = ([one, shown]) => make('option', { value: one, selected: one === value }, shown);
  const options = [...known, [OTHER, say('other')]].map(option);
  if (!value) options.unshift(option(['', say('choose')]));
  const select = make('select', { ...NO_SHORTCUTS, id, change }, ...options);
  function change() {
    free.hidden = select.value !== OTHER;
    if (select.value === OTHER) text.focus();
    else take(select.value);
  }
  return make('span', { class: 'nbh-hole' }, make('label', { for: id }, hole.label), select, free);
}

/** Puts the keyboard into a drawn hole. */
export function focusHole(node) {
  [...node.querySelectorAll('select, input')].find(field => !field.closest('[hidden]'))?.focus();
}
