import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import { linesOf, requireOwn } from '../answer/words.ts';
import { ScenarioIdInput } from '../input.ts';
import { runFacts } from '../runs/own-run.ts';
import { tool } from '../tool.ts';

/** One run through the queue of the control plane. */
export const requestRun = tool({
  name: 'author__request_run',
  description:
    'Queue a run of a catalogue scenario (scenario_id) or of a text not stored (text). prove: also find checks that never fail and what nothing checks. One idempotency_key never runs twice. Then author__get_run_status.',
  input: Type.Object({
    scenario_id: Type.Optional(ScenarioIdInput),
    text: Type.Optional(Type.String()),
    prove: Type.Optional(Type.Boolean()),
    idempotency_key: Type.Optional(Type.String()),
    instance: Type.Optional(Type.String()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ scenario_id, text, prove, idempotency_key, instance: asked }, { control }, context) {
    requireOwn(asked, context);
    const { instance, signal } = context;
    const scenario = chosen(scenario_id, text);
    const input = { scenarios: [scenario], ...(prove ? { prove } : {}) };
    // It travels as a header, which holds ASCII only.
    const key = idempotency_key === undefined ? {} : { idempotencyKey: encodeURIComponent(idempotency_key) };
    const [run] = await control.runs.request(instance, input, { signal, ...key });
    if (!run) throw new TypeError('a request of one run is answered with one');
    const place = run.state === 'queued' ? `queued, ${run.queue_position} before it` : run.state;
    return {
      text: linesOf(
        `Run ${run.run_id} of ${run.scenario_id}: ${place}.`,
        `Next: author__get_run_status with run_id ${run.run_id}; it waits for the end.`,
      ),
      data: { ...runFacts(run), correlation_id: run.correlation_id },
    };
  },
});

function chosen(id: string | undefined, text: string | undefined): { id: string } | { text: string } {
  if (id !== undefined && text === undefined) return { id };
  if (text !== undefined && id === undefined) return { text };
  throw vpError('AGENT_SCENARIO_AMBIGUOUS', {});
}
