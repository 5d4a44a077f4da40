import { isObject, tryParseJson } from '../../json/json-object.ts';
import { checkPassed, createProblem, type SetupProblem } from '../checks/setup-check.ts';
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
    if (page.status === 200) return { ...checkPassed(url, 'ready'), problems: findClockProblems(url, page.text) };
    return { facts: [], problems: [createProblem('CONTROL_PLANE_NOT_READY', { url, status: page.status })] };
  },
};

/** Control planes of earlier versions say nothing about their clock. */
function findClockProblems(url: string, text: string): SetupProblem[] {
  const readiness = tryParseJson(text);
  const isJumped = isObject(readiness) && 'clock' in readiness && readiness.clock === 'jumped';
  return isJumped ? [createProblem('CONTROL_PLANE_CLOCK_JUMPED', { url })] : [];
}
