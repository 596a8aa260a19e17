/** The classic notebook 6.5: its cells have no ids, so that a cell is known by its text and its number. */
import { changedRange } from './text.js';

const IDLE = 'kernel_idle.Kernel';
const GONE = 'kernel_restarting.Kernel kernel_killed.Kernel kernel_dead.Kernel';
const NEW_KERNEL = 'kernel_restarting.Kernel kernel_created.Session';
const CHANGED = `change.Cell create.Cell delete.Cell kernel_ready.Kernel kernel_busy.Kernel ${IDLE} ${GONE}`;

/** Returns the notebook around a widget, or null where there is none. */
export function classicNotebook(_model, el) {
  const notebook = globalThis.Jupyter?.notebook;
  if (!notebook?.get_cells) return null;
  const { events } = notebook;
  const known = new Map();
  let restarted = false;

  function find(cell) {
    const code = notebook.get_cells().filter(one => one.cell_type === 'code');
    const kept = known.get(cell);
    if (kept && code.includes(kept)) return kept;
    const own = code.find(one => one.element[0].contains(el));
    const alike = code.filter(one => one.get_text() === cell.text);
    const numbered = alike.filter(one => cell.count !== null && one.input_prompt_number === cell.count);
    const found = alike.includes(own) ? own : (numbered[0] ?? (alike.length === 1 ? alike[0] : null));
    if (found) known.set(cell, found);
    return found;
  }

  function kernel() {
    if (!notebook.kernel?.is_connected()) return 'no_kernel';
    if (restarted) return 'restarted';
    return notebook.kernel_busy ? 'busy' : 'idle';
  }

  return {
    kernel,
    /** The number beside a cell; it is a star while the cell runs. */
    count: cell => Number(find(cell)?.input_prompt_number) || null,
    exists: cell => find(cell) !== null,
    locked: cell => find(cell)?.metadata.editable === false,
    read: cell => find(cell)?.get_text() ?? null,
    write(cell, text) {
      const editor = find(cell).code_mirror;
      const [start, end, come] = changedRange(editor.getValue(), text);
      editor.replaceRange(come, editor.posFromIndex(start), editor.posFromIndex(end));
    },
    /** Resolves when the kernel is idle, or after a time: a request sent while a cell fails is aborted. */
    settle(milliseconds) {
      if (kernel() !== 'busy') return Promise.resolve();
      return new Promise(resolve => {
        const done = () => {
          clearTimeout(timer);
          events.off(IDLE, done);
          resolve();
        };
        const timer = setTimeout(done, milliseconds);
        events.on(IDLE, done);
      });
    },
    /** Runs a cell; resolves to whether it ended well. */
    run(cell) {
      const ours = find(cell);
      return new Promise(resolve => {
        const finish = well => {
          events.off('finished_execute.CodeCell', ended);
          events.off(GONE, gone);
          resolve(well);
        };
        const ended = (_event, { cell: other }) => {
          if (other === ours) finish(!ours.output_area.outputs.some(output => output.output_type === 'error'));
        };
        const gone = () => finish(false);
        events.on('finished_execute.CodeCell', ended);
        events.on(GONE, gone);
        notebook.execute_cells([notebook.find_cell_index(ours)]);
      });
    },
    /** Calls back when a cell or the kernel changes; returns the function that ends it. */
    watch(callback) {
      const changed = () => callback();
      const replaced = () => {
        restarted = true;
        callback();
      };
      events.on(CHANGED, changed);
      events.on(NEW_KERNEL, replaced);
      return () => {
        events.off(CHANGED, changed);
        events.off(NEW_KERNEL, replaced);
      };
    },
    page: () => document.body,
    focus: () => notebook.focus_cell()
  };
}
