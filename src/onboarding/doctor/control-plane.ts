import { fine, problem } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** The control plane answers, and its store does. */
export const controlPlaneCheck: DoctorCheck = {
  id: 'control_plane',
  title: 'control plane',
  async look({ controlPlane: url, get, nowMs, found }) {
    const answer = await get(`${url}/readyz`);
    if (!answer) {
      const unreachable = problem('CONTROL_PLANE_UNREACHABLE', { url, problem: 'nothing answers there' });
      return { facts: [], problems: [unreachable] };
    }
    found.isThere = true;
    const theirs = Date.parse(answer.date ?? '');
    if (Number.isFinite(theirs)) found.clocks = { theirs, ours: nowMs() };
    if (answer.status === 200) return fine(url, 'ready');
    return { facts: [], problems: [problem('CONTROL_PLANE_NOT_READY', { url, status: answer.status })] };
  },
};
