/** A control plane that runs scenarios and notifies until it is killed. Arguments: data folder, URL of the receiver, `run` or `finish`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openNotificationService } from '../../src/assemble/control-plane/notifications.ts';
import { openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { createScenarioText } from '../control/report-fixture.ts';
import { completeRun } from '../control/runs/run-history.ts';

const [folder = '', url = '', mode = ''] = process.argv.slice(2);
const fail = (error: unknown): void => {
  process.stderr.write(`${String(error)}\n`);
};
const control = await openControl({
  ...{ folder, clock: systemClock, random: systemRandom, pid: process.pid, onError: fail },
});
const notifications = openNotificationService({
  ...{ control, environment: { variables: {} }, upstreams: { allowPrivate: true, extraRoots: [] } },
  notificationSettings: {
    ...{ collectDelayMs: 2, attemptTimeoutMs: 30_000, interruptedAfterMs: 1_000 },
    backoff: { initialMs: 20, maxMs: 200 },
  },
  address: () => 'https://vp.example',
  log: { error: ({ err }: { err: unknown }) => fail(err) } as never,
});
if ((await notifications.list()).length === 0) {
  const actor = { name: 'ana' };
  await control.instances.create({ instance_id: 'app' }, actor);
  await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, actor);
  await notifications.create({ channel: 'drill', kind: 'webhook', url }, actor);
}
// A run that the killed process had requested would be polled instead of the next one.
await control.runs.cancelQueued('app');
process.stdout.write('ready\n');
// A version of its own for each run: otherwise the scenario would become flaky.
for (let count = 0; mode === 'run'; count += 1) {
  const result = systemRandom.bytes(1)[0] ?? 0;
  await completeRun(control, {
    result: result % 2 === 0 ? 'passed' : 'failed',
    requestedVersion: `${process.pid}-${count}`,
  });
  await sleep(result % 20);
}
while ((await notifications.list()).some(({ pending }) => pending > 0)) await sleep(20);
// Changes that were not computed yet would be after this time.
await sleep(300);
while ((await notifications.list()).some(({ pending }) => pending > 0)) await sleep(20);
await notifications.close();
await control.close();
