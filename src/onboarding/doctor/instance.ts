import type { Instance } from '../../contract/api.ts';
import { pollUntil } from '../../timing/poll.ts';
import { checkPassed, checkSkipped, createProblem } from '../checks/setup-check.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

const connectTimeoutMs = 30_000;
const pauseMs = 500;
const staleNoticeMs = 7 * 86_400_000;

/** The instance is registered and its executor is connected. */
export const instanceCheck: DoctorCheck = {
  id: 'instance',
  title: 'instance and its executor',
  async inspect(context) {
    const { findOnboarded, nowMs, state } = context;
    const { id, registered } = await findConnectedInstance(context);
    state.instanceId = id;
    state.onboarded = await findOnboarded(id);
    if (!registered) return checkSkipped(id, 'registration not checked: not signed in');
    state.registered = registered;
    const { executor_status: status, last_seen_at: lastSeenAt, queued } = registered;
    const stale = findRecentStaleStore(registered, nowMs());
    if (status === 'REGISTERED' && stale) return { facts: [id, status], problems: [stale] };
    if (status === 'REGISTERED') return checkPassed(id, status, ...(queued > 0 ? [`${queued} runs wait`] : []));
    if (status === 'NEVER_SEEN' || lastSeenAt === null) {
      return { facts: [], problems: [createProblem('EXECUTOR_NEVER_SEEN', { instance: id })] };
    }
    const minutes = Math.max(1, Math.round((nowMs() - Date.parse(lastSeenAt)) / 60_000));
    return { facts: [], problems: [createProblem('EXECUTOR_AWAY', { instance: id, minutes })] };
  },
};

const staleCodes = { executor: 'EXECUTOR_STORE_STALE', 'control plane': 'CONTROL_STORE_WENT_BACK' } as const;

/** Shown for a week: it cannot be fixed, and whoever put the copy in place may not be the one who needs to know. */
function findRecentStaleStore({ instance_id: instance, stale_store: stale }: Instance, nowMs: number) {
  if (!stale || nowMs - Date.parse(stale.noticed_at) > staleNoticeMs) return undefined;
  return createProblem(staleCodes[stale.store], { instance, moment: stale.noticed_at });
}

/** After a fix, waits for the executor to connect. */
function findConnectedInstance({ findInstance, clock, state }: DoctorContext) {
  return pollUntil(
    { clock, pauseMs, timeoutMs: connectTimeoutMs },
    () => findInstance(state.client),
    ({ registered }) =>
      registered === undefined || registered.executor_status === 'REGISTERED' || !state.isExecutorAwaited,
  );
}
