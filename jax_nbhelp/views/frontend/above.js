/**
 * The static output above, to which the widget belongs.
 *
 * It ends with its first fix and the way on. While the widget is there they stand in it, beside the buttons, so
 * that nothing is on screen twice. Where the fix is not to be seen yet, in class mode or because the help was shown
 * before, the widget waits until it is opened above.
 */

/** Returns the static output of a help; null where it is not on this page. */
function findAbove(root, help) {
  const outputs = root.closest('.jp-OutputArea, .output') ?? root.ownerDocument;
  const panels = [...outputs.querySelectorAll('.jax-nbhelp:not(.nbh-widget)')];
  const isAbove = panel => panel.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING;
  return panels.filter(panel => isAbove(panel) && (panel.dataset.help ?? '') === help).at(-1) ?? null;
}

/** Whether an element is not folded away. */
function isOpen(gate) {
  for (let one = gate; one; one = one.parentElement?.closest('details')) if (!one.open) return false;
  return true;
}

/**
 * Takes over from the static output, into `more`; calls `opened` when its fix is in sight, at once where it always is.
 *
 * Returns the function that gives everything back, or null where there is no static output.
 */
export function takeOver(root, help, more, opened) {
  const above = findAbove(root, help);
  if (!above) return null;
  const way = above.querySelector('.nbh-more')?.children ?? [];
  more.prepend(...[...way].map(child => child.cloneNode(true)));
  above.classList.add('nbh-live');
  const gates = [...above.querySelectorAll('details.nbh-gate')];
  const look = () => {
    const open = gates.every(isOpen);
    root.hidden = !open;
    if (open) opened();
  };
  above.addEventListener('toggle', look, true); // the event does not bubble
  look();
  return () => {
    above.removeEventListener('toggle', look, true);
    above.classList.remove('nbh-live');
  };
}
