/** Proves that the target, its log line and its database answer the executor now. Nothing is remembered from earlier runs. */
import { pollUntil } from '../../timing/poll.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import type { EvidenceProbeResult } from '../evidence-probe.ts';
import { readDirectKey } from '../machine-keys.ts';
import { probeTarget, type TargetProbeResult } from '../target-probe.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';

/** How long requests to a target that has just started are repeated. */
const settleTimeoutMs = 10_000;
const pauseMs = 1000;

export const proofStep: WorkflowStep<OnboardingContext> = {
  id: 'proof',
  title: 'target, log line and database',
  skip: ({ state }) => (state.isExecutorOnline ? undefined : 'the executor is not seen yet'),
  async check(context) {
    const { result, failures } = await probe(context);
    context.state.probe = result;
    const [failure] = failures;
    return failure ? actionNeeded(failure.reason) : upToDate(formatProbe(result));
  },
  async act(context) {
    const { ports, signal, report, state } = context;
    const { clock } = ports.environment;
    const onPause = (probed: TargetProbeResult): void => {
      state.probe = probed.result;
      report(formatReason(probed));
    };
    const probed = await pollUntil(
      { clock, pauseMs, timeoutMs: settleTimeoutMs, signal, onPause },
      () => probe(context),
      ({ failures, passes }) => failures.length === 0 || !passes,
    );
    const { result, failures } = probed;
    state.probe = result;
    if (failures.length === 0) return { detail: formatProbe(result) };
    const reason = formatReason(probed);
    const cure = [...new Set(failures.map((failure) => failure.cure))].join('; ');
    return { detail: reason, shortfall: { reason, cure, passes: false } };
  },
};

function formatReason({ failures }: TargetProbeResult): string {
  return failures.map(({ reason }) => reason).join('; ');
}

async function probe(context: OnboardingContext): Promise<TargetProbeResult> {
  const { ports, request, signal } = context;
  const key = await readDirectKey(requireState(context, 'kit'));
  return probeTarget({
    platform: ports.platform,
    project: requireState(context, 'project'),
    scenarios: ports.readScenarios(request.testDir),
    executor: key === undefined ? undefined : { port: requireState(context, 'port'), key },
    sendProbe: ports.sendProbe,
    clock: ports.environment.clock,
    signal,
  });
}

/** `200, 1 log line found, database read`. */
export function formatProbe(result: EvidenceProbeResult | undefined): string {
  const { status, logLines, database } = result ?? {};
  const logText = logLines === undefined ? '' : `${logLines} log ${logLines === 1 ? 'line' : 'lines'} found`;
  return [`status ${status ?? 'unknown'}`, logText, database === undefined ? '' : `database ${database}`]
    .filter(Boolean)
    .join(', ');
}
