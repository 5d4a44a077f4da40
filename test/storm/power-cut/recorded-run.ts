/**
 * A run of a control plane and an executor whose writes are journalled, and what was promised meanwhile: each promise with the
 * length of the journal at the moment it was received. A power cut at that length or later must keep it.
 */
import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { VpError } from '../../../src/errors/vp-error.ts';
import { parseRunId } from '../../../src/run/run-id.ts';
import { startFaultyProxy } from '../faulty-proxy.ts';
import { setUpHub, startCountingServer } from '../hub-clients.ts';
import { controlPlaneArgs, executorArgs, StormProcesses } from '../roles.ts';
import { createStormClient } from '../run-clients.ts';
import { createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { StormRecord } from '../storm-record.ts';
import { startStormTarget, stormScenarioId, stormScenarioText } from '../target.ts';

const instance = 'north';

/** `state`: the run has ended like this. `sent`: the executor has sent its request. `row`: the call has an audit row. */
export type JournalledPromise = {
  readonly kind: 'requested' | 'state' | 'row' | 'sent';
  /** Of a run or a call. */
  readonly id: string;
  readonly state?: string;
  /** Of a call: when it was sent, and when its answer arrived. */
  readonly sentAtMs?: number;
  readonly receivedAtMs?: number;
  /** The length of the journal at that time. */
  readonly at: number;
};

/** The folder that was journalled, its journal, and the promises in the order in which they were received. */
export type RecordedFolder = {
  readonly folder: string;
  readonly journal: string;
  readonly promises: readonly JournalledPromise[];
};

export type RecordedRun = {
  readonly plane: RecordedFolder & { readonly apiKey: string };
  readonly executor: RecordedFolder;
};

/** The library, or why there is none. */
export function buildWriteJournal(folder: string): { readonly library: string } | { readonly reason: string } {
  if (process.platform !== 'linux') return { reason: 'writes are journalled with LD_PRELOAD, which is of Linux' };
  const library = join(folder, 'write-journal.so');
  const source = join(import.meta.dirname, 'write-journal.c');
  const args = ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl', '-lpthread'];
  const { status, stderr, error } = spawnSync('cc', args, { encoding: 'utf8' });
  if (status === 0) return { library };
  return { reason: `no C compiler could build ${source}: ${error?.message ?? stderr}` };
}

const journalLength = (file: string): number => statSync(file).size;

/** The audit waits for the disk, or it does not, on a disk that needs longer than it may be behind. */
export type AuditMode = 'strict' | 'default';

/** Longer than a call is answered before its row is on the disk. */
const slowSyncMs = 2500;

export async function recordRun(
  folder: string,
  library: string,
  {
    durationMs,
    random,
    mode,
  }: {
    readonly durationMs: number;
    readonly random: SeededRandom;
    readonly mode: AuditMode;
  },
): Promise<RecordedRun> {
  const isStrict = mode === 'strict';
  /** Created when everything is set up: what waits for the disk until then would take ten seconds more. */
  const slowFromFile = join(folder, 'slow-from-now');
  const slowAudit: Record<string, string> = isStrict
    ? {}
    : {
        JOURNAL_SLOW_FILE: '/audit.db-wal',
        JOURNAL_SLOW_MS: String(slowSyncMs),
        JOURNAL_SLOW_FROM: slowFromFile,
      };
  const processes = new StormProcesses(folder);
  const record = new StormRecord();
  const plane = {
    folder: join(folder, 'plane'),
    journal: join(folder, 'plane.journal'),
    promises: [] as JournalledPromise[],
  };
  const executor = {
    folder: join(folder, 'executor'),
    journal: join(folder, 'executor.journal'),
    promises: [] as JournalledPromise[],
  };
  const journalled = ({ folder: watched, journal }: RecordedFolder): Record<string, string> => ({
    ...{ LD_PRELOAD: library, JOURNAL_FOLDER: watched, JOURNAL_FILE: journal, UV_USE_IO_URING: '0' },
  });
  const promise = (owner: typeof plane, entry: Omit<JournalledPromise, 'at'>): void =>
    void owner.promises.push({ ...entry, at: journalLength(owner.journal) });

  const target = await startStormTarget(createSeededRandom(1), record, (correlationId) => {
    const [, id = ''] = correlationId.split('-');
    if (parseRunId(id) !== undefined) promise(executor, { kind: 'sent', id });
  });
  const server = await startCountingServer(record, random.split());
  const link = await startFaultyProxy(random.split(), {}, ({ path, request, status }) => {
    if (status !== 200 || !path.endsWith('/executor/complete')) return;
    const { run_id: id, report }: { run_id: string; report: { result: string | null } } = JSON.parse(request);
    promise(plane, { kind: 'state', id, state: report.result ?? 'cancelled' });
  });
  try {
    const serve = processes.vp([...controlPlaneArgs(plane.folder), ...(isStrict ? ['--audit-strict'] : [])], {
      ...journalled(plane),
      ...slowAudit,
    });
    const [started, url = ''] = await serve.waitForOutput(/^\{"event":"listening".*?"url":"([^"]+)".*$/m);
    const [, setupLinkFile = ''] = /"setup_link_file":"([^"]+)"/.exec(started) ?? [];
    link.forwardTo(url);
    const hub = await setUpHub(() => url, setupLinkFile, server.url);
    const client = createStormClient(url, hub.apiKey);
    const { executor_key: key } = await client.instances.create({ instance_id: instance });
    await client.scenarios.write(instance, stormScenarioId, { text: stormScenarioText });
    const args = executorArgs(join(folder, 'product'), executor.folder, link.url, target.origin);
    const running = processes.vp(args, { VP_EXECUTOR_KEY: key, ...journalled(executor) });
    await running.waitForOutput(/^\{"event":"listening"/m);

    writeFileSync(slowFromFile, '');
    const endMs = performance.now() + durationMs;
    const requestRuns = async (): Promise<void> => {
      while (performance.now() < endMs) {
        const scenarios = Array.from({ length: random.integer(1, 3) }, () => ({ id: stormScenarioId }));
        const runs = await client.runs.request(instance, { scenarios });
        for (const { run_id: id } of runs) promise(plane, { kind: 'requested', id });
        const last = runs.at(-1);
        if (last && random.chance(0.2)) {
          const cancelled = await client.runs.cancel(last.run_id).catch((error: unknown) => {
            if (!(error instanceof VpError) || error.code !== 'RUN_FINAL') throw error;
            return undefined;
          });
          if (cancelled?.state === 'cancelled') promise(plane, { kind: 'state', id: last.run_id, state: 'cancelled' });
        }
        await sleepFor(random.integer(0, 120));
      }
    };
    const callTools = async (name: string): Promise<void> => {
      const caller = new Client({ name: 'power-cut', version: '1' });
      const headers = { Authorization: `Bearer ${hub.token}` };
      await caller.connect(
        new StreamableHTTPClientTransport(new URL(`${url}/agent/mcp`), { requestInit: { headers } }),
      );
      for (let number = 0; performance.now() < endMs; number += 1) {
        const nonce = `${name}-${number}`;
        const sentAtMs = performance.now();
        await caller.callTool({ name: 'counter__count', arguments: { nonce } });
        promise(plane, { kind: 'row', id: nonce, sentAtMs, receivedAtMs: performance.now() });
        await sleepFor(random.integer(0, 60));
      }
      await caller.close();
    };
    await Promise.all([requestRuns(), callTools('p0'), callTools('p1')]);
    await Promise.all([running.kill(), serve.kill()]);
    return { plane: { ...plane, apiKey: hub.apiKey }, executor };
  } finally {
    await processes.clear();
    await Promise.all([target.close(), link.close()]);
    server.close();
  }
}
