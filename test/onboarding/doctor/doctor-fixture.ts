import type { Test } from 'tap';
import type { DoctorCheckResult } from '../../../src/onboarding/doctor/doctor.ts';
import { startTestControlPlane } from '../../commands/test-control-plane.ts';
import { createWorkspace, scenarioText } from '../../commands/test-workspace.ts';

/** A control plane, a workspace with one scenario, and `vp doctor` in it, on a machine without an engine. */
export async function startDoctorFixture(t: Test) {
  const files = createWorkspace(t, 'http://127.0.0.1:1', { 'tests/scenarios/RT-GET-a.md': scenarioText('RT-GET-a') });
  const { vp, registerInstance: register, writeScenario: put, stop } = await startTestControlPlane(t, files);
  // No engine is found, whatever machine this is.
  const variables = { PATH: t.testdirName };
  const doctor = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await vp(['doctor', '--json', ...args], { variables });
    t.equal(stderr, '');
    const checks: readonly DoctorCheckResult[] = JSON.parse(stdout).checks;
    return { code, checks: new Map(checks.map((checked) => [checked.id, checked])) };
  };
  return { files, vp, register, put, stop, doctor, variables };
}
