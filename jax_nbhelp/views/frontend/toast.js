/**
 * The note that stays after a run.
 *
 * A cell that runs again loses its outputs, and with them the widget; this note keeps Undo at hand. It belongs
 * to the page and not to the notebook, so that nothing of it is saved.
 */
import { make } from './dom.js';

const LIFETIME = 30_000;

/**
 * Shows a note in a page, in place of the last one.
 *
 * `undo` is a label and a function that gives the text to show next; `watch` is given the function that removes
 * the note, to call when there is nothing left to undo, and returns the function that ends its watch; `leave` is
 * called when the note goes that had the keyboard.
 */
export function showToast(page, { text, undo: [label, undo], close }, watch, leave) {
  const parent = page ?? document.body;
  parent.querySelector(':scope > .nbh-toast')?.remove();
  const note = make('span', { role: 'status' });
  const button = (attributes, name, click) => make('button', { type: 'button', class: 'nbh-button', click, ...attributes }, name);
  const back = button({}, label, () => {
    stop();
    note.textContent = undo();
    end.focus();
    back.remove();
  });
  const end = button({ 'aria-label': close }, '×', remove);
  const toast = make('div', { class: 'jax-nbhelp nbh-toast', keydown }, note, back, end);
  const stop = watch(remove);
  function remove() {
    const focused = toast.contains(document.activeElement);
    stop();
    toast.remove();
    if (focused) leave();
  }
  function keydown(event) {
    if (event.key === 'Escape') remove();
    // The classic notebook takes letters and Enter for commands wherever they are typed.
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  }
  parent.append(toast);
  // A live region announces what changes in it once it is there.
  note.textContent = text;
  const expire = () => (toast.matches(':hover, :focus-within') ? setTimeout(expire, LIFETIME) : remove());
  setTimeout(expire, LIFETIME);
}
