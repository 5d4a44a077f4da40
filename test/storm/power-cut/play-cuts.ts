/** Cuts the power at random points of a recorded run, starts on what the disk has then, and looks for what was promised. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openOutboxStore } from '../../../src/store/outbox/outbox-store.ts';
import { controlPlaneArgs, StormProcesses } from '../roles.ts';
import { createStormClient } from '../run-clients.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type CutKind, cutKinds, ReplayedDisk, readJournal } from './disk-replay.ts';
import {
  type AuditMode,
  buildWriteJournal,
  type JournalledPromise,
  type RecordedFolder,
  type RecordedRun,
  recordRun,
} from './recorded-run.ts';

export type CutOptions = {
  readonly folder: string;
  readonly random: SeededRandom;
  /** Of the control plane; the executor's store, which is opened in this process, has three times as many. */
  readonly cuts: number;
  /** Of each of the two runs. */
  readonly recordedMs: number;
  readonly print: (text: string) => void;
};

export type CutResult = {
  readonly problems: readonly string[];
  readonly skipped: readonly string[];
  readonly cuts: number;
  readonly promises: number;
  /** Writes that were not synced when the power was cut: without any, nothing was tried. */
  readonly unsynced: number;
};

type Cut = {
  readonly folder: string;
  readonly at: number;
  readonly kind: CutKind;
  readonly due: readonly JournalledPromise[];
};

/** No call is answered in the default mode while an earlier one's row has been waiting for the disk for longer. */
const maxUnsyncedMs = 1000;

/** Gives the folder after each cut to `look`; cuts are drawn from the part of the journal that has promises. */
async function playCuts(
  { folder, journal, promises }: RecordedFolder,
  { random, cuts, scratch }: { readonly random: SeededRandom; readonly cuts: number; readonly scratch: string },
  look: (cut: Cut) => Promise<void>,
): Promise<number> {
  const bytes = readFileSync(journal);
  const firstAt = promises[0]?.at ?? 0;
  const positions = Array.from({ length: cuts }, () => random.integer(firstAt, bytes.length)).sort((a, b) => a - b);
  const disk = new ReplayedDisk(folder);
  let next = 0;
  for (const record of readJournal(bytes)) {
    // A cut within a record: it had not happened.
    for (; (positions[next] ?? Number.POSITIVE_INFINITY) < record.endsAt; next += 1) {
      const at = positions[next] ?? 0;
      const to = join(scratch, 'cut');
      rmSync(to, { recursive: true, force: true });
      mkdirSync(to, { recursive: true, mode: 0o700 });
      const kind = random.pick(cutKinds);
      disk.cut(to, kind, random);
      await look({ folder: to, at, kind, due: promises.filter((promise) => promise.at <= at) });
    }
    disk.apply(record);
  }
  return disk.unsynced;
}

