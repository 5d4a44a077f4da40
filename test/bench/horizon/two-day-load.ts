/**
 * What a team's control plane with two replicas writes in so many hours, as fast as it goes: runs and calls of a hub by the product's own
 * code, and what its replicas say in that time.
 */
import type pg from 'pg';
import type { Control } from '../../../src/control/control.ts';
import type { AuditLog } from '../../../src/hub/audit/audit-log.ts';
import { renewTerm } from '../../../src/store/postgres/active-term.ts';
import type { ReplicaIdentity } from '../../../src/store/postgres/election.ts';
import { saveHeartbeat } from '../../../src/store/postgres/heartbeats.ts';
import { newJournal } from '../../control/leases/lease-fixture.ts';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { entryAt } from '../audit-rows.ts';
import { timed } from '../measure.ts';

/** Sixteen environments, each with a suite of 50 scenarios after 24 deployments a day. */
const environments = 16;
const suiteRuns = 50;
const suitesPerHour = 1;
/** 10,000 calls a day, one after another, so that each has a commit. */
const callsPerHour = 10_000 / 24;
const renewalsPerSecond = 2;
const heartbeatsPerSecond = 2;

const scenario = 'RT-GET-document';
const owner = { name: 'owner' };
const requestRuns = 25;

export type LoadCounts = {
  readonly runs: number;
  readonly calls: number;
  readonly renewals: number;
  readonly heartbeats: number;
};

export function countLoad(hours: number): LoadCounts {
  return {
    runs: environments * suiteRuns * suitesPerHour * hours,
    calls: Math.round(callsPerHour * hours),
    renewals: renewalsPerSecond * 3_600 * hours,
    heartbeats: heartbeatsPerSecond * 3_600 * hours,
  };
}

const instances = Array.from({ length: environments }, (_, index) => `app-${index}`);

export async function createEnvironments(control: Control): Promise<void> {
  for (const id of instances) {
    await control.instances.create({ instance_id: id }, owner);
    await control.catalogue.write(id, scenario, { text: createScenarioText() }, owner);
  }
}

export type Times = Record<'write' | 'page' | 'call', number[]>;

/** `call`: the row of a call until it is on the disk. `write`: a request of 25 runs, or the end of one. */
export type Load = {
  readonly control: Control;
  readonly audit: AuditLog;
  readonly client: pg.Client;
  /** The active replica. */
  readonly replica: ReplicaIdentity;
  readonly epoch: number;
};

let startedSessions = 0;
let calls = 0;

async function work({ control }: Load, instance: string, count: number, times: Times): Promise<void> {
  const add = async <T>(kind: keyof Times, call: () => Promise<T>): Promise<T> => {
    let value: T | undefined;
    times[kind].push(await timed(async () => (value = await call())));
    return value as T;
  };
  const port = control.executorPort(instance);
  const id = `${instance}-${startedSessions++}`;
  const { challenge } = await port.challenge({ start_id: id });
  const hello = { protocol: 1, executor_version: '0.5.0', store_id: instance, target: 'http://app:3100' } as const;
  const start = { id, challenge };
  const { epoch } = await port.hello({ ...hello, started: [], finished: [], start, journal: newJournal });
  for (let done = 0; done < count; ) {
    const scenarios = Array.from({ length: Math.min(requestRuns, count - done) }, () => ({ id: scenario }));
    await add('write', () => control.runs.request(instance, { scenarios }, owner));
    await add('page', () => control.runs.list({ instance }, { limit: 50 }));
    let { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    while (lease) {
      const { run_id, fence } = lease;
      const report = createTestReport(lease, instance);
      const ended = { epoch, run_id, fence, more: true, report, journal: newJournal };
      ({ lease } = await add('write', () => port.complete(ended)));
      done += 1;
    }
  }
}

async function callHub({ audit }: Load, count: number, times: Times): Promise<void> {
  for (let done = 0; done < count; done += 1) times.call.push(await timed(() => audit.record(entryAt(calls++))));
}

/** As replicas do it, but for the wait for the disk and for the next one. */
async function playElection({ client, replica, epoch }: Load, renewals: number, heartbeats: number): Promise<void> {
  await client.query(`SET synchronous_commit TO off`);
  for (let done = 0; done < renewals; done += 1) await renewTerm(client, replica, { epoch, sessionPid: undefined });
  for (let done = 0; done < heartbeats; done += 1) await saveHeartbeat(client, replica, 0);
}

/** Gives how long writes, pages and calls took. */
export async function playLoad(load: Load, { runs, calls, renewals, heartbeats }: LoadCounts): Promise<Times> {
  const times: Times = { write: [], page: [], call: [] };
  const share = Math.ceil(runs / environments);
  await Promise.all([
    ...instances.map((instance) => work(load, instance, share, times)),
    callHub(load, calls, times),
    playElection(load, renewals, heartbeats),
  ]);
  return times;
}
