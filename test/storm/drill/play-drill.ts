/**
 * Sets the scene of a drill: two databases, three replicas, a load balancer, executors, callers, hub clients and pages of the
 * console. Lets the faults loose on it, heals everything, and compares what is left with what was promised.
 */
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { readReadiness, startLoadBalancer } from '../../e2e/load-balancer.ts';
import { eventually } from '../../eventually.ts';
import { startFaultyProxy } from '../faulty-proxy.ts';
import { callRepeatedly, findLateReports, settleTimeoutMs, waitForEnd } from '../final-state.ts';
import { callHub, exportAudit, setUpHub, startCountingServer, tolerateClientErrors } from '../hub-clients.ts';
import { executorArgs, Role, StormProcesses } from '../roles.ts';
import { callRuns, createStormClient } from '../run-clients.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { StormRecord } from '../storm-record.ts';
import { startStormTarget, stormScenarioId, stormScenarioText } from '../target.ts';
import { judgeStorm, type StormVerdict } from '../verdict.ts';
import { DatabasePair, databaseName, databaseUser, Ending } from './database-pair.ts';
import { EventWatcher } from './event-watcher.ts';
import { causeFaults, listFaultNames } from './faults.ts';
import { createFleet, type DrillReplica } from './fleet.ts';

const instances = ['north', 'south', 'west'];
const runClientsPerInstance = 2;
const hubClients = 3;
const pages = 3;
const progressMs = 10_000;

export type DrillOptions = {
  readonly folder: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly paceMs: number;
  readonly print: (text: string) => void;
};

export type DrillResult = {
  readonly record: StormRecord;
  readonly verdict: StormVerdict;
  readonly faults: ReadonlyMap<string, number>;
  /** Faults that were not drawn. */
  readonly untried: readonly string[];
  readonly watchers: readonly EventWatcher[];
  /** Of all processes. */
  readonly output: string;
};

/** The first replica, and the file with the link for its first owner. */
async function startFirst({ role }: DrillReplica): Promise<string> {
  await role.start();
  return eventually(() => /"setup_link_file":"([^"]+)"/.exec(role.output)?.[1]);
}

async function waitUntilReady(fleet: readonly DrillReplica[]): Promise<void> {
  for (const replica of fleet) await eventually(async () => (await readReadiness(replica)).status === 'ready');
}

