/**
 * Data folders of control planes with the history of `fill-varied.ts`. A million runs take minutes to write, so each folder is
 * made once below `.cache/bench` and copied for each bench; a change of the files that make it makes another one.
 */
import { createHash } from 'node:crypto';
import { constants, cpSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { waitForRun } from '../../src/client/wait-for-run.ts';
import { type BenchContext, exampleScenarios } from './bench-context.ts';
import { fillVariedStore } from './fill-varied.ts';
import { repeatUntil } from './measure.ts';
import { addInstance, idAt, type Plane, runScenario, startExecutor, startPlane } from './plane.ts';

export const variedInstance = 'bench';
const cacheFolder = resolve('.cache/bench');
const schedules = 12;
/** Nobody listens there, so that the message about the failed run stays in the log. */
const closedUrl = 'https://127.0.0.1:9/';
/** With the schema: a store of an earlier version would be backed up and migrated before each bench. */
const madeBy = ['fill-varied.ts', 'varied-plane.ts', '../../src/store/control/schema/control-schema.ts'];

function getKey(): string {
  const digest = createHash('sha256');
  for (const file of madeBy) digest.update(readFileSync(join(import.meta.dirname, file)));
  return digest.digest('hex').slice(0, 12);
}

/** A scenario of the example with a check that its target does not satisfy. */
function createFailingScenario(): { id: string; text: string } {
  const [example] = exampleScenarios();
  if (!example) throw new Error('the example has no scenario');
  const id = 'RT-GET-failing';
  const text = example.text
    .replaceAll(example.id, id)
    .replace('- status=200', '- status=200\n- body has count equals -3');
  return { id, text };
}

async function failOnce({ client }: Plane): Promise<void> {
  const { id, text } = createFailingScenario();
  await client.scenarios.write(variedInstance, id, { text });
  const [requested] = await client.runs.request(variedInstance, { scenarios: [{ id }] });
  if (!requested) throw new Error('no run was made');
  const run = await waitForRun(client, requested.run_id);
  if (run.result !== 'failed') throw new Error(`run ${run.run_id} ended ${run.state}`);
  await repeatUntil(async () => (await client.notifications.listDeliveries({ limit: 1 })).items.length > 0);
}

async function make(context: BenchContext, count: number): Promise<string> {
  const plane = await startPlane(context);
  const key = await addInstance(plane, variedInstance);
  await plane.client.notifications.create({ channel: 'team', kind: 'webhook', url: closedUrl });
  for (let index = 0; index < schedules; index += 1)
    await plane.client.schedules.create(variedInstance, { schedule_id: `yearly-${index}`, cron: `${index} 3 1 1 *` });
  const executor = await startExecutor(context, plane, key, context.fresh('executor'));
  await runScenario(plane, variedInstance, idAt(0));
  await failOnce(plane);
  await executor.stop();
  await plane.service.stop();
  fillVariedStore(plane.data, variedInstance, count);
  return plane.data;
}

/** A copy of the folder with `count` runs; its control plane is stopped. */
export async function copyVariedFolder(context: BenchContext, count: number): Promise<string> {
  const cached = join(cacheFolder, `varied-${count}-${getKey()}`);
  if (!existsSync(cached)) {
    mkdirSync(cacheFolder, { recursive: true });
    const partial = `${cached}.partial-${process.pid}`;
    cpSync(await make(context, count), partial, { recursive: true });
    renameSync(partial, cached);
  }
  const copy = context.fresh('varied');
  cpSync(cached, copy, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return copy;
}
