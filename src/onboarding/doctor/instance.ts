import { fine, problem } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** The instance is registered, and its executor calls. */
export const instanceCheck: DoctorCheck = {
  id: 'instance',
  title: 'instance and its executor',
  async look({ instance, nowMs, found }) {
    const { id, registered } = await instance(found.client);
    found.instanceId = id;
    if (!registered) return fine(id, 'registration not looked at: nobody is signed in');
    found.registered = registered;
    const { executor_status: status, last_seen_at: seen, queued } = registered;
    if (status === 'REGISTERED') return fine(id, status, ...(queued > 0 ? [`${queued} runs wait`] : []));
    if (status === 'NEVER_SEEN' || seen === null) {
      return { facts: [], problems: [problem('EXECUTOR_NEVER_SEEN', { instance: id })] };
    }
    const minutes = Math.max(1, Math.round((nowMs() - Date.parse(seen)) / 60_000));
    return { facts: [], problems: [problem('EXECUTOR_AWAY', { instance: id, minutes })] };
  },
};
