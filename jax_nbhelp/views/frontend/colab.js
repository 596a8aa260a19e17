/** Colab: its pages let an output add a cell to the notebook, and change none. */

/** Returns the function that adds a cell with a text below, or null where the page has none. */
export function cellAdder() {
  const colab = globalThis.google?.colab?.notebook;
  return typeof colab?.addCell === 'function' ? text => colab.addCell(text, 'code') : null;
}
