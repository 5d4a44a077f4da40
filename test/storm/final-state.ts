/** What a storm or a drill has left, once everything is healed: read from the control plane. */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Client } from '../../src/client/client.ts';
import type { Run } from '../../src/contract/api.ts';
import { isFinalState } from '../../src/run/state.ts';
import type { StormRecord } from './storm-record.ts';

/** For leases that end, reports that wait and what is in the queues. */
export const settleTimeoutMs = 120_000;

/** Every run of an instance. */
async function listRuns(client: Client, instance: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.list({ instance, limit: 200, cursor });
    runs.push(...page.items);
    if (page.next_cursor === null) return runs;
    cursor = page.next_cursor;
  }
}

/** The runs at the end; those that have not ended after the time limit are as they are. */
export async function waitForEnd(client: Client, instances: readonly string[]): Promise<Run[]> {
  const deadlineMs = performance.now() + settleTimeoutMs;
  for (;;) {
    const runs = (await Promise.all(instances.map((instance) => listRuns(client, instance)))).flat();
    if (runs.every(({ state }) => isFinalState(state)) || performance.now() > deadlineMs) return runs;
    await sleepFor(1000);
  }
}

/** Repeats what a control plane that is killed meanwhile does not answer. */
export async function insist<T>(call: () => Promise<T>, attempts = 20): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleepFor(500);
    }
  }
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
