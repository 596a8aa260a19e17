/**
 * Takes over from the static output above, which ends with its first fix and the way on: while the widget is
 * there they stand in it, beside the buttons, so that nothing is on screen twice.
 *
 * Returns the function that gives them back.
 */
export function takeOver(root, more) {
  const outputs = root.closest('.jp-OutputArea, .output');
  const panels = [...(outputs?.querySelectorAll('.jax-nbhelp:not(.nbh-widget)') ?? [])];
  const isAbove = panel => panel.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING;
  const above = panels.filter(isAbove).at(-1);
  if (!above) return () => {};
  const way = above.querySelector('.nbh-more')?.children ?? [];
  more.prepend(...[...way].map(child => child.cloneNode(true)));
  above.classList.add('nbh-live');
  return () => above.classList.remove('nbh-live');
}