export async function playDrill({ folder, seed, durationMs, paceMs, print }: DrillOptions): Promise<DrillResult> {
  const random = createSeededRandom(seed);
  const record = new StormRecord();
  const processes = new StormProcesses(folder);
  const end = new Ending();
  end.teardown(() => processes.clear());
  end.teardown(tolerateClientErrors());
  try {
    const pair = await DatabasePair.start();
    end.teardown(() => pair.close());
    const { replicas: fleet, variables, upgrade } = await createFleet({ count: 3, record, processes, pair });
    end.teardown(() => Promise.all(fleet.flatMap(({ links }) => links.map((link) => link.close()))));
    const [first] = fleet;
    if (!first) throw new Error('there is no replica');
    const setupLinkFile = await startFirst(first);
    const target = await startStormTarget(random.split(), record);
    const server = await startCountingServer(record, random.split());
    end.teardown(() => Promise.all([target.close(), server.close()]));
    const hub = await setUpHub(() => first.url, setupLinkFile, server.url);
    for (const { role } of fleet.slice(1)) await role.start();
    await waitUntilReady(fleet);
    const balancer = await startLoadBalancer(end, { unavailable: 503, lost: 502 });
    balancer.setReplicas(fleet);
    const executorLink = await startFaultyProxy(random.split(), {}, ({ path, request, status }) => {
      if (status !== 200 || !path.endsWith('/executor/complete')) return;
      const { run_id: runId, report }: { run_id: string; report: { result: string | null } } = JSON.parse(request);
      record.reports.set(runId, report.result ?? 'cancelled');
    });
    executorLink.forwardTo(balancer.url);
    end.teardown(() => executorLink.close());

    const admin = createStormClient(balancer.url, hub.apiKey);
    const executors = await Promise.all(
      instances.map(async (instance) => {
        const { executor_key: key } = await admin.instances.create({ instance_id: instance });
        await admin.scenarios.write(instance, stormScenarioId, { text: stormScenarioText });
        const data = join(folder, `executor-${instance}`);
        const args = executorArgs(join(folder, `product-${instance}`), data, executorLink.url, target.origin);
        const start = () => processes.vp(args, { VP_EXECUTOR_KEY: key });
        const executor = new Role(`executor of ${instance}`, data, record, start);
        await executor.start();
        return executor;
      }),
    );

    const ending = new AbortController();
    const closing = new AbortController();
    const over = new AbortController();
    const common = { record, url: balancer.url, ending: ending.signal, closing: closing.signal };
    const watchers = Array.from({ length: pages }, (_, index) => new EventWatcher(`page ${index + 1}`));
    const watching = watchers.map((watcher) => watcher.watch(createStormClient(balancer.url, hub.apiKey), over.signal));
    const callers = [
      ...instances.flatMap((instance) =>
        Array.from({ length: runClientsPerInstance }, () =>
          callRuns({ ...common, random: random.split(), instance, token: hub.apiKey }),
        ),
      ),
      ...Array.from({ length: hubClients }, (_, index) =>
        callHub({ ...common, random: random.split(), token: hub.token, audit: admin.hubAudit, name: `c${index}` }),
      ),
    ];
    const faults = new Map<string, number>();
    const scene = {
      record,
      random: random.split(),
      ending: ending.signal,
      paceMs,
      pair,
      fleet,
      upgrade,
      executors,
      faults,
    };
    const troubles = causeFaults({ ...scene, print });
    const progress = (): string => {
      const { counts, acknowledged, arrivals, problems } = record;
      const changes = watchers.reduce((sum, watcher) => sum + watcher.changes, 0);
      const sum = [...faults.values()].reduce((total, count) => total + count, 0);
      return `${Math.round(record.elapsedMs() / 1000)} s · ${sum} faults · ${acknowledged.size} runs acknowledged · ${arrivals.length} sent · ${counts['answered calls']} calls answered · ${changes} changes seen · ${problems.length} problems`;
    };
    const printed = new Set<string>();
    const timer = setInterval(() => {
      const problems = [...record.problems, ...watchers.flatMap((watcher) => watcher.problems)];
      for (const problem of problems) {
        if (printed.has(problem)) continue;
        printed.add(problem);
        print(`✗ ${problem}`);
      }
      print(progress());
    }, progressMs);
    end.teardown(() => clearInterval(timer));
    // A part that fails ends the drill; what it did until then is judged.
    const failed = Promise.all([...callers, troubles]).catch((error) =>
      record.addProblem(String(error?.stack ?? error)),
    );
    await Promise.race([sleepFor(durationMs), failed]);
    ending.abort();
    await Promise.allSettled([troubles]);
    const giveUp = setTimeout(() => closing.abort(), settleTimeoutMs);
    await Promise.allSettled(callers);
    clearTimeout(giveUp);
    print(`healed: waiting for the end of all runs · ${progress()}`);

    for (const { role } of fleet) if (role.hasEnded) await role.start();
    for (const executor of executors) if (executor.hasEnded) await executor.start();
    const runs = new Map((await callRepeatedly(() => waitForEnd(admin, instances))).map((run) => [run.run_id, run]));
    const lateReports = await findLateReports(admin, record, runs);
    const auditRows = (await callRepeatedly(() => exportAudit(admin.hubAudit)))
      .split('\n')
      .filter((line) => line !== '');
    const findMissed = (): string[] => watchers.flatMap((watcher) => watcher.findMissed(runs));
    await eventually(() => findMissed().length === 0, { timeoutMs: 60_000 }).catch(() => undefined);
    over.abort();
    await Promise.allSettled(watching);
    for (const problem of watchers.flatMap((watcher) => watcher.problems)) record.addProblem(problem);
    for (const problem of findMissed()) record.addProblem(problem);
    for (const executor of executors) await executor.stop();
    for (const { role } of fleet) await role.stop();
    record.counts['audits verified'] += 1;
    const url = pair.primary.server.getUrl(databaseName, { user: databaseUser });
    const verification = ['audit', 'verify', '--database', url, '--data', first.role.data];
    const { code, stdout, stderr } = await processes.vp(verification, variables).ended;
    if (code !== 0) record.addProblem(`vp audit verify: exit ${code}\n${stdout}${stderr}`);
    print(stdout);
    const verdict = judgeStorm(record, { runs, lateReports, auditRows });
    const untried = listFaultNames().filter((name) => !faults.has(name));
    return { record, verdict, faults, untried, watchers, output: processes.allOutput };
  } finally {
    await end.run();
  }
}
