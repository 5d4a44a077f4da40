/** Asks the executor, as an agent would, whether it can look into the target's log and database. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type Problem, problem, skipped } from '../preflight/check.ts';
import { agentEntry } from './agent-entry.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

const words = Type.Union([Type.String(), Type.Null()]);
const State = Type.Object({ state: Type.String(), problem: words, cure: words });
const Status = Type.Object({ log: State, database: State });
const parts = ['log', 'database'] as const;

/** Also what the database's user may do too much or too little. */
export const evidenceCheck: DoctorCheck = {
  id: 'evidence',
  title: 'log and database of the target, from the executor',
  async look(context) {
    const status = await statusOf(context);
    if (status === undefined) return skipped('not looked at: the executor cannot be asked by the test agent’s token');
    const problems = parts.flatMap((part): Problem[] => {
      const { state, problem: said, cure } = status[part];
      if (said === null) return [];
      const values = { what: part, said, cure: cure ?? 'see `vp executor --help`' };
      return [problem(state === 'read' ? 'EVIDENCE_DOUBTFUL' : 'EVIDENCE_UNAVAILABLE', values)];
    });
    return { facts: parts.map((part) => `${part}: ${status[part].state}`), problems };
  },
};

/** Undefined where the folder's own check tells why. */
async function statusOf({ testDir, found, callTool }: DoctorContext) {
  if (testDir === undefined || found.instanceId === undefined) return undefined;
  const entry = await agentEntry(testDir, found.instanceId);
  const answer =
    entry && (await callTool(entry.url, entry.token, 'author__get_executor_status').catch(() => undefined));
  return answer && !answer.isError && Value.Check(Status, answer.data) ? answer.data : undefined;
}
