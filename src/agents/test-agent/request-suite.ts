import { Type } from '@sinclair/typebox';
import type { ScenarioEntry } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { counted } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import type { AgentPorts } from '../ports.ts';
import { suiteOf } from '../runs/suite.ts';
import { type ToolContext, tool } from '../tool.ts';

/** Requested at once. */
const mostRuns = 200;
/** Run ids listed in the answer's text. */
const told = 50;

/** Many runs, all or none. */
export const requestSuite = tool({
  name: 'author__request_suite',
  description:
    'Queue many scenarios: all, those with every one of tags, or ids. Wait with author__get_run_status on last_run_id, then author__list_runs with suite.',
  input: Type.Object({
    tags: Type.Optional(Type.Array(Type.String())),
    ids: Type.Optional(Type.Array(Type.String())),
    prove: Type.Optional(Type.Boolean()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ tags, ids, prove }, ports, context) {
    const wanted = ids ?? (await idsWith(tags ?? [], ports, context));
    if (wanted.length === 0) throw vpError('AGENT_SUITE_EMPTY', { asked: askedText(tags, ids) });
    if (wanted.length > mostRuns) throw vpError('AGENT_SUITE_TOO_LARGE', { count: wanted.length, most: mostRuns });
    const input = { scenarios: wanted.map((id) => ({ id })), ...(prove ? { prove } : {}) };
    const runs = await ports.control.runs.request(context.instance, input, { signal: context.signal });
    const requested = runs.map(({ run_id, scenario_id }) => ({ run_id, scenario_id }));
    const suite = suiteOf(requested.map(({ run_id }) => run_id));
    const last = requested.at(-1)?.run_id ?? null;
    const text = linesOf(
      `${counted(requested.length, 'run')} queued, suite ${suite}`,
      ...requested.slice(0, told).map(({ run_id, scenario_id }) => `${run_id}  ${scenario_id}`),
      requested.length > told && `… ${requested.length - told} more in author__list_runs`,
      `Next: author__get_run_status with run_id ${last} (the last one), then author__list_runs with suite ${suite}.`,
    );
    return { text, data: { suite, last_run_id: last, count: requested.length, runs: requested } };
  },
});

async function idsWith(tags: readonly string[], { control }: AgentPorts, { instance, signal }: ToolContext) {
  const all = await control.scenarios.all(instance, { signal });
  const fits = ({ tags: own }: ScenarioEntry): boolean => tags.every((tag) => own.includes(tag));
  return all.filter(fits).map(({ scenario_id }) => scenario_id);
}

function askedText(tags: readonly string[] | undefined, ids: readonly string[] | undefined): string {
  if (ids) return 'no ids were given';
  return tags && tags.length > 0 ? `the tags ${tags.join(', ').slice(0, 200)}` : 'it is empty';
}
