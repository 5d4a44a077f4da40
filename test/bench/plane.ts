/** A control plane with executors, each in a process of its own, and runs on it. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '../../src/client/client.ts';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { apiToken, type BenchContext, exampleScenarios } from './bench-context.ts';
import { repeatUntil } from './measure.ts';
import { type Service, serve } from './processes.ts';

/** A running `vp serve`. `data` is its folder: `startPlane` goes on with it. */
export type Plane = { readonly client: Client; readonly url: string; readonly service: Service; readonly data: string };

/** What one run is asked for with. */
export const scenarioIds: readonly string[] = exampleScenarios().map(({ id }) => id);

export async function createPlane(service: Service, data: string): Promise<Plane> {
  const { url, owner_key_file: keyFile } = service.startInfo;
  if (typeof keyFile !== 'string') throw new Error('vp serve does not say where its owner key is');
  const token = readFileSync(keyFile, 'utf8').trim();
  return { client: createClient({ baseUrl: url, token, fetch }), url, service, data };
}

/** `vp serve` on a free port, in a new folder unless `data` names one; `more` are further flags. */
export async function startPlane(
  context: BenchContext,
  data = context.fresh('plane'),
  ...more: readonly string[]
): Promise<Plane> {
  const program = context.vp('serve', '--json', '--port', '0', '--data', data, ...more);
  return createPlane(await serve(program, context.fresh('plane-log')), data);
}

/** `vp serve --database`, a replica without others. It writes its owner key once it is active. */
export async function startPostgresPlane(context: BenchContext, databaseUrl: string): Promise<Plane> {
  const data = context.fresh('plane');
  const program = context.vp('serve', '--json', '--port', '0', '--data', data, '--database', databaseUrl);
  const service = await serve(program, context.fresh('plane-log'));
  const ownerKeyFile = join(data, 'owner.key');
  await repeatUntil(async () => existsSync(ownerKeyFile));
  return createPlane({ ...service, startInfo: { ...service.startInfo, owner_key_file: ownerKeyFile } }, data);
}

/** Another replica on the database of `active`, once it forwards to it. `data` is a folder of its own with the same master key. */
export async function startStandby(context: BenchContext, active: Plane, databaseUrl: string): Promise<Plane> {
  const data = context.fresh('plane');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  for (const name of ['master.key', 'owner.key']) copyFileSync(join(active.data, name), join(data, name));
  const program = context.vp('serve', '--json', '--port', '0', '--data', data, '--database', databaseUrl);
  const service = await serve(program, context.fresh('plane-log'));
  await repeatUntil(async () => (await fetch(`${service.startInfo.url}/readyz`)).ok);
  return createPlane(
    { ...service, startInfo: { ...service.startInfo, owner_key_file: join(data, 'owner.key') } },
    data,
  );
}

/** `vp serve --embedded`: the executor of instance `id` in the same process. */
export async function startEmbeddedPlane(context: BenchContext, id: string): Promise<Plane> {
  const { productDir, testDir } = context;
  const { url } = await context.target();
  const target = ['--product-dir', productDir, '--test-dir', testDir, '--base-url', url];
  return startPlane(context, undefined, '--embedded', '--instance', id, ...target);
}

/** An instance with the four scenarios; gives its executor key. */
export async function addInstance({ client }: Plane, id: string): Promise<string> {
  const { executor_key } = await client.instances.create({ instance_id: id });
  for (const scenario of exampleScenarios()) await client.scenarios.write(id, scenario.id, { text: scenario.text });
  return executor_key;
}

/** `vp executor` for the instance of `key`, with its store in `data`. */
export async function startExecutor(context: BenchContext, plane: Plane, key: string, data: string): Promise<Service> {
  const { url } = await context.target();
  const keyFile = context.fresh('executor-key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const { productDir } = context;
  const own = ['--key-file', keyFile, '--data', data, '--port', '0', '--control-plane', plane.url];
  const program = context.vp('executor', '--json', '--product-dir', productDir, '--base-url', url, ...own);
  return serve(program, context.fresh('executor-log'));
}

/** Asks for one run, waits for its verdict. Throws unless it passed. */
export async function runScenario({ client }: Plane, instance: string, scenario: string): Promise<void> {
  const [requested] = await client.runs.request(instance, { scenarios: [{ id: scenario }] });
  if (!requested) throw new Error('no run was made');
  const run = await waitForRun(client, requested.run_id);
  if (run.result !== 'passed') throw new Error(`run ${run.run_id} ended ${run.state}: ${run.failure_message}`);
}

/** Asks for `count` runs at once, waits for the last verdict. Throws unless all passed. */
export async function manyRuns({ client }: Plane, instance: string, count: number): Promise<void> {
  const scenarios = Array.from({ length: count }, (_, index) => ({ id: idAt(index) }));
  const [first, ...others] = await client.runs.request(instance, { scenarios });
  const last = others.at(-1) ?? first;
  if (!first || !last) throw new Error('no run was made');
  await waitForRun(client, last.run_id);
  const states = ['failed', 'cancelled', 'queued', 'in_progress'] as const;
  const { items } = await client.runs.list({ instance, states, since: first.requested_at });
  if (items[0]) throw new Error(`run ${items[0].run_id} is ${items[0].state}: ${items[0].failure_message}`);
}

/** The scenarios one after the other, again and again. */
export function idAt(index: number): string {
  return scenarioIds[index % scenarioIds.length] ?? '';
}

/** The floor of a run: the same call to the target, and its answer read. */
export async function rawCall(url: string, scenario: string): Promise<void> {
  const collection = scenario.replace(/^RT-GET-/, '');
  const response = await fetch(`${url}/api/v2/${collection}`, { headers: { authorization: `Bearer ${apiToken}` } });
  if ((await response.text()) === '' || response.status !== 200) throw new Error(`the target: ${response.status}`);
}
