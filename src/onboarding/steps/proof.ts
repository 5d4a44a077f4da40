/** One run that proves that the target's log line and database are found. */
import { createHash } from 'node:crypto';
import { waitForRun } from '../../client/wait-for-run.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { buildProbeScenario, evaluateProbe, listProbedEvidence, selectProbePath } from '../evidence-probe.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';

const probeTimeoutMs = 60_000;

/** A proof is repeated for another config, image or path. */
function hashProof(context: OnboardingContext, text: string): string {
  const { config_hash: config = '' } = context.journal.facts ?? {};
  return createHash('sha256').update(`${config}\0${context.request.image}\0${text}`).digest('hex');
}

function buildProbeText(context: OnboardingContext): string {
  const path = selectProbePath(context.ports.readScenarios(context.request.testDir));
  return buildProbeScenario(path, listProbedEvidence(requireState(context, 'project')));
}

export const proofStep: WorkflowStep<OnboardingContext> = {
  id: 'proof',
  title: 'log line and database',
  skip: ({ state }) => (state.isExecutorOnline ? undefined : 'the executor is not seen yet'),
  async check(context) {
    const { log, database } = listProbedEvidence(requireState(context, 'project'));
    if (!log && !database) return upToDate('the config names neither a log nor a database');
    const isProved = context.journal.facts?.proved_hash === hashProof(context, buildProbeText(context));
    return isProved ? upToDate('proved before') : actionNeeded('not proved yet');
  },
  async act(context) {
    const { journal, signal, report, state } = context;
    const client = requireState(context, 'client');
    const probed = listProbedEvidence(requireState(context, 'project'));
    const text = buildProbeText(context);
    const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]);
    const [run] = await client.runs.request(requireState(context, 'instanceId'), { scenarios: [{ text }] }, { signal });
    if (!run) throw new TypeError('one scenario was requested, and no run came back');
    report(`probe run ${run.run_id}`);
    const finishedRun = await waitForRun(client, run.run_id, { signal: timeoutSignal }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (timeoutSignal.aborted) return undefined;
      throw error;
    });
    if (!finishedRun) {
      const reason = `the probe run ${run.run_id} has not ended within ${probeTimeoutMs / 1000} s`;
      return { detail: reason, shortfall: { reason, cure: `see \`vp runs show ${run.run_id}\``, passes: false } };
    }
    const { result, failures } = evaluateProbe(finishedRun, probed);
    state.probe = result;
    if (failures.length > 0) {
      const reason = failures.map((failure) => failure.reason).join('; ');
      return {
        detail: reason,
        shortfall: { reason, cure: failures.map(({ cure }) => cure).join('; '), passes: false },
      };
    }
    await journal.updateFacts({ proved_hash: hashProof(context, text) });
    const logText =
      result.logLines === undefined ? '' : `${result.logLines} log ${result.logLines === 1 ? 'line' : 'lines'} found`;
    const databaseText = result.database === undefined ? '' : 'database read';
    return { detail: [logText, databaseText].filter(Boolean).join(', ') };
  },
};
