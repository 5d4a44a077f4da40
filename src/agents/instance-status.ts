/** How an instance is: what the control plane knows of it, and what its executor knows of itself. */
import { VpError } from '../errors/vp-error.ts';
import { linesOf } from './answer/words.ts';
import type { AgentPorts, Trouble } from './ports.ts';
import type { ToolAnswer, ToolContext } from './tool.ts';

/** Answers also while the control plane is away: the executor is here. */
export async function instanceStatus(ports: AgentPorts, { instance, signal }: ToolContext): Promise<ToolAnswer> {
  const executor = await ports.executor();
  const registered = await ports.control.instances.get(instance, { signal }).catch(troubleOf);
  const isAway = 'problem' in registered;
  const healthy = !isAway && registered.executor_status === 'REGISTERED' && executor.problem === undefined;
  const log = logState(ports);
  const text = linesOf(
    `${instance}: ${healthy ? 'healthy' : 'not healthy'}, ${isAway ? 'registration unknown' : registered.executor_status}, ${executor.state}`,
    isAway && `Control plane: ${registered.problem}. Cure: ${registered.cure}.`,
    executor.problem !== undefined && `The executor says: ${executor.problem}`,
    `Target: ${ports.project.targetUrl}`,
    !isAway &&
      `Queue: ${registered.queued} waiting${registered.running === null ? '' : `, ${registered.running} running`}`,
    executor.reportsWaiting > 0 && `${executor.reportsWaiting} reports wait to be handed in.`,
    `Log: ${log.state}${log.problem === null ? '' : ` (${log.problem}). Cure: ${log.cure ?? ''}`}`,
    `Database: ${ports.database ? 'configured, read-only' : 'none'}`,
  );
  const known = isAway ? { executor_status: null, queued: null, running: null } : knownOf(registered);
  const { state, version, run = null, reportsWaiting, reportsRefused } = executor;
  const data = {
    ...{ instance, healthy, ...known, state, version, run },
    ...{ target: ports.project.targetUrl, log, database: ports.database !== undefined },
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

function logState({ project, logTrouble }: AgentPorts) {
  if (!project.hasLogstore) return { state: 'not configured', problem: null, cure: null };
  const trouble = logTrouble();
  return { state: trouble ? 'unavailable' : 'read', problem: trouble?.problem ?? null, cure: trouble?.cure ?? null };
}
