/** How an instance is: what the control plane knows of it, and what its executor knows of itself. */
import { VpError } from '../errors/vp-error.ts';
import { linesOf } from './answer/words.ts';
import { databaseState, type EvidenceState, logState } from './evidence-state.ts';
import type { AgentPorts, Trouble } from './ports.ts';
import type { ToolAnswer, ToolContext } from './tool.ts';

/** Answers also while the control plane is away: the executor is here. */
export async function instanceStatus(ports: AgentPorts, { instance, signal }: ToolContext): Promise<ToolAnswer> {
  const executor = await ports.executor();
  const registered = await ports.control.instances.get(instance, { signal }).catch(troubleOf);
  const isAway = 'problem' in registered;
  const healthy = !isAway && registered.executor_status === 'REGISTERED' && executor.problem === undefined;
  const log = logState(ports);
  const database = await databaseState(ports);
  const target = ports.project.targetUrl;
  const text = linesOf(
    `${instance}: ${healthy ? 'healthy' : 'not healthy'}, ${isAway ? 'registration unknown' : registered.executor_status}, ${executor.state}`,
    isAway && `Control plane: ${registered.problem}. Cure: ${registered.cure}.`,
    executor.problem !== undefined && `The executor says: ${executor.problem}`,
    `Target: ${target}`,
    !isAway &&
      `Queue: ${registered.queued} waiting${registered.running === null ? '' : `, ${registered.running} running`}`,
    executor.reportsWaiting > 0 && `${executor.reportsWaiting} reports wait to be handed in.`,
    evidenceLine('Log', log),
    evidenceLine('Database', database),
  );
  const known = isAway ? { executor_status: null, queued: null, running: null } : knownOf(registered);
  const { state, version, run = null, reportsWaiting, reportsRefused } = executor;
  const data = {
    ...{ instance, healthy, ...known, state, version, run, target, log, database },
    ...{ reports_waiting: reportsWaiting, reports_refused: reportsRefused },
    problem: isAway ? registered.problem : (executor.problem ?? null),
    cure: isAway ? registered.cure : null,
  };
  return { text, data };
}

function troubleOf(error: unknown): Trouble {
  if (!(error instanceof VpError)) throw error;
  return { problem: error.message, cure: error.cure };
}

type Registered = Exclude<Awaited<ReturnType<AgentPorts['control']['instances']['get']>>, Trouble>;

function knownOf({ executor_status, recommended_version, queued, running, last_seen_at }: Registered) {
  return { executor_status, recommended_version, queued, running, last_seen_at };
}

function evidenceLine(what: string, { state, problem, cure }: EvidenceState): string {
  return `${what}: ${state}${problem === null ? '' : ` (${problem}). Cure: ${cure ?? ''}`}`;
}
