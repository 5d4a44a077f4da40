import { Type } from '@sinclair/typebox';
import { RunIdInput } from '../input.ts';
import { ownRun, runFacts, runLine } from '../runs/own-run.ts';
import { tool } from '../tool.ts';

/** Cancels a run: at once while it is queued, else its executor is asked to stop. */
export const cancelRun = tool({
  name: 'author__cancel_run',
  description: 'Cancel a queued run, or ask the executor to stop a running one. What it has sent is not undone.',
  input: Type.Object({ run_id: RunIdInput }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ run_id }, ports, context) {
    await ownRun(ports, context, run_id);
    const run = await ports.control.runs.cancel(run_id, { signal: context.signal });
    const asked = run.state === 'cancelled' ? '' : '\nThe executor was asked to stop it: see author__get_run_status.';
    return { text: `${runLine(run)}${asked}`, data: { ...runFacts(run), cancel_requested: run.cancel_requested } };
  },
});
