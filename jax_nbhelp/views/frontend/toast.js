/**
 * The note that stays after a run.
 *
 * A cell that runs again loses its outputs, and with them the widget; this note keeps Undo at hand. It belongs
 * to the page and not to the notebook, so that nothing of it is saved.
 */
import { make } from './dom.js';

const LIFETIME = 30_000;

/** Shows a note in a page in place of the last one; an action is [label, function giving the new text]. */
export function showToast(page, text, action, closeLabel) {
  const parent = page ?? document.body;
  parent.querySelector(':scope > .nbh-toast')?.remove();
  const note = make('span', { role: 'status' });
  const act = make('button', { type: 'button', class: 'nbh-button', click: () => {
    note.textContent = action[1]();
    act.remove();
  } }, action[0]);
  const close = make('button', { type: 'button', class: 'nbh-button', 'aria-label': closeLabel, click: () => toast.remove() }, '×');
  const toast = make('div', { class: 'jax-nbhelp nbh-toast' }, note, act, close);
  parent.append(toast);
  // A live region announces what changes in it after it is there.
  note.textContent = text;
  const leave = () => (toast.matches(':hover, :focus-within') ? setTimeout(leave, LIFETIME) : toast.remove());
  setTimeout(leave, LIFETIME);
}
