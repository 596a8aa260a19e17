/** The classic notebook 6.5: its cells have no ids, so that a cell is known by its text. */

/** Returns the notebook around a widget, or null where there is none. */
export function classicNotebook(_model, el) {
  const notebook = globalThis.Jupyter?.notebook;
  if (!notebook?.get_cells) return null;
  const known = new Map();

  function find(cell) {
    const code = notebook.get_cells().filter(one => one.cell_type === 'code');
    const kept = known.get(cell);
    if (kept && code.includes(kept)) return kept;
    const own = code.find(one => one.element[0].contains(el));
    const alike = code.filter(one => one.get_text() === cell.text);
    const found = alike.includes(own) ? own : alike.length === 1 ? alike[0] : null;
    if (found) known.set(cell, found);
    return found;
  }

  return {
    kernel: () => (!notebook.kernel?.is_connected() ? 'no_kernel' : notebook.kernel_busy ? 'busy' : 'idle'),
    count: cell => find(cell)?.input_prompt_number,
    exists: cell => find(cell) !== null,
    locked: cell => find(cell)?.metadata.editable === false,
    read: cell => find(cell)?.get_text() ?? null,
    write: (cell, text) => find(cell).code_mirror.setValue(text),
    settle: () => Promise.resolve(),
    run: cell =>
      new Promise(resolve => {
        const ours = find(cell);
        const ended = (_event, data) => {
          if (data.cell !== ours) return;
          notebook.events.off('finished_execute.CodeCell', ended);
          resolve(!ours.output_area.outputs.some(output => output.output_type === 'error'));
        };
        notebook.events.on('finished_execute.CodeCell', ended);
        notebook.execute_cells([notebook.find_cell_index(ours)]);
      }),
    watch: () => () => {},
    page: () => document.body,
    focus: () => notebook.focus_cell()
  };
}
