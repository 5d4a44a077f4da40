/** Local runs: the executor's code on a project folder, without a control plane. */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { version } from '../../environment/version.ts';
import type { EvidenceSources } from '../../executor/evidence/evidence-sources.ts';
import { createRunner } from '../../executor/runs/runner.ts';
import { createTargetDispatcher } from '../../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../../project/project-config.ts';
import type { Report } from '../../report/report.ts';
import { formatCorrelationId, formatRunId, getNextRunTimeMs } from '../../run/run-id.ts';

/** The instance in reports of local runs. */
export const localInstance = 'local';

export type LocalRunInput = {
  readonly id: string;
  readonly text: string;
  readonly prove?: boolean | undefined;
};

/** Any number of runs may execute at the same time. */
export type LocalRuns = {
  /** Never rejects; aborting `signal` cancels the run. Run ids are unique within this process. */
  execute(scenario: LocalRunInput, signal: AbortSignal): Promise<Report>;
  close(): void;
};

/** `extraRoots`: additional trusted certificates (PEM) for the target. */
export type LocalRunsOptions = {
  readonly project: ProjectConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly extraRoots: readonly string[];
  /** Log and database, closed by the caller. */
  readonly evidenceSources?: EvidenceSources | undefined;
};

export function createLocalRuns({ project, clock, random, extraRoots, evidenceSources }: LocalRunsOptions): LocalRuns {
  const dispatcher = createTargetDispatcher({ extraRoots });
  const runner = createRunner({ project, dispatcher, clock, version, evidenceSources: evidenceSources });
  let lastMs = 0;
  return {
    execute({ id, text, prove }, signal) {
      lastMs = getNextRunTimeMs(clock.nowMs(), lastMs);
      const runId = formatRunId(lastMs);
      const request = {
        runId,
        correlationId: formatCorrelationId(runId, random.token(6)),
        instanceId: localInstance,
        scenarioId: id,
        revision: null,
        scenarioText: text,
        origin: 'local' as const,
        prove,
        queuedMs: 0,
      };
      return runner.execute(request, { signal });
    },
    close: () => dispatcher.close(),
  };
}
