/** Asks the engine and the executor now whether the target runs and answers; nothing of it is recorded as a run. */
import type { Clock } from '../environment/clock.ts';
import { formatError, toVpError, VpError } from '../errors/vp-error.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import { constantDelay, retry } from '../timing/retry.ts';
import {
  buildEvidenceProbeScenario,
  type EvidenceProbeFailure,
  type EvidenceProbeResult,
  evaluateProbe,
  listProbedEvidence,
  type ProbeReport,
  selectProbePaths,
  toEvidenceProbeFailure,
} from './evidence-probe.ts';
import type { Platform } from './platform/platform.ts';

/** How an executor of this machine is called. */
export type ExecutorAddress = { readonly port: number; readonly key: string };

/** Lets the executor send the request of a scenario now. Throws EXECUTOR_*, RUN_EXECUTOR_UNREACHABLE, CREDENTIAL_INVALID. */
export type SendProbe = (executor: ExecutorAddress, scenario: string, signal: AbortSignal) => Promise<ProbeReport>;

export type TargetProbeOptions = {
  readonly platform: Pick<Platform, 'diagnose'>;
  readonly project: ProjectConfig;
  /** Files of the test folder; their paths are probed. */
  readonly scenarios: readonly { readonly text: string; readonly problem: unknown }[];
  readonly executor: ExecutorAddress | undefined;
  readonly sendProbe: SendProbe;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly signal: AbortSignal;
};

/** `passes`: asking again later may help. */
export type TargetProbeResult = {
  readonly result: EvidenceProbeResult | undefined;
  readonly failures: readonly EvidenceProbeFailure[];
  readonly passes: boolean;
};

const busyTimeoutMs = 30_000;
const pauseMs = 500;

export async function probeTarget(options: TargetProbeOptions): Promise<TargetProbeResult> {
  const { platform, project, executor } = options;
  const host = new URL(project.targets.http.baseUrl).hostname;
  const composeProject = project.deploy?.composeProject;
  const { problems } =
    composeProject === undefined
      ? { problems: [] }
      : await platform.diagnose({ topic: 'target', composeProject, host });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const failures = errors.map(toEvidenceProbeFailure);
    return { result: undefined, failures, passes: false };
  }
  if (executor === undefined) {
    const cure = 'run `vp onboard` again: it gives the executor a key for this machine';
    return {
      result: undefined,
      failures: [createNotProbedFailure('the executor’s key is not on this machine', cure)],
      passes: false,
    };
  }
  return sendProbes(options, executor);
}

async function sendProbes(options: TargetProbeOptions, executor: ExecutorAddress): Promise<TargetProbeResult> {
  const { project, scenarios } = options;
  const { targets } = project;
  const probed = listProbedEvidence(project);
  const sendsToken = targets.auth !== undefined;
  const target = { baseUrl: targets.http.baseUrl, sendsToken };
  const [firstPath, ...otherPaths] = selectProbePaths(scenarios);
  try {
    const report = await sendWhenIdle(options, executor, buildEvidenceProbeScenario(firstPath, probed));
    const { result, failures } = evaluateProbe(report, { ...probed, ...target, path: firstPath });
    if (failures.length > 0 || !sendsToken) return { result, failures, passes: isUnsettled(result) };
    for (const path of otherPaths) {
      const none = { log: false, database: false };
      const other = evaluateProbe(await sendWhenIdle(options, executor, buildEvidenceProbeScenario(path, none)), {
        ...{ ...none, ...target, path },
      });
      if (other.failures.length > 0) return { result, failures: other.failures, passes: false };
    }
    return { result, failures: [], passes: false };
  } catch (error) {
    options.signal.throwIfAborted();
    const { code, message, cure, row } = toVpError(error);
    if (row.visibility === 'private') throw error;
    const failure =
      code === 'TARGET_NOT_PROBED'
        ? toEvidenceProbeFailure({ code, message, cure })
        : createNotProbedFailure(message, cure);
    return { result: undefined, failures: [failure], passes: true };
  }
}

/** Right after a start of the target or of the log reader, these may still come. */
function isUnsettled({ status, logLines, database }: EvidenceProbeResult): boolean {
  return status === undefined || status >= 500 || logLines === 0 || database === 'unread';
}

function createNotProbedFailure(problem: string, cure: string): EvidenceProbeFailure {
  return toEvidenceProbeFailure(formatError('TARGET_NOT_PROBED', { problem, cure }));
}

/** A run in progress delays it. */
async function sendWhenIdle(
  { sendProbe, clock, signal }: TargetProbeOptions,
  executor: ExecutorAddress,
  scenario: string,
): Promise<ProbeReport> {
  const deadlineMs = clock.monotonicMs() + busyTimeoutMs;
  const isBusy = (error: unknown): boolean =>
    error instanceof VpError && /^EXECUTOR_(BUSY|INSTANCE_UNKNOWN)$/.test(error.code);
  const options = {
    backoff: constantDelay(pauseMs),
    shouldRetry: (error: unknown) => isBusy(error) && clock.monotonicMs() < deadlineMs,
    pause: (delayMs: number) => clock.sleep(delayMs, signal),
  };
  return retry(options, () => sendProbe(executor, scenario, signal));
}
