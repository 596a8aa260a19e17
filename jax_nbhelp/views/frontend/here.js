/** Runs the fixed code in the kernel, for front ends whose cells nobody can run from here. */
import { make } from './dom.js';

/**
 * Returns the runner of one help; `place` is where its output appears.
 *
 * `view` has `say`, `tell`, `nameOf` a cell, `send` a message to the kernel, and `redraw`.
 */
export function makeHere(model, payload, choices, view) {
  const place = make('div', { class: 'nbh-output', role: 'group', 'aria-label': view.say('output'), hidden: true });
  let running = false;

  /** Shows the output's own view; it is a widget of the kernel, and the page's manager draws it. */
  async function showOutput() {
    const manager = model.widget_manager;
    const id = String(model.get('output') ?? '').replace('IPY_MODEL_', '');
    if (!id || !manager?.get_model) return;
    const shown = await manager.create_view(await manager.get_model(id));
    place.replaceChildren(shown.el);
    place.hidden = false;
  }

  const changed = () => showOutput().catch(error => view.tell('fault', { reason: error.message }, 'problem'));
  model.on('change:output', changed);
  changed();

  return {
    place,
    get running() {
      return running;
    },
    run() {
      const { index, fix, values } = choices;
      const named = Object.fromEntries(fix.holes.map((hole, i) => [hole.name, values[i]]));
      if (!view.send({ kind: 'run', fix: index, values: named })) return;
      running = true;
      view.tell('waiting', {}, 'doing');
    },
    stop: () => view.send({ kind: 'stop' }),
    /** Hears how far the kernel is. */
    hear({ state, cell }) {
      running = state === 'running';
      const words = { running: 'running', ran: 'ran_here', run_failed: 'run_failed', stopped: 'stopped', here_busy: 'here_busy' };
      const kinds = { running: 'doing', ran: 'done' };
      view.tell(words[state], { run: view.nameOf(payload.cells[cell]) }, kinds[state] ?? 'problem');
      view.redraw();
    },
    close: () => model.off('change:output', changed)
  };
}
