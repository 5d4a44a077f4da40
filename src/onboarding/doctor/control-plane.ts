import { createProblem, passed } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

/** The control plane and its store respond. */
export const controlPlaneCheck: DoctorCheck = {
  id: 'control_plane',
  title: 'control plane',
  async inspect({ controlPlane: url, fetchPage, nowMs, state }) {
    const page = await fetchPage(`${url}/readyz`);
    if (!page) {
      const unreachable = createProblem('CONTROL_PLANE_UNREACHABLE', { url, problem: 'nothing answers there' });
      return { facts: [], problems: [unreachable] };
    }
    state.isControlPlaneReachable = true;
    const controlPlaneMs = Date.parse(page.date ?? '');
    if (Number.isFinite(controlPlaneMs)) state.clocks = { controlPlaneMs, localMs: nowMs() };
    if (page.status === 200) return passed(url, 'ready');
    return { facts: [], problems: [createProblem('CONTROL_PLANE_NOT_READY', { url, status: page.status })] };
  },
};
