import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import { toRunEntry } from '../runs/run-entry.ts';
import { ScenarioIdInput } from '../tools/input-schemas.ts';
import { assertOwnInstance, joinLines } from '../tools/result-text.ts';
import { createTool } from '../tools/tool.ts';

export const requestRunTool = createTool({
  name: 'author__request_run',
  description:
    'Queue a run of a catalogue scenario (scenario_id) or of an unstored text (text). prove: also find checks that never fail and unchecked values. An idempotency_key never runs twice. Then author__get_run_status.',
  input: Type.Object({
    scenario_id: Type.Optional(ScenarioIdInput),
    text: Type.Optional(Type.String()),
    prove: Type.Optional(Type.Boolean()),
    idempotency_key: Type.Optional(Type.String()),
    instance: Type.Optional(Type.String()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ scenario_id, text, prove, idempotency_key, instance: requestedInstance }, { control }, context) {
    assertOwnInstance(requestedInstance, context);
    const { instance, signal } = context;
    const scenario = selectScenario(scenario_id, text);
    const input = { scenarios: [scenario], ...(prove ? { prove } : {}) };
    // The key is sent as a header, which allows only ASCII.
    const key = idempotency_key === undefined ? {} : { idempotencyKey: encodeURIComponent(idempotency_key) };
    const [run] = await control.runs.request(instance, input, { signal, ...key });
    if (!run) throw new TypeError('a request of one run is answered with one');
    const stateText = run.state === 'queued' ? `queued, ${run.queue_position} before it` : run.state;
    return {
      text: joinLines(
        `Run ${run.run_id} of ${run.scenario_id}: ${stateText}.`,
        `Next: author__get_run_status with run_id ${run.run_id}; it waits until the run has ended.`,
      ),
      data: { ...toRunEntry(run), correlation_id: run.correlation_id },
    };
  },
});

function selectScenario(id: string | undefined, text: string | undefined): { id: string } | { text: string } {
  if (id !== undefined && text === undefined) return { id };
  if (text !== undefined && id === undefined) return { text };
  throw vpError('AGENT_SCENARIO_AMBIGUOUS', {});
}
