/** What a storm or a drill has left, once everything is healed: read from the control plane. */
import type { Client } from '../../src/client/client.ts';
import { readPages } from '../../src/client/transport/pages.ts';
import type { Run } from '../../src/contract/api.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { isFinalState } from '../../src/run/state.ts';
import { pollUntil } from '../../src/timing/poll.ts';
import { constantDelay, retry } from '../../src/timing/retry.ts';
import type { StormRecord } from './storm-record.ts';

/** For leases that end, reports that wait and what is in the queues. */
export const settleTimeoutMs = 120_000;

/** Every run of an instance. */
async function listRuns(client: Client, instance: string): Promise<Run[]> {
  return (await readPages<Run>((page) => client.runs.list({ instance, ...page }))).items;
}

/** The runs at the end; those that have not ended after the time limit are as they are. */
export async function waitForEnd(client: Client, instances: readonly string[]): Promise<Run[]> {
  return pollUntil(
    { clock: systemClock, pauseMs: 1000, timeoutMs: settleTimeoutMs },
    async () => (await Promise.all(instances.map((instance) => listRuns(client, instance)))).flat(),
    (runs) => runs.every(({ state }) => isFinalState(state)),
  );
}

/** Repeats what a control plane that is killed meanwhile does not answer. */
export async function callRepeatedly<T>(call: () => Promise<T>, attempts = 20): Promise<T> {
  const shouldRetry = (_error: unknown, failures: number): boolean => failures < attempts;
  const pause = (delayMs: number): Promise<void> => systemClock.sleep(delayMs);
  return retry({ backoff: constantDelay(500), shouldRetry, pause }, call);
}

/** Runs whose report came after they had ended: the control plane has it beside their outcome. */
export async function findLateReports(
  client: Client,
  record: StormRecord,
  runs: ReadonlyMap<string, Run>,
): Promise<Set<string>> {
  const late = new Set<string>();
  for (const [id, result] of record.reports) {
    if (runs.get(id)?.state === result) continue;
    const document = await client.runs.get(id).catch(() => undefined);
    if (document?.late_report?.result === result) late.add(id);
  }
  return late;
}
