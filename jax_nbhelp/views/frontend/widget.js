/** The controls of a help: which fix, with which values, and what to do with it. */
import { phrase } from './text.js';
import { copy, drawDiff, make, onAttached, rich } from './dom.js';
import { labNotebook } from './lab.js';
import { classicNotebook } from './classic.js';
import { makeEditor } from './editor.js';
import { showToast } from './toast.js';

const SETTLE = 2_000;
const ANSWER = 10_000;
const OTHER = '\u0000other';

function render({ model, el }) {
  const payload = structuredClone(model.get('payload'));
  const { cells, fixes, phrases } = payload;
  const say = (key, values) => phrase(phrases[key], values);
  const notebook = labNotebook(model, el) ?? classicNotebook(model, el);
  const editor = notebook && makeEditor(notebook, payload);
  const names = indices => indices.map(index => cells[index].label).join(phrases.and);
  const state = {
    fix: 0,
    values: fixes.map(fix => fix.holes.map(hole => hole.value)),
    running: false,
    ran: false
  };

  const fix = () => fixes[state.fix];
  const values = () => state.values[state.fix];
  const variant = () => fix().variants.find(one => one.values.every((value, i) => value === values()[i])) ?? null;
  const unfilled = () => fix().holes.find((_hole, i) => !values()[i]);
  const edited = () => names(variant().edits.map(edit => edit.cell));

  // What stands on the page.
  const id = `nbh-${Math.random().toString(36).slice(2)}`;
  const status = make('p', { class: 'nbh-status', role: 'status' });
  const head = make('div');
  const holes = make('div', { class: 'nbh-holes', 'data-lm-suppress-shortcuts': 'true' });
  const change = make('div');
  const button = (name, act) => make('button', { type: 'button', class: `nbh-button nbh-${name}`, click: () => guard(act) });
  const buttons = { run: button('run', applyAndRun), apply: button('apply', apply), copy: button('copy', copyCode), undo: button('undo', undo) };
  const hint = make('span', { class: 'nbh-hint', id: `${id}-hint` });
  const actions = make('div', { class: 'nbh-actions' }, ...Object.values(buttons), hint);
  const more = make('div', { class: 'nbh-more' });
  const root = make('section', { class: 'jax-nbhelp nbh-widget', 'aria-label': say('region'), keydown: closeDetails },
    head, change, holes, actions, status, more);
  el.append(root);

  function tell(key, values = {}, kind = 'done') {
    status.className = `nbh-status nbh-${kind}`;
    status.textContent = say(key, values);
    return false;
  }

  function hush() {
    status.textContent = '';
  }

  const refuse = found => tell(found.key, { cell: found.cell?.label }, 'problem');

  async function guard(act) {
    try {
      await act();
    } catch (error) {
      tell('fault', { reason: error.message }, 'problem');
    }
    drawActions();
  }

  // Drawing.
  const shown = i => fixes[i].variants.find(one => one.values.every((value, h) => value === state.values[i][h])) ?? fixes[i].variants[0];

  /** The names of the fixes; they are made once, so that the keyboard stays where it is, and filled by `drawHead`. */
  const titles = fixes.map(() => ({ name: make('b'), level: make('span', { class: 'nbh-sure' }) }));
  if (fixes.length === 1) {
    head.append(make('p', { class: 'nbh-fix' }, titles[0].name, ' ', titles[0].level));
  } else {
    const choices = titles.map(({ name, level }, i) => {
      const radio = make('input', { type: 'radio', name: `${id}-fix`, checked: i === 0, change: () => choose(i) });
      return make('label', { class: 'nbh-choice' }, radio, name, level);
    });
    head.append(make('fieldset', { 'data-lm-suppress-shortcuts': 'true' }, make('legend', {}, say('choose_fix')), ...choices));
  }

  function drawHead() {
    titles.forEach(({ name, level }, i) => {
      name.replaceChildren(...rich(shown(i).title));
      level.textContent = shown(i).level;
      name.parentElement.classList.toggle('nbh-chosen', i === state.fix);
    });
  }

  function drawChange() {
    const one = variant() ?? fix().variants[0];
    const parts = one.notes.length ? [make('p', { class: 'nbh-note' }, ...rich(one.notes.join(' ')))] : [];
    for (const edit of one.edits) {
      if (one.edits.length > 1 || edit.cell !== one.run.at(-1)) {
        parts.push(make('p', { class: 'nbh-label' }, cells[edit.cell].label));
      }
      parts.push(drawDiff(edit.hunks));
    }
    change.replaceChildren(...parts);
  }

  function drawHoles() {
    holes.replaceChildren(...(fix().can_apply ? fix().holes.map(drawHole) : []));
    holes.hidden = !holes.childElementCount;
  }

  function drawHole(hole, i) {
    const now = values()[i];
    const option = (value, label) => make('option', { value, selected: value === now }, label);
    const known = new Map(hole.candidates.map(({ value, reason }) => [value, reason ? `${value}  (${reason})` : value]));
    if (now && !known.has(now)) known.set(now, now);
    const select = make('select', { id: `${id}-hole-${i}`, change: () => pick() }, ...(now ? [] : [option('', phrases.choose)]),
      ...[...known].map(([value, label]) => option(value, label)), option(OTHER, phrases.other));
    const choices = known.size ? [make('label', { for: select.id }, hole.label), select] : [make('span', {}, hole.label)];
    const text = make('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', 'aria-label': say('value_of', { label: hole.label }),
      keydown: event => event.key === 'Enter' && ask() });
    const use = make('button', { type: 'button', class: 'nbh-button', click: () => ask() }, say('use'));
    const free = make('span', { class: 'nbh-hole', hidden: known.size > 0 }, text, use);
    const pick = () => {
      free.hidden = select.value !== OTHER;
      if (select.value === OTHER) text.focus();
      else setValue(hole, i, select.value);
    };
    const ask = () => text.value.trim() && setValue(hole, i, text.value.trim());
    return make('span', { class: 'nbh-hole' }, ...choices, free);
  }

  function drawActions() {
    const done = editor !== null && variant() !== null && editor.isApplied(variant());
    const can = editor !== null && fix().can_apply;
    show(buttons.run, can && fix().can_run, say(done ? 'run' : 'apply_run'));
    show(buttons.apply, can && !done, say('apply'));
    show(buttons.copy, fix().can_apply, say('copy'));
    show(buttons.undo, editor !== null && editor.undoable(), say('undo'));
    buttons.run.classList.toggle('nbh-main', true);
    buttons.apply.classList.toggle('nbh-main', can && !fix().can_run);
    buttons.copy.classList.toggle('nbh-main', editor === null);
    const waits = Boolean(unfilled()) || state.running;
    for (const one of Object.values(buttons)) one.setAttribute('aria-disabled', String(waits && one !== buttons.undo));
    hint.textContent = hintText(can, done);
    hint.hidden = !hint.textContent;
    buttons.run.setAttribute('aria-describedby', hint.id);
    actions.hidden = !fix().can_apply && buttons.undo.hidden;
  }

  function hintText(can, done) {
    if (!fix().can_apply) return '';
    if (!editor) return say('unknown_host');
    if (unfilled()) return say('fill', { label: unfilled().label });
    if (!can || !variant()) return '';
    const run = names(variant().run);
    if (!done && fix().can_run && run === edited()) return say('will_run_same', { edited: run });
    if (done) return fix().can_run ? say('will_rerun', { run }) : '';
    return say(fix().can_run ? 'will_run' : 'will_change', { edited: edited(), run });
  }

  function show(node, visible, label) {
    if (node.hidden === !visible && node.textContent === label) return;
    const lost = !visible && document.activeElement === node;
    node.textContent = label;
    node.hidden = !visible;
    if (lost) Object.values(buttons).find(one => !one.hidden && one !== buttons.copy)?.focus();
  }

  function draw() {
    drawHead();
    drawChange();
    drawHoles();
    drawActions();
  }

  // Choosing.
  function choose(index) {
    state.fix = index;
    hush();
    draw();
  }

  let answer = null;

  function setValue(hole, i, value) {
    const index = state.fix;
    const wanted = values().with(i, value);
    const settled = () => {
      state.values[index] = wanted;
      hush();
      draw();
    };
    if (wanted.some(one => !one) || fix().variants.some(one => one.values.every((known, h) => known === wanted[h]))) {
      settled();
      return;
    }
    // Nobody has worked this one out ahead: the kernel checks the value and makes the edit.
    tell('checking', {}, 'doing');
    clearTimeout(answer?.timer);
    answer = { index, wanted, settled, timer: setTimeout(() => tell('not_checked', {}, 'problem'), ANSWER) };
    const named = Object.fromEntries(fix().holes.map((one, h) => [one.name, wanted[h]]));
    guard(() => model.send({ kind: 'choose', fix: index, values: named }));
  }

  function receive(message) {
    if (message.kind === 'muted') tell('muted', { record: payload.record });
    if (!answer || message.fix !== answer.index) return;
    clearTimeout(answer.timer);
    if (message.kind === 'invalid') {
      status.className = 'nbh-status nbh-problem';
      status.textContent = message.reason;
    } else if (message.kind === 'variant') {
      cells.splice(0, cells.length, ...message.cells);
      fixes[answer.index].variants.push({ ...message.variant, values: answer.wanted });
      answer.settled();
    }
    answer = null;
  }

  // Acting.
  function ready() {
    if (state.running) return tell('still_running', {}, 'problem');
    if (unfilled()) {
      const field = holes.children[fix().holes.indexOf(unfilled())];
      [...field.querySelectorAll('select, input')].find(one => one.checkVisibility())?.focus();
      return false;
    }
    return variant() !== null;
  }

  function apply() {
    if (!ready()) return;
    const found = editor.apply(variant());
    if (found) refuse(found);
    else tell('applied', { edited: edited() });
  }

  async function applyAndRun() {
    if (!ready()) return;
    const chosen = variant();
    const changed = edited();
    const page = notebook.page();
    state.running = true;
    drawActions();
    try {
      if (notebook.kernel() === 'busy') tell('waiting', {}, 'doing');
      await notebook.settle(SETTLE);
      const kernel = notebook.kernel();
      if (kernel !== 'idle') {
        tell(kernel === 'none' ? 'no_kernel' : kernel, {}, 'problem');
        return;
      }
      const found = editor.apply(chosen, chosen.run);
      if (found) {
        refuse(found);
        return;
      }
      state.ran = true;
      let failed = null;
      for (const index of chosen.run) {
        tell('running', { run: names([index]) }, 'doing');
        if (!(await notebook.run(cells[index]))) {
          failed = index;
          break;
        }
      }
      const outcome = say(failed === null ? 'ran' : 'run_failed', { edited: changed, run: failed === null ? '' : names([failed]) });
      status.className = 'nbh-status nbh-done';
      status.textContent = outcome;
      if (!root.isConnected) {
        showToast(page, { text: outcome, undo: [say('undo'), undone], close: say('close') }, gone =>
          notebook.watch(() => editor.undoable() || gone()));
        if (document.activeElement === document.body) notebook.focus(page);
      }
    } finally {
      state.running = false;
    }
  }

  /** Takes the edit back and returns what to say about it. */
  function undone() {
    const texts = editor.applied();
    const found = editor.undo();
    if (found) return say(found.key, { cell: found.cell.label });
    return say(state.ran ? 'undone_ran' : 'undone', { edited: texts ? names([...texts.keys()]) : edited() });
  }

  function undo() {
    const before = editor.applied();
    status.textContent = undone();
    status.className = `nbh-status nbh-${before ? 'done' : 'problem'}`;
  }

  async function copyCode() {
    if (!ready()) return;
    const done = await copy(editor ? editor.copyOf(variant()) : makeEditor(null, payload).copyOf(variant()));
    tell(done ? 'copied' : 'not_copied', {}, done ? 'done' : 'problem');
  }

  async function copyReport() {
    const done = await copy(payload.report);
    tell(done ? 'reported' : 'not_copied', {}, done ? 'done' : 'problem');
  }

  function closeDetails(event) {
    const open = event.key === 'Escape' && event.target.closest('details[open]');
    if (!open) return;
    event.stopPropagation();
    open.open = false;
    open.querySelector('summary').focus();
  }

  function drawFeedback() {
    const plain = (key, act) => make('button', { type: 'button', class: 'nbh-button', click: () => guard(act) }, say(key));
    const mute = payload.record ? [plain('mute', () => model.send({ kind: 'mute' }))] : [];
    const body = make('div', { class: 'nbh-feedback' }, plain('report', copyReport), ...mute, make('span', { class: 'nbh-hint' }, say('report_note')));
    return make('details', {}, make('summary', {}, say('more')), body);
  }

  /**
   * Takes over from the static output above, which ends with the first fix and the way on, so that they stand
   * beside the buttons and nothing is on screen twice.
   */
  let above = null;
  const stopWaiting = onAttached(root, () => {
    const outputs = el.closest('.jp-OutputArea, .output');
    const panels = [...(outputs?.querySelectorAll('.jax-nbhelp:not(.nbh-widget)') ?? [])];
    above = panels.filter(panel => panel.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING).at(-1) ?? null;
    const way = above?.querySelector('.nbh-more');
    if (way) more.prepend(...[...way.children].map(child => child.cloneNode(true)));
    above?.classList.add('nbh-live');
  });

  more.append(drawFeedback());
  let frame = 0;
  const stopWatching = notebook?.watch(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(drawActions);
  });
  model.on('msg:custom', receive);
  draw();
  return () => {
    stopWaiting();
    stopWatching?.();
    cancelAnimationFrame(frame);
    clearTimeout(answer?.timer);
    model.off('msg:custom', receive);
    above?.classList.remove('nbh-live');
  };
}

export default { render };