/** Starts a control plane on the folder and compares what it has with what was promised. */
async function lookAtPlane(
  { folder, due }: Cut,
  { apiKey, mode }: { readonly apiKey: string; readonly mode: AuditMode },
  processes: StormProcesses,
): Promise<string[]> {
  const serve = processes.vp([...controlPlaneArgs(folder), '--audit-strict']);
  const problems: string[] = [];
  try {
    const [, url = ''] = await serve.waitForOutput(/^\{"event":"listening".*?"url":"([^"]+)"/m);
    const client = createStormClient(url, apiKey);
    const states = new Map<string, string>();
    for (let cursor: string | undefined; ; ) {
      const page = await client.runs.list({ limit: 200, cursor });
      for (const run of page.items) states.set(run.run_id, run.state);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    const rows = await client.hubAudit.readExport('storm', 'jsonl');
    problems.push(...findLostRows(due, mode, (id) => rows.includes(`\\"${id}\\"`)));
    for (const { kind, id, state } of due) {
      if (kind === 'requested' && !states.has(id)) problems.push(`the acknowledged run ${id} is lost`);
      if (kind === 'state' && states.get(id) !== state)
        problems.push(`${id} was ${state}, and is ${states.get(id) ?? 'lost'}`);
    }
    serve.signal('SIGTERM');
    await serve.ended;
    const verification = await processes.vp(['audit', 'verify', '--data', folder]).ended;
    if (verification.code !== 0) problems.push(`vp audit verify: ${verification.stdout}${verification.stderr}`);
  } catch (error) {
    problems.push(`the control plane does not start or answer: ${String(error).slice(0, 2000)}`);
  } finally {
    await serve.kill();
  }
  return problems;
}

function findLostRows(due: readonly JournalledPromise[], mode: AuditMode, hasRow: (id: string) => boolean): string[] {
  const rows = due.filter(({ kind }) => kind === 'row');
  const lost = rows.filter(({ id }) => !hasRow(id));
  if (mode === 'strict') return lost.map(({ id }) => `the strict row of ${id} is lost`);
  // When the last of them was sent, rows that had been answered for longer must have been on the disk.
  const lastSentAtMs = Math.max(...rows.map(({ sentAtMs = 0 }) => sentAtMs));
  return lost.flatMap(({ id, receivedAtMs = 0 }) =>
    receivedAtMs < lastSentAtMs - maxUnsyncedMs
      ? [`the row of ${id} is lost, answered ${Math.round(lastSentAtMs - receivedAtMs)} ms before the last call`]
      : [],
  );
}

/** The executor's journal must know every run whose request the target has: one that is unknown would be sent again. */
async function lookAtExecutor({ folder, due }: Cut): Promise<string[]> {
  try {
    // As a start does: it recovers and migrates.
    await openOutboxStore(folder, process.pid).close();
    const sqlite = new Sqlite(join(folder, 'executor.db'), { readonly: true });
    const known = new Set(sqlite.prepare<[], string>('SELECT run_id FROM runs').pluck().all());
    sqlite.close();
    return due.filter(({ id }) => !known.has(id)).map(({ id }) => `${id} was sent, and its executor does not know it`);
  } catch (error) {
    return [`the executor's store does not open: ${String(error)}`];
  }
}

export async function playPowerCuts({ folder, random, cuts, recordedMs, print }: CutOptions): Promise<CutResult> {
  mkdirSync(folder, { recursive: true });
  const built = buildWriteJournal(folder);
  if ('reason' in built)
    return { problems: [], skipped: [`power cuts: ${built.reason}`], cuts: 0, promises: 0, unsynced: 0 };
  const record = (mode: AuditMode) =>
    recordRun(join(folder, mode), built.library, { durationMs: recordedMs, random: random.split(), mode });
  // Both mostly wait for the disk.
  const [run, unstrict] = await Promise.all([record('strict'), record('default')]);
  const promises = run.plane.promises.length + run.executor.promises.length + unstrict.plane.promises.length;
  print(
    `power cuts: ${promises} promises recorded, ${cuts * 2} cuts of the control plane, ${cuts * 3} of the executor`,
  );
  const problems: string[] = [];
  const report = (who: string, { at, kind }: Cut, found: readonly string[]): void => {
    for (const problem of found.slice(0, 5)) problems.push(`power cut of ${who} at ${at}, ${kind}: ${problem}`);
  };
  const processes = new StormProcesses(join(folder, 'processes'));
  const scratch = join(folder, 'scratch');
  let done = 0;
  try {
    const playPlaneCuts = ({ plane }: RecordedRun, mode: AuditMode): Promise<number> =>
      playCuts(plane, { random, cuts, scratch }, async (cut) => {
        const { apiKey } = plane;
        report(`the control plane (${mode} audit)`, cut, await lookAtPlane(cut, { apiKey, mode }, processes));
        done += 1;
        if (done % 10 === 0) print(`power cuts: ${done} · ${problems.length} problems`);
      });
    const unsynced = (await playPlaneCuts(run, 'strict')) + (await playPlaneCuts(unstrict, 'default'));
    const unsyncedByExecutor = await playCuts(run.executor, { random, cuts: cuts * 3, scratch }, async (cut) => {
      report('the executor', cut, await lookAtExecutor(cut));
      done += 1;
    });
    if (unsynced === 0 || unsyncedByExecutor === 0)
      problems.push('power cuts: no write was unsynced; nothing was tried');
    return { problems, skipped: [], cuts: done, promises, unsynced: unsynced + unsyncedByExecutor };
  } finally {
    await processes.clear();
  }
}
