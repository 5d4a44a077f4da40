/** Asks the engine and the executor now whether the target runs and answers as runs need it. */
import { loadProject } from '../../project/load-project.ts';
import { checkPassed, checkSkipped } from '../checks/setup-check.ts';
import { readDirectKey } from '../machine-keys.ts';
import { formatProbe } from '../steps/proof.ts';
import { type ExecutorAddress, probeTarget } from '../target-probe.ts';
import { type DoctorCheck, type DoctorContext, getProjectDir, getProjectUse } from './context.ts';

export const targetCheck: DoctorCheck = {
  id: 'target',
  title: 'target, probed now by the executor',
  async inspect(context) {
    const { testDir, platform, sendProbe, clock, state } = context;
    const projectDir = getProjectDir(context);
    if (projectDir === undefined) return checkSkipped('not checked without --product-dir');
    const { config: project } = await loadProject(projectDir, { use: getProjectUse(context) });
    if (!project) return checkSkipped('not checked: the config is not valid');
    const executor = await findExecutor(context);
    if (executor === undefined && state.onboarded === undefined)
      return checkSkipped('not probed: the executor of this instance does not run on this machine');
    const { result, failures } = await probeTarget({
      ...{ platform, project, executor, sendProbe, clock },
      scenarios: testDir === undefined ? [] : context.readProbeFiles(testDir),
      signal: new AbortController().signal,
    });
    if (failures.length === 0) return checkPassed(formatProbe(result));
    const problems = failures.map(({ code, reason, cure }) => {
      return { code, severity: 'error', message: reason, cure } as const;
    });
    return { facts: result?.status === undefined ? [] : [formatProbe(result)], problems };
  },
};

/** The executor that was onboarded here, else one that this user has started by hand. */
async function findExecutor(context: DoctorContext): Promise<ExecutorAddress | undefined> {
  const { state } = context;
  const port = state.onboarded?.facts.executor_port ?? state.registered?.executor_port;
  if (port === undefined || port === null) return undefined;
  const key = state.onboarded && (await readDirectKey(state.onboarded.kit));
  return key === undefined ? context.findExecutor(port) : { port, key };
}
