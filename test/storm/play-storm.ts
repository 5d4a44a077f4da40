/** Sets the scene of a storm, lets callers and faults loose on it, heals everything, and waits for the end of all runs. */
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { type ChaosOptions, disturbControlPlane, disturbExecutor } from './chaos.ts';
import { type FaultRates, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { callRepeatedly, findLateReports, settleTimeoutMs, waitForEnd } from './final-state.ts';
import { callHub, exportAudit, setUpHub, startCountingServer, tolerateClientErrors } from './hub-clients.ts';
import { controlPlaneArgs, executorArgs, Role, StormProcesses } from './roles.ts';
import { callRuns, createStormClient } from './run-clients.ts';
import { createSeededRandom } from './seeded-random.ts';
import { mountSmallDisk, type SmallDisk } from './small-disks.ts';
import { StormRecord } from './storm-record.ts';
import { startStormTarget, stormScenarioId, stormScenarioText } from './target.ts';
import { judgeStorm, type StormVerdict } from './verdict.ts';

const instances = ['north', 'south', 'west'];
const runClientsPerInstance = 2;
const hubClients = 3;
const progressMs = 5000;

/** Executors' calls may all be repeated. So may callers', with their keys; calls through a hub may not. */
const repeatable: FaultRates = {
  'lost request': 0.03,
  'lost response': 0.03,
  cut: 0.02,
  delay: 0.03,
  double: 0.03,
  replay: 0.03,
};
const unrepeatable: FaultRates = { 'lost request': 0.01, 'lost response': 0.01, cut: 0.01, delay: 0.02 };

export type StormOptions = {
  readonly folder: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly paceMs: number;
  readonly print: (text: string) => void;
};

export type StormResult = {
  readonly record: StormRecord;
  readonly verdict: StormVerdict;
  /** Faults that this machine cannot have. */
  readonly skipped: readonly string[];
  /** Of all processes. */
  readonly output: string;
};

function createProgress(record: StormRecord, proxies: readonly FaultyProxy[]): () => string {
  return () => {
    const { counts, acknowledged, arrivals, problems } = record;
    const faults = proxies.flatMap((proxy) => [...proxy.faults.values()]).reduce((sum, count) => sum + count, 0);
    return [
      `${Math.round(record.elapsedMs() / 1000)} s`,
      `${counts.kills} kills`,
      `${counts.freezes} freezes`,
      `${counts['folders back']} folders back`,
      `${counts['disks full']} disks full`,
      `${faults} network faults`,
      `${acknowledged.size} runs acknowledged`,
      `${arrivals.length} sent`,
      `${counts['answered calls']} calls answered`,
      `${problems.length} problems`,
    ].join(' · ');
  };
}

export async function playStorm({ folder, seed, durationMs, paceMs, print }: StormOptions): Promise<StormResult> {
  const random = createSeededRandom(seed);
  const record = new StormRecord();
  const processes = new StormProcesses(folder);
  const skipped: string[] = [];
  const disks: SmallDisk[] = [];
  const proxies: FaultyProxy[] = [];
  const closers: (() => unknown)[] = [];
  const stopTolerating = tolerateClientErrors();

  const mountDisk = (name: string, sizeMib: number): SmallDisk | undefined => {
    const disk = mountSmallDisk(join(folder, name), sizeMib);
    if (disk) disks.push(disk);
    else skipped.push(`full disk of the ${name}: this user may not mount; run it as root`);
    return disk;
  };
  const addProxy = async (
    rates: FaultRates,
    onExchange?: Parameters<typeof startFaultyProxy>[2],
  ): Promise<FaultyProxy> => {
    const proxy = await startFaultyProxy(random.split(), rates, onExchange);
    proxies.push(proxy);
    return proxy;
  };
  try {
    const target = await startStormTarget(random.split(), record);
    const server = await startCountingServer(record, random.split());
    closers.push(
      () => target.close(),
      () => server.close(),
    );
    const executorLink = await addProxy(repeatable, ({ path, request, status }) => {
      if (status !== 200 || !path.endsWith('/executor/complete')) return;
      const { run_id: runId, report }: { run_id: string; report: { result: string | null } } = JSON.parse(request);
      record.reports.set(runId, report.result ?? 'cancelled');
    });
    const callerLink = await addProxy(repeatable);
    const hubLink = await addProxy(unrepeatable);
    const upstreamLink = await addProxy(unrepeatable);
    /** For setup and for what is read at the end. */
    const cleanLink = await addProxy({});
    upstreamLink.forwardTo(server.url);

    const planeDisk = mountDisk('control plane', 1024);
    const planeData = join(planeDisk?.folder ?? folder, 'plane');
    let setupLinkFile = '';
    let planeUrl = '';
    const plane: Role = new Role(
      'the control plane',
      planeData,
      record,
      () => processes.vp(controlPlaneArgs(planeData)),
      (url) => {
        planeUrl = url;
        setupLinkFile ||= /"setup_link_file":"([^"]+)"/.exec(plane.output)?.[1] ?? '';
        for (const proxy of [executorLink, callerLink, hubLink, cleanLink]) proxy.forwardTo(url);
      },
    );
    await plane.start();
    const hub = await setUpHub(() => planeUrl, setupLinkFile, upstreamLink.url);
    const token = hub.apiKey;
    const admin = createStormClient(cleanLink.url, token);

    const executors = await Promise.all(
      instances.map(async (instance, index) => {
        const { executor_key: key } = await admin.instances.create({ instance_id: instance });
        await admin.scenarios.write(instance, stormScenarioId, { text: stormScenarioText });
        const disk = index === 0 ? mountDisk('executor', 32) : undefined;
        const createExecutor = (name: string, data: string): Role => {
          const args = executorArgs(join(folder, `${name}-product`), data, executorLink.url, target.origin);
          return new Role(name, data, record, () => processes.vp(args, { VP_EXECUTOR_KEY: key }));
        };
        const executor = createExecutor(`executor-${instance}`, join(disk?.folder ?? folder, `executor-${instance}`));
        const rival = createExecutor(`rival-${instance}`, join(folder, `rival-${instance}`));
        await executor.start();
        return { executor, disk, rival, copy: join(folder, `copy-${instance}`) };
      }),
    );

    const verifyAudit = async (): Promise<void> => {
      record.counts['audits verified'] += 1;
      const { code, stdout, stderr } = await processes.vp(['audit', 'verify', '--data', planeData]).ended;
      if (code !== 0) record.addProblem(`vp audit verify: exit ${code}\n${stdout}${stderr}`);
    };
    const ending = new AbortController();
    const closing = new AbortController();
    const callers = [
      ...instances.flatMap((instance) =>
        Array.from({ length: runClientsPerInstance }, () =>
          callRuns({
            ...{ record, random: random.split(), instance, url: callerLink.url, token },
            ...{ ending: ending.signal, closing: closing.signal },
          }),
        ),
      ),
      ...Array.from({ length: hubClients }, (_, index) =>
        callHub({
          ...{ record, random: random.split(), token: hub.token, audit: admin.hubAudit },
          ...{ url: hubLink.url, name: `c${index}`, ending: ending.signal },
        }),
      ),
    ];
    const chaos = (): ChaosOptions => ({ record, random: random.split(), ending: ending.signal, paceMs });
    const disturbances = [
      disturbControlPlane(chaos(), plane, { disk: planeDisk, verifyAudit }),
      ...executors.map(({ executor, ...settings }) => disturbExecutor(chaos(), executor, settings)),
    ];
    const progress = createProgress(record, proxies);
    const timer = setInterval(() => print(progress()), progressMs);
    closers.push(() => clearInterval(timer));
    // A part that fails ends the storm; what it did until then is judged.
    const failed = Promise.all([...callers, ...disturbances]).catch((error) => record.addProblem(String(error)));
    await Promise.race([sleepFor(durationMs), failed]);
    ending.abort();
    await Promise.allSettled(disturbances);
    for (const proxy of proxies) proxy.heal();
    const giveUp = setTimeout(() => closing.abort(), settleTimeoutMs);
    await Promise.allSettled(callers);
    clearTimeout(giveUp);
    print(`healed: waiting for the end of all runs · ${progress()}`);

    for (const { executor } of executors) if (executor.hasEnded) await executor.start();
    const runs = new Map((await callRepeatedly(() => waitForEnd(admin, instances))).map((run) => [run.run_id, run]));
    const lateReports = await findLateReports(admin, record, runs);
    const auditRows = (await callRepeatedly(() => exportAudit(admin.hubAudit)))
      .split('\n')
      .filter((line) => line !== '');
    for (const { executor } of executors) await executor.stop();
    await plane.stop();
    await verifyAudit();
    const verdict = judgeStorm(record, { runs, lateReports, auditRows });
    return { record, verdict, skipped, output: processes.allOutput };
  } finally {
    await processes.clear();
    for (const close of closers) await close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    for (const disk of disks) disk.unmount();
    stopTolerating();
  }
}
