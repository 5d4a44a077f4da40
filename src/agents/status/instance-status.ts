/** Status of an instance, as known to the control plane and to its executor. */
import { VpError } from '../../errors/vp-error.ts';
import type { AgentPorts, Unavailability } from '../ports.ts';
import { joinLines } from '../tools/result-text.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import { type EvidenceSourceState, readDatabaseState, readLogState } from './evidence-state.ts';

/** Also works while the control plane is unreachable, because the executor is local. */
export async function readInstanceStatus(ports: AgentPorts, { instance, signal }: ToolContext): Promise<ToolOutput> {
  const executor = await ports.executor();
  const registered = await ports.control.instances.get(instance, { signal }).catch(toUnavailable);
  const isUnreachable = 'problem' in registered;
  const healthy = !isUnreachable && registered.executor_status === 'REGISTERED' && executor.problem === undefined;
  const log = readLogState(ports);
  const database = await readDatabaseState(ports);
  const target = ports.project.targetUrl;
  const text = joinLines(
    `${instance}: ${healthy ? 'healthy' : 'not healthy'}, ${isUnreachable ? 'registration unknown' : registered.executor_status}, ${executor.state}`,
    isUnreachable && `Control plane: ${registered.problem}. Fix: ${registered.cure}.`,
    executor.problem !== undefined && `Problem of the executor: ${executor.problem}`,
    `Target: ${target}`,
    !isUnreachable &&
      `Queue: ${registered.queued} waiting${registered.running === null ? '' : `, ${registered.running} running`}`,
    executor.reportsWaiting > 0 && `${executor.reportsWaiting} reports are waiting to be handed in.`,
    formatEvidenceState('Log', log),
    formatEvidenceState('Database', database),
  );
  const registration = isUnreachable
    ? { executor_status: null, queued: null, running: null }
    : toRegistration(registered);
  const { state, version, run = null, reportsWaiting, reportsRefused } = executor;
  const data = {
    ...{ instance, healthy, ...registration, state, version, run, target, log, database },
    ...{ reports_waiting: reportsWaiting, reports_refused: reportsRefused },
    problem: isUnreachable ? registered.problem : (executor.problem ?? null),
    cure: isUnreachable ? registered.cure : null,
  };
  return { text, data };
}

function toUnavailable(error: unknown): Unavailability {
  if (!(error instanceof VpError)) throw error;
  return { problem: error.message, cure: error.cure };
}

type RegisteredInstance = Exclude<Awaited<ReturnType<AgentPorts['control']['instances']['get']>>, Unavailability>;

function toRegistration({ executor_status, recommended_version, queued, running, last_seen_at }: RegisteredInstance) {
  return { executor_status, recommended_version, queued, running, last_seen_at };
}

function formatEvidenceState(sourceName: string, { state, problem, cure }: EvidenceSourceState): string {
  return `${sourceName}: ${state}${problem === null ? '' : ` (${problem}). Fix: ${cure ?? ''}`}`;
}
