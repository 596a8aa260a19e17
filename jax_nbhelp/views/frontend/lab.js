/** JupyterLab 4 and Notebook 7: cells are edited in the notebook's shared model, where undo knows of it. */
import { changedRange } from './text.js';

const MERGED = 5_000;

/** Returns the notebook around a widget, or null where there is none. */
export function labNotebook(model, el) {
  const context = model.widget_manager?.context;
  if (!context?.model?.cells || !context.sessionContext) return null;
  const session = context.sessionContext;
  let restarted = false;

  function find(cell) {
    const cells = context.model.cells;
    for (let i = 0; i < cells.length; i++) {
      if (cells.get(i).id === cell.id) return cells.get(i);
    }
    return null;
  }

  function kernel() {
    const status = session.session?.kernel?.status;
    if (!status || status === 'dead' || status === 'terminating') return 'no_kernel';
    if (['starting', 'restarting', 'autorestarting'].includes(status)) return 'restarting';
    if (restarted) return 'restarted';
    return status === 'idle' ? 'idle' : 'busy';
  }

  return {
    kernel,
    count: cell => find(cell)?.executionCount,
    exists: cell => find(cell) !== null,
    locked: cell => find(cell)?.getMetadata('editable') === false,
    read: cell => find(cell)?.sharedModel.getSource() ?? null,
    write(cell, text) {
      const shared = find(cell).sharedModel;
      const old = shared.getSource();
      const change = changedRange(old, text);
      shared.undoManager?.stopCapturing();
      shared.updateSource(...change);
      shared.undoManager?.stopCapturing();
      if (context.model.collaborative) writeOnce(shared, old, change);
    },
    /** Resolves when the kernel is idle, or after a time: a request sent while a cell fails is aborted. */
    settle(milliseconds) {
      if (kernel() !== 'busy') return Promise.resolve();
      return new Promise(resolve => {
        const done = () => {
          clearTimeout(timer);
          session.statusChanged.disconnect(look);
          resolve();
        };
        const look = () => kernel() !== 'busy' && done();
        const timer = setTimeout(done, milliseconds);
        session.statusChanged.connect(look);
      });
    },
    /** Runs a cell; resolves to whether it ended well. */
    async run(cell) {
      const runner = globalThis[Symbol.for('jax-nbhelp:runner')];
      try {
        return (await runner?.run(context, cell.id)) ?? (await runInModel(context, find(cell)));
      } catch {
        return false; // the kernel ended before the cell did
      }
    },
    /** Calls back when a cell or the kernel changes; returns the function that ends it. */
    watch(callback) {
      const status = (_session, now) => {
        restarted ||= ['restarting', 'autorestarting'].includes(now);
        callback();
      };
      const replaced = () => {
        restarted = true;
        callback();
      };
      context.model.contentChanged.connect(callback);
      session.statusChanged.connect(status);
      session.kernelChanged.connect(replaced);
      return () => {
        context.model.contentChanged.disconnect(callback);
        session.statusChanged.disconnect(status);
        session.kernelChanged.disconnect(replaced);
      };
    },
    page: () => el.closest('.jp-NotebookPanel'),
    /** Gives the keyboard back to the notebook when the button that had it is gone. */
    focus: page => (page?.querySelector('.jp-Cell.jp-mod-active') ?? page?.querySelector('.jp-Notebook'))?.focus()
  };
}

/**
 * Removes one copy where two pages of a shared notebook made the same edit at the same moment: merged, what both
 * inserted stands there twice. Both pages remove the same characters, which therefore go once.
 */
function writeOnce(shared, old, [start, end, come]) {
  if (!come) return;
  const twice = old.slice(0, start) + come + come + old.slice(end);
  const look = () => {
    if (shared.getSource() !== twice) return;
    stop();
    shared.transact(() => shared.updateSource(start, start + come.length, ''), false);
  };
  const timer = setTimeout(stop, MERGED);
  function stop() {
    clearTimeout(timer);
    shared.changed.disconnect(look);
  }
  shared.changed.connect(look);
}

/** Does to a cell's model what JupyterLab's `CodeCell.execute` and `OutputArea` do, without the extension. */
async function runInModel(context, cell) {
  const kernel = context.sessionContext.session.kernel;
  cell.sharedModel.transact(() => cell.clearExecution(), false, 'silent-change');
  cell.executionState = 'running';
  cell.trusted = true;
  const shown = new Map();
  const future = kernel.requestExecute(
    { code: cell.sharedModel.getSource(), stop_on_error: true, allow_stdin: false },
    false,
    { ...cell.metadata, cellId: cell.id, deletedCells: context.model.deletedCells ?? [] }
  );
  future.onIOPub = ({ header, content }) => {
    const type = header.msg_type;
    const outputs = cell.outputs;
    const display = content.transient?.display_id;
    if (['execute_result', 'display_data', 'stream', 'error'].includes(type)) {
      outputs.add({ ...content, output_type: type });
      if (display) shown.set(display, [...(shown.get(display) ?? []), outputs.length - 1]);
    } else if (type === 'clear_output') {
      outputs.clear(content.wait);
      shown.clear();
    } else if (type === 'update_display_data') {
      for (const place of shown.get(display) ?? []) {
        outputs.set(place, { ...content, output_type: 'display_data' });
      }
    }
  };
  try {
    const reply = await future.done;
    cell.executionCount = reply.content.execution_count ?? null;
    return reply.content.status === 'ok';
  } finally {
    cell.executionState = 'idle';
  }
}
