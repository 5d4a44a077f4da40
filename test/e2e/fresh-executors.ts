/** A control plane with one instance, and executors for it one after another: each has seen nothing but proper responses. */
import { join } from 'node:path';
import type { RunDocument } from '../../src/contract/api.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import { readResidentMiB, watchMemory } from './process-memory.ts';
import type { RunningProcess } from './processes.ts';
import { createOwnerClient, listeningUrl, type Sandbox } from './sandbox.ts';

const instance = 'shop';
/** As in the image: with more arenas, malloc keeps up to 50 MiB more of what many targets together have used. */
const executorVariables = { MALLOC_ARENA_MAX: '1' };
const warmUpRuns = 20;
const warmUpScenario = 'RT-good';

export type FreshExecutors = {
  /** Kills the one before. The returned one has run the scenario `RT-good`, which must be written before, several times. */
  start(): Promise<RunningProcess>;
  /**
   * By how many MiB `play` makes a new executor grow at most. One that has played others has what they left behind as well, so what keeps it
   * within `maxMiB` over its start keeps a new one within that too. Where it exceeds that, new ones play it, three at most.
   */
  measureGrowth(maxMiB: number, play: () => Promise<void>): Promise<number>;
  write(id: string, text: string): Promise<unknown>;
  /** Resolves when it has ended. */
  run(id: string): Promise<RunDocument>;
};

/** Executors with the config `configText`; `lifetimeMs` is that of all processes. */
export async function openFreshExecutors(
  sandbox: Sandbox,
  { configText, lifetimeMs }: { readonly configText: string; readonly lifetimeMs: number },
): Promise<FreshExecutors> {
  sandbox.write('product/platform-config.yaml', configText);
  const data = join(sandbox.folder, 'plane');
  const plane = sandbox.vp(['serve', '--json', '--port', '0', '--data', data], { lifetimeMs });
  const controlPlane = { running: plane, data, url: await listeningUrl(plane) };
  const client = createOwnerClient(controlPlane);
  const { executor_key } = await client.instances.create({ instance_id: instance });
  const product = ['--data', join(sandbox.folder, 'executor'), '--product-dir', join(sandbox.folder, 'product')];
  const args = ['executor', '--json', '--port', '0', '--control-plane', controlPlane.url, ...product];
  const variables = { ...executorVariables, VP_EXECUTOR_KEY: executor_key };
  let executor: RunningProcess | undefined;
  const waitForEnd = async (id: string): Promise<RunDocument> => {
    for (;;) {
      const run = await client.runs.get(id, { waitMs: 5000 });
      if (run.finished_at !== null) return run;
    }
  };
  const runAll = async (ids: readonly string[]): Promise<RunDocument[]> => {
    const requested = await client.runs.request(instance, { scenarios: ids.map((id) => ({ id })) });
    const runs: RunDocument[] = [];
    for (const { run_id } of requested) runs.push(await waitForEnd(run_id));
    return runs;
  };
  async function start(): Promise<RunningProcess> {
    executor?.signal('SIGKILL');
    await executor?.ended;
    executor = sandbox.vp(args, { variables, lifetimeMs });
    await listeningUrl(executor);
    const runs = await runAll(Array.from({ length: warmUpRuns }, () => warmUpScenario));
    for (const { state, run_id } of runs) if (state !== 'passed') throw new Error(`${run_id}, a warm-up, is ${state}`);
    return executor;
  }
  let started: { readonly pid: number; readonly residentMiB: number } | undefined;
  async function playOn({ pid, residentMiB }: NonNullable<typeof started>, play: () => Promise<void>): Promise<number> {
    const readGrowth = watchMemory(pid, Math.min(residentMiB, readResidentMiB(pid)));
    await play();
    return readGrowth();
  }
  return {
    start,
    async measureGrowth(maxMiB, play) {
      const growth = started ? await playOn(started, play) : Number.POSITIVE_INFINITY;
      if (growth <= maxMiB) return growth;
      return measureSmallest(maxMiB, async () => {
        const { pid } = await start();
        started = { pid, residentMiB: readResidentMiB(pid) };
        return playOn(started, play);
      });
    },
    write: (id, text) => client.scenarios.write(instance, id, { text }),
    async run(id) {
      const [ended] = await runAll([id]);
      if (!ended) throw new Error(`no run of ${id} was requested`);
      return ended;
    },
  };
}
