/** What a help does to the notebook, all or nothing. */
import { applyHunks } from './text.js';

/**
 * Returns the editor of one help.
 *
 * What is applied is read from the cells and kept nowhere, so that it holds after a reload of the page, after
 * Ctrl+Z in a cell, and for two views of one help. A problem is {key, cell}: a phrase and the cell it is about.
 */
export function makeEditor(notebook, payload) {
  const { cells, fixes } = payload;
  const made = new WeakMap();
  let last = null;

  function targets(variant) {
    if (!made.has(variant)) {
      made.set(variant, new Map(variant.edits.map(edit => [edit.cell, applyHunks(cells[edit.cell].text, edit.hunks)])));
    }
    return made.get(variant);
  }

  const stands = (texts, now) => texts.size > 0 && [...texts].every(([index, text]) => now(index) === text);

  /** Returns the texts of the fix that is in the cells now, by cell; null where none is. */
  function applied() {
    const read = new Map();
    const now = index => {
      if (!read.has(index)) read.set(index, notebook.read(cells[index]));
      return read.get(index);
    };
    for (const fix of fixes) {
      for (const variant of fix.variants) {
        if (stands(targets(variant), now)) return targets(variant);
      }
    }
    return null;
  }

  function problem(wanted, alsoRead, expected, changed = 'edited') {
    for (const index of new Set([...wanted.keys(), ...alsoRead])) {
      const cell = cells[index];
      if (!notebook.exists(cell)) return { key: 'deleted', cell };
      if (notebook.read(cell) !== expected(index)) return { key: changed, cell };
      if (wanted.has(index) && notebook.locked(cell)) return { key: 'locked', cell };
    }
    return null;
  }

  function write(wanted) {
    for (const [index, text] of wanted) {
      if (notebook.read(cells[index]) !== text) notebook.write(cells[index], text);
    }
  }

  const originals = texts => new Map([...texts.keys()].map(index => [index, cells[index].text]));

  return {
    applied,
    isApplied: variant => stands(targets(variant), index => notebook.read(cells[index])),
    /** Whether there is something of ours to take back, or was before the user went on editing. */
    undoable: () => applied() !== null || (last !== null && !stands(originals(last), i => notebook.read(cells[i]))),
    /** Puts a variant into the cells, in place of another one that may stand there; returns a problem or null. */
    apply(variant, run = []) {
      const before = applied() ?? new Map();
      const wanted = new Map([...originals(before), ...targets(variant)]);
      const found = problem(wanted, run, index => before.get(index) ?? cells[index].text);
      if (found) return found;
      write(wanted);
      last = targets(variant);
      return null;
    },
    /** Puts the cells' first texts back; returns a problem or null. */
    undo() {
      const before = applied() ?? last;
      const wanted = originals(before);
      const found = problem(wanted, [], index => before.get(index), 'undo_edited');
      if (found) return found;
      write(wanted);
      last = null;
      return null;
    },
    copyOf: variant => [...targets(variant).values()].join('\n\n'),
    /** Returns what to put into new cells: one, unless a cell magic takes the whole of its cell. */
    newCells(variant) {
      const texts = [...targets(variant).values()];
      return texts.some(text => text.trimStart().startsWith('%%')) ? texts : [texts.join('\n\n')];
    }
  };
}
