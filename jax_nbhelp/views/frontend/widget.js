/** The controls of a help: which fix, with which values, and what to do with it. */
import { phrase } from './text.js';
import { drawDiff, make, NO_SHORTCUTS, onAttached, rich } from './dom.js';
import { labNotebook } from './lab.js';
import { classicNotebook } from './classic.js';
import { makeChoices } from './choices.js';
import { drawHole, focusHole } from './holes.js';
import { makeActions } from './actions.js';
import { takeOver } from './above.js';

const ANSWER = 10_000;

function render({ model, el }) {
  const payload = structuredClone(model.get('payload'));
  const { cells, fixes, phrases } = payload;
  const say = (key, values) => phrase(phrases[key], values);
  const notebook = labNotebook(model, el) ?? classicNotebook(model, el);
  /** A cell's name: the number that stands beside it now, or the one it failed with. */
  const nameOf = cell => {
    const count = notebook?.count(cell);
    return count ? phrases.cell.replace('{count}', count) : cell.label;
  };
  const names = indices => indices.map(index => nameOf(cells[index])).join(phrases.and);
  const choices = makeChoices(fixes);
  const id = `nbh-${Math.random().toString(36).slice(2)}`;

  const button = (act, label = '') => make('button', { type: 'button', class: 'nbh-button', click: () => guard(act) }, label);
  const head = make('div');
  const change = make('div');
  const holes = make('div', { class: 'nbh-holes' });
  const buttons = {
    run: button(filled('run')),
    apply: button(filled('apply')),
    here: button(filled('runHere')),
    stop: button(() => actions.here.stop()),
    insert: button(filled('insert')),
    copy: button(filled('copy')),
    undo: button(() => actions.undo())
  };
  const hint = make('span', { class: 'nbh-hint', id: `${id}-hint` });
  const warning = make('span', { class: 'nbh-warning' });
  const bar = make('div', { class: 'nbh-actions' }, ...Object.values(buttons), hint, warning);
  const status = make('p', { class: 'nbh-status', role: 'status' });
  const more = make('div', { class: 'nbh-more' }, drawFeedback());
  const root = make('section', { class: 'jax-nbhelp nbh-widget', lang: payload.language, 'aria-label': say('region'), keydown: closeDetails });
  const view = { say, names, nameOf, tell, write, send, redraw: drawBar, shown: () => root.isConnected };
  const actions = makeActions(notebook, model, payload, choices, view);
  const body = fixes.length ? [head, change, holes, bar] : [];
  root.append(...body, status, actions.here.place, more);

  function write(text, kind = 'done') {
    status.className = `nbh-status nbh-${kind}`;
    status.replaceChildren(...rich(text));
  }

  function tell(key, values = {}, kind = 'done') {
    write(say(key, values), kind);
  }

  async function guard(act) {
    try {
      await act();
    } catch (error) {
      tell('fault', { reason: error.message }, 'problem');
    }
    drawBar();
  }

  /** An action that needs every hole filled; a click before that leads to the hole. */
  function filled(name) {
    return () => (choices.unfilled < 0 ? actions[name]() : focusHole(holes.children[choices.unfilled]));
  }

  // Made once and filled later, so that the keyboard stays where it is.
  const titles = fixes.map(() => ({ name: make('b'), level: make('span', { class: 'nbh-sure' }) }));
  if (fixes.length === 1) {
    head.append(make('p', { class: 'nbh-fix' }, titles[0].name, ' ', titles[0].level));
  } else {
    const radios = titles.map(({ name, level }, i) => {
      const radio = make('input', { ...NO_SHORTCUTS, type: 'radio', name: `${id}-fix`, checked: i === 0, change: () => choose(i) });
      return make('label', { class: 'nbh-choice' }, radio, make('span', {}, name, ' ', level));
    });
    head.append(make('fieldset', {}, make('legend', {}, say('choose_fix')), ...radios));
  }

  function drawHead() {
    titles.forEach(({ name, level }, i) => {
      name.replaceChildren(...rich(choices.shown(i).title));
      level.textContent = choices.shown(i).level;
      name.closest('label')?.classList.toggle('nbh-chosen', i === choices.index);
    });
  }

  function drawChange() {
    const { edits, notes, run } = choices.shown(choices.index);
    const parts = notes.length ? [make('p', { class: 'nbh-note' }, ...rich(notes.join(' ')))] : [];
    for (const { cell, hunks } of edits) {
      const label = nameOf(cells[cell]);
      if (edits.length > 1 || cell !== run.at(-1)) parts.push(make('p', { class: 'nbh-label' }, label));
      parts.push(drawDiff(hunks, say('diff', { cell: label })));
    }
    change.replaceChildren(...parts);
  }

  function drawHoles() {
    const focused = [...holes.children].findIndex(node => node.contains(document.activeElement));
    const shown = choices.fix.can_apply ? choices.fix.holes : [];
    const draw = (hole, i) => drawHole(hole, choices.values[i], `${id}-hole-${i}`, say, value => setValue(i, value));
    holes.replaceChildren(...shown.map(draw));
    holes.hidden = !shown.length;
    if (focused >= 0 && shown[focused]) focusHole(holes.children[focused]);
  }

  function drawBar() {
    if (!fixes.length) return;
    const { fix, variant } = choices;
    const { editor } = actions;
    const act = notebook !== null && fix.can_apply;
    const away = notebook === null && fix.can_apply;
    const done = act && variant !== null && editor.isApplied(variant);
    show(buttons.run, act && fix.can_run, say(done ? 'run' : 'apply_run'));
    show(buttons.apply, act && !done, say('apply'));
    show(buttons.here, away && fix.can_run, say('run_here'));
    show(buttons.stop, actions.here.running, say('stop'));
    show(buttons.insert, away && actions.canInsert, say('insert'));
    show(buttons.copy, fix.can_apply, say('copy'));
    show(buttons.undo, notebook !== null && editor.undoable(), say('undo'));
    const acting = [buttons.run, buttons.apply, buttons.here, buttons.insert, buttons.copy];
    const main = acting.find(one => !one.hidden);
    for (const one of acting) {
      one.classList.toggle('nbh-main', one === main);
      one.setAttribute('aria-disabled', String(choices.unfilled >= 0 || actions.running));
    }
    main?.setAttribute('aria-describedby', hint.id);
    hint.replaceChildren(...rich(hintText(done)));
    warning.textContent = (fix.can_run && variant?.warning) || '';
    bar.hidden = !fix.can_apply && buttons.undo.hidden;
  }

  /** What a click will do. */
  function hintText(done) {
    const { fix, variant, unfilled } = choices;
    if (!fix.can_apply) return '';
    if (unfilled >= 0) return say('fill', { label: fix.holes[unfilled].label });
    const edited = names(variant.edits.map(edit => edit.cell));
    const run = names(variant.run);
    if (notebook === null) return fix.can_run ? say('will_run_here', { run }) : say('will_copy');
    if (!fix.can_run) return done ? '' : say('will_change', { edited });
    if (done) return say('will_rerun', { run });
    return run === edited ? say('will_run_same', { edited }) : say('will_run', { edited, run });
  }

  function show(node, visible, label) {
    const lost = !visible && document.activeElement === node;
    node.textContent = label;
    node.hidden = !visible;
    if (lost) Object.values(buttons).findLast(one => !one.hidden)?.focus();
  }

  function draw() {
    drawHead();
    drawChange();
    drawHoles();
    drawBar();
  }

  function choose(index) {
    choices.choose(index);
    write('');
    draw();
  }

  // Values that nobody has worked out ahead are checked by the kernel, which also makes their edit.
  let asked = null;

  function setValue(place, value) {
    const { index, fix, values } = choices;
    const wanted = values.with(place, value);
    clearTimeout(asked?.timer);
    asked = null;
    if (choices.knows(index, wanted)) {
      choices.set(index, wanted);
      write('');
      draw();
      return;
    }
    if (!send({ kind: 'choose', fix: index, values: Object.fromEntries(fix.holes.map((hole, i) => [hole.name, wanted[i]])) })) return;
    tell('checking', {}, 'doing');
    asked = { index, wanted, timer: setTimeout(() => tell('not_checked', {}, 'problem'), ANSWER) };
  }

  /** Sends a message to the kernel, where it is still the one that made this help. */
  function send(message) {
    const gone = ['no_kernel', 'restarted'].includes(notebook?.kernel());
    if (gone) tell('gone', {}, 'problem');
    else guard(() => model.send(message));
    return !gone;
  }

  function receive(message) {
    if (message.kind === 'muted') tell('muted', { record: payload.record });
    if (message.kind === 'here') actions.here.hear(message);
    if (asked === null || message.fix !== asked.index) return;
    const { index, wanted, timer } = asked;
    clearTimeout(timer);
    asked = null;
    if (message.kind === 'invalid') {
      write(message.reason, 'problem');
      return;
    }
    cells.push(...message.cells.slice(cells.length));
    choices.add(index, { ...message.variant, values: wanted });
    choices.set(index, wanted);
    write('');
    draw();
  }

  function drawFeedback() {
    const report = button(() => actions.report(), say('report'));
    const mute = payload.record ? [button(() => send({ kind: 'mute' }), say('mute'))] : [];
    const note = make('span', { class: 'nbh-hint' }, say('report_note'));
    return make('details', {}, make('summary', {}, say('more')), make('div', { class: 'nbh-feedback' }, report, ...mute, note));
  }

  function closeDetails(event) {
    const open = event.key === 'Escape' && event.target.closest('details[open]');
    if (!open) return;
    event.stopPropagation();
    open.open = false;
    open.querySelector('summary').focus();
  }

  /** Tells the kernel once that the fix is in sight. */
  let told = false;
  function opened() {
    if (payload.gated && !told) guard(() => model.send({ kind: 'opened' }));
    told = true;
  }

  el.append(root);
  if (fixes.length) draw();
  let giveBack = null;
  const stopWaiting = onAttached(root, () => {
    giveBack = takeOver(root, payload.help, more, opened);
    if (giveBack === null && payload.gated) hideUntilAsked();
  });

  /** Stands for the steps of a static output that this page does not have. */
  function hideUntilAsked() {
    const reveal = button(() => {
      reveal.replaceWith(root);
      opened();
    }, say('reveal'));
    root.replaceWith(reveal);
  }

  let frame = 0;
  const stopWatching = notebook?.watch(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(drawBar);
  });
  model.on('msg:custom', receive);
  return () => {
    stopWaiting();
    stopWatching?.();
    giveBack?.();
    actions.here.close();
    cancelAnimationFrame(frame);
    clearTimeout(asked?.timer);
    model.off('msg:custom', receive);
  };
}

export default { render };
