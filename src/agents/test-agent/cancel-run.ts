import { Type } from '@sinclair/typebox';
import { formatRunLine, getOwnRun, toRunEntry } from '../runs/run-entry.ts';
import { RunIdInput } from '../tools/input-schemas.ts';
import { createTool } from '../tools/tool.ts';

/** Cancels a queued run at once; for a running one it asks the executor to stop. */
export const cancelRunTool = createTool({
  name: 'author__cancel_run',
  description: 'Cancel a queued run, or ask to stop a running one; what was sent is not undone.',
  input: Type.Object({ run_id: RunIdInput }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ run_id }, ports, context) {
    await getOwnRun(ports, context, run_id);
    const run = await ports.control.runs.cancel(run_id, { signal: context.signal });
    const cancelText =
      run.state === 'cancelled' ? '' : '\nThe executor was asked to stop it: see author__get_run_status.';
    return {
      text: `${formatRunLine(run)}${cancelText}`,
      data: { ...toRunEntry(run), cancel_requested: run.cancel_requested },
    };
  },
});
