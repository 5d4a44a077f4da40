import { createProblem, passed } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** The instance is registered and its executor is connected. */
export const instanceCheck: DoctorCheck = {
  id: 'instance',
  title: 'instance and its executor',
  async inspect({ findInstance, nowMs, state }) {
    const { id, registered } = await findInstance(state.client);
    state.instanceId = id;
    if (!registered) return passed(id, 'registration not checked: not signed in');
    state.registered = registered;
    const { executor_status: status, last_seen_at: lastSeenAt, queued } = registered;
    if (status === 'REGISTERED') return passed(id, status, ...(queued > 0 ? [`${queued} runs wait`] : []));
    if (status === 'NEVER_SEEN' || lastSeenAt === null) {
      return { facts: [], problems: [createProblem('EXECUTOR_NEVER_SEEN', { instance: id })] };
    }
    const minutes = Math.max(1, Math.round((nowMs() - Date.parse(lastSeenAt)) / 60_000));
    return { facts: [], problems: [createProblem('EXECUTOR_AWAY', { instance: id, minutes })] };
  },
};
