/** Asks the executor, as an agent would, whether it can read the target's log and database. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { checkSkipped, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import { readAgentEntry } from './agent-entry.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);
const EvidenceState = Type.Object({ state: Type.String(), problem: NullableString, cure: NullableString });
const ExecutorStatus = Type.Object({ log: EvidenceState, database: EvidenceState });
const evidenceSources = ['log', 'database'] as const;

/** Also reports missing and excessive privileges of the database user. */
export const evidenceCheck: DoctorCheck = {
  id: 'evidence',
  title: 'log and database of the target, from the executor',
  async inspect(context) {
    const status = await readExecutorStatus(context);
    if (status === undefined)
      return checkSkipped('not checked: the executor does not answer with the test agent’s token');
    const problems = evidenceSources.flatMap((source): SetupProblem[] => {
      const { state, problem: problemText, cure } = status[source];
      if (problemText === null) return [];
      const values = { source, problem: problemText, cure: cure ?? 'see `vp executor --help`' };
      return [createProblem(state === 'read' ? 'EVIDENCE_DOUBTFUL' : 'EVIDENCE_UNAVAILABLE', values)];
    });
    return { facts: evidenceSources.map((source) => `${source}: ${status[source].state}`), problems };
  },
};

/** Undefined if the executor cannot be called; the check of the agent's folder reports why. */
async function readExecutorStatus({ testDir, state, callTool }: DoctorContext) {
  if (testDir === undefined || state.instanceId === undefined) return undefined;
  const entry = await readAgentEntry(testDir, state.instanceId);
  const toolResult =
    entry && (await callTool(entry.url, entry.token, 'author__get_executor_status').catch(() => undefined));
  return toolResult && !toolResult.isError && Value.Check(ExecutorStatus, toolResult.data)
    ? toolResult.data
    : undefined;
}
