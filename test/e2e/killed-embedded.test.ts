/** Repeated kill -9 of a control plane with its executor in the same process, at random times within its runs. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Run } from '../../src/contract/api.ts';
import { listeningUrl, type Sandbox, type ServedControlPlane, sandboxTest } from './sandbox.ts';
import { instance, scenarioText, startUnregisteredEnvironment } from './test-environment.ts';

const killCount = 6;
const runsPerStart = 40;

/** On the same folder each time. */
async function serveEmbedded(sandbox: Sandbox, scenarios: string): Promise<ServedControlPlane> {
  const data = join(sandbox.folder, 'embedded');
  const roles = ['--embedded', '--product-dir', 'product', '--test-dir', scenarios, '--instance', instance];
  const running = sandbox.vp(['serve', '--json', '--port', '0', '--data', data, ...roles]);
  return { running, data, url: await listeningUrl(running) };
}

sandboxTest('a storm of kills: every run ends once, and what passed has its report', async (t, sandbox) => {
  const scenarios = sandbox.write('scenarios/document.md', scenarioText());
  const serve = () => serveEmbedded(sandbox, scenarios);
  const env = await startUnregisteredEnvironment(t, sandbox, { serve });
  const requested: Run[] = [];
  for (let count = 0; count < killCount; count += 1) {
    if (env.controlPlane.running.hasEnded) env.controlPlane = await serve();
    requested.push(...(await env.requestRuns(runsPerStart)));
    const arrivals = env.target.log.length;
    await env.target.arrivals(arrivals + 1 + randomInt(10));
    // Between two steps of a run, in which of them is random on purpose: tests of the executor stop in each.
    await sleepFor(randomInt(8));
    await env.killControlPlane();
  }
  env.controlPlane = await serve();
  const ended = await env.waitForRuns(requested);
  const { log } = env.target;

  t.equal(ended.length, killCount * runsPerStart);
  t.equal(new Set(log).size, log.length, 'nothing was sent twice');
  const inconsistent = ended.filter(({ result, failure_kind: kind, correlation_id: id, report }) =>
    result === 'passed' ? !log.includes(id) || report?.result !== 'passed' : kind !== 'executor_lost',
  );
  t.same(inconsistent, [], 'what passed was sent and has its report, and what did not was lost in a kill');
  const lost = ended.filter(({ failure_kind: kind }) => kind === 'executor_lost');
  t.ok(lost.length <= killCount, 'no kill costs more than the run in hand');
});
