/** Runs in this process: the executor's own code on a project folder, without a control plane. */
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { version } from '../environment/version.ts';
import { createRunner } from '../executor/execute.ts';
import type { Witnesses } from '../executor/witnesses.ts';
import { targetDispatcher } from '../outbound/target-dispatcher.ts';
import type { ProjectConfig } from '../project/project-config.ts';
import type { Report } from '../report/report.ts';
import { correlationIdOf, nextRunMs, runIdOf } from '../run/run-id.ts';

/** What a local run calls its instance. */
export const localInstance = 'local';

/** What is run. */
export type LocalScenario = {
  readonly id: string;
  readonly text: string;
  readonly prove?: boolean | undefined;
};

/** Runs scenarios; any number at the same time. */
export type LocalRuns = {
  /** Never rejects; aborting `signal` cancels the run. Run ids are unique within this process. */
  execute(scenario: LocalScenario, signal: AbortSignal): Promise<Report>;
  close(): void;
};

/** `extraRoots`: PEM certificates that the target's may be signed by. */
export type LocalOptions = {
  readonly project: ProjectConfig;
  readonly clock: Clock;
  readonly random: Random;
  readonly extraRoots: readonly string[];
  /** Log and database, where there are any; the caller closes them. */
  readonly witnesses?: Witnesses | undefined;
};

/** Local runs against the target of `project`. */
export function localRuns({ project, clock, random, extraRoots, witnesses }: LocalOptions): LocalRuns {
  const dispatcher = targetDispatcher({ extraRoots });
  const runner = createRunner({ project, dispatcher, clock, version, witnesses });
  let lastMs = 0;
  return {
    execute({ id, text, prove }, signal) {
      lastMs = nextRunMs(clock.nowMs(), lastMs);
      const runId = runIdOf(lastMs);
      const request = {
        runId,
        correlationId: correlationIdOf(runId, random.token(6)),
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
