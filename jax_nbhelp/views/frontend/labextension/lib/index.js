/**
 * Runs cells of an open notebook with the notebook's own action.
 *
 * The widget of jax_nbhelp lives in the same page and finds this runner by its symbol, so that neither needs a
 * comm target nor a handshake; where the extension is missing the widget runs the cell by itself.
 */
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';

export default {
  id: 'jax-nbhelp:runner',
  description: 'Runs notebook cells for the fixes of jax_nbhelp.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app, tracker) => {
    globalThis[Symbol.for('jax-nbhelp:runner')] = {
      version: 1,
      /** Runs one cell; resolves to true when it ended well, to null where the notebook is not open here. */
      async run(context, id) {
        const current = tracker.currentWidget;
        const panel = current?.context === context ? current : tracker.find(p => p.context === context);
        const cell = panel?.content.widgets.find(widget => widget.model.id === id);
        if (!cell) {
          return null;
        }
        panel.content.activeCellIndex = panel.content.widgets.indexOf(cell);
        return NotebookActions.runCells(panel.content, [cell], panel.sessionContext);
      }
    };
  }
};
