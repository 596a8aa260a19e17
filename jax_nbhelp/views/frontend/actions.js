/** What the buttons do; each says how it went through `tell`. */
import { cellAdder } from './colab.js';
import { copy } from './dom.js';
import { makeEditor } from './editor.js';
import { makeHere } from './here.js';
import { showToast } from './toast.js';

const SETTLE = 2_000;

/**
 * Returns the actions of a help.
 *
 * `view` has `say`, `tell`, `write`, `send` a message to the kernel, `nameOf` a cell, `names` of cells by their numbers,
 * `shown` (whether the widget is on the page) and `redraw`.
 */
export function makeActions(notebook, model, payload, choices, view) {
  const { cells } = payload;
  const { say, tell, names, nameOf } = view;
  const editor = makeEditor(notebook, payload);
  const here = makeHere(model, payload, choices, view);
  const addCell = cellAdder();
  const edited = variant => names(variant.edits.map(edit => edit.cell));
  const refuse = ({ key, cell }) => tell(key, { cell: nameOf(cell) }, 'problem');
  let running = false;
  let ran = false;

  async function runAll(indices) {
    for (const index of indices) {
      tell('running', { run: names([index]) }, 'doing');
      if (!(await notebook.run(cells[index]))) return say('run_failed', { run: names([index]) });
    }
    return null;
  }

  async function applyAndRun() {
    const variant = choices.variant;
    if (notebook.kernel() === 'busy') tell('waiting', {}, 'doing');
    await notebook.settle(SETTLE);
    const kernel = notebook.kernel();
    if (kernel !== 'idle') {
      tell(kernel, {}, 'problem');
      return;
    }
    const found = editor.apply(variant, variant.run);
    if (found) {
      refuse(found);
      return;
    }
    ran = true;
    const page = notebook.page();
    const failed = await runAll(variant.run);
    const outcome = failed ?? say('ran', { edited: edited(variant) });
    view.write(outcome, failed ? 'problem' : 'done');
    if (view.shown()) return;
    const watch = gone => notebook.watch(() => editor.undoable() || gone());
    const leave = () => notebook.focus(page);
    showToast(page, { text: outcome, undo: [say('undo'), () => undone()[0]], close: say('close') }, watch, leave);
    if (document.activeElement === document.body) leave();
  }

  /** Takes the edit back; returns what to say about it and how. */
  function undone() {
    const texts = editor.applied();
    const found = editor.undo();
    if (found) return [say(found.key, { cell: nameOf(found.cell) }), 'problem'];
    return [say(ran ? 'undone_ran' : 'undone', { edited: names([...texts.keys()]) }), 'done'];
  }

  return {
    editor,
    here,
    canInsert: addCell !== null,
    get running() {
      return running || here.running;
    },
    apply() {
      const variant = choices.variant;
      const found = editor.apply(variant);
      if (found) refuse(found);
      else tell('applied', { edited: edited(variant) });
    },
    async run() {
      if (running) {
        tell('still_running', {}, 'problem');
        return;
      }
      running = true;
      view.redraw();
      try {
        await applyAndRun();
      } finally {
        running = false;
      }
    },
    runHere: () => here.run(),
    async insert() {
      for (const text of editor.newCells(choices.variant)) await addCell(text);
      tell('inserted');
    },
    undo: () => view.write(...undone()),
    async copy() {
      const done = await copy(editor.copyOf(choices.variant));
      tell(done ? 'copied' : 'not_copied', {}, done ? 'done' : 'problem');
    },
    async report() {
      const done = await copy(payload.report);
      tell(done ? 'reported' : 'not_copied', {}, done ? 'done' : 'problem');
    }
  };
}
