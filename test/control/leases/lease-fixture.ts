/** An executor of the instance `app` that speaks the whole protocol, message by message. */
import type { HelloRequest, HelloResponse, JournalPosition, Lease } from '../../../src/contract/executor-api.ts';
import type { OpenControl } from '../../../src/control/open-control.ts';
import { createTestReport } from '../report-fixture.ts';

export const newJournal: JournalPosition = { seq: 0, registered_at_ms: 0, epoch: 0, fence: 0, finished_runs: 0 };

export async function requestTestRun(control: OpenControl): Promise<string> {
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  return run?.run_id ?? '';
}

export type Greeting = { readonly message: HelloRequest; readonly welcome: HelloResponse };

/** A start with its own challenge; `message` can be delivered again. */
export async function greet(
  control: OpenControl,
  startId: string,
  more: Partial<HelloRequest> = {},
): Promise<Greeting> {
  const port = control.executorPort('app');
  const { challenge } = await port.challenge({ start_id: startId });
  const message: HelloRequest = {
    ...{ protocol: 1, executor_version: '0.5.0', store_id: 'store-one', target: 'http://app:3100' },
    ...{ started: [], finished: [], start: { id: startId, challenge }, journal: newJournal },
    ...more,
  };
  return { message, welcome: await port.hello(message) };
}

/** What a journal says after it stored this welcome. */
export function journalOf({ epoch, run_totals: totals }: HelloResponse, more: Partial<JournalPosition> = {}) {
  const finished_runs = totals ? totals.passed + totals.failed + totals.not_judged + totals.cancelled : 0;
  return { ...newJournal, seq: 1, registered_at_ms: totals?.registered_at_ms ?? 0, epoch, finished_runs, ...more };
}

export async function completeRun(control: OpenControl, epoch: number, lease: Lease, more: Partial<JournalPosition>) {
  const { run_id, fence } = lease;
  const report = createTestReport(lease, 'app');
  const journal = { ...newJournal, ...more };
  return control.executorPort('app').complete({ epoch, run_id, fence, more: false, report, journal });
}
