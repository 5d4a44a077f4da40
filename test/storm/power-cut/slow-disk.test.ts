/** A disk whose every sync takes a while, under both roles: runs take longer, and nothing else changes. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startGatedTarget } from '../../e2e/gated-target.ts';
import { createOwnerClient, listeningUrl, type Sandbox, sandboxTest } from '../../e2e/sandbox.ts';
import { configText, instance, scenarioId, scenarioText } from '../../e2e/test-environment.ts';
import { readJournal } from './disk-replay.ts';
import { buildWriteJournal } from './recorded-run.ts';

const slowSyncMs = 200;
const runs = 3;
const hasCompiler = spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0;
/** In continuous integration this is a failure. */
const skip = hasCompiler || process.env.CI ? false : 'there is no C compiler';

/** Starts a role whose store in `folder` is on a slow disk; `countSyncs` says how often that was waited for. */
function startOnSlowDisk(
  sandbox: Sandbox,
  library: string,
  { folder, args, key }: { readonly folder: string; readonly args: readonly string[]; readonly key?: string },
) {
  const journal = `${folder}.journal`;
  const variables = {
    ...{ LD_PRELOAD: library, JOURNAL_FOLDER: folder, JOURNAL_FILE: journal, UV_USE_IO_URING: '0' },
    ...{ JOURNAL_SLOW_FILE: '.db-wal', JOURNAL_SLOW_MS: String(slowSyncMs) },
    ...(key === undefined ? {} : { VP_EXECUTOR_KEY: key }),
  };
  const running = sandbox.vp([...args, '--json', '--port', '0', '--data', folder], { variables });
  const countSyncs = (): number =>
    [...readJournal(readFileSync(journal))].filter(
      ({ operation, path }) => operation === 'sync ended' && path.endsWith('.db-wal'),
    ).length;
  return { running, data: folder, countSyncs };
}

async function runOnSlowDisks(t: Test, sandbox: Sandbox): Promise<void> {
  const built = buildWriteJournal(sandbox.folder);
  if ('reason' in built) throw new Error(built.reason);
  const start = (name: string, args: readonly string[], key?: string) =>
    startOnSlowDisk(sandbox, built.library, { folder: join(sandbox.folder, name), args, ...(key ? { key } : {}) });
  const target = await startGatedTarget(t);
  sandbox.write('product/platform-config.yaml', configText(target.origin));
  const plane = start('plane', ['serve']);
  const url = await listeningUrl(plane.running);
  const client = createOwnerClient({ url, data: plane.data });
  const { executor_key: key } = await client.instances.create({ instance_id: instance });
  await client.scenarios.write(instance, scenarioId, { text: scenarioText() });
  const product = ['--product-dir', join(sandbox.folder, 'product'), '--control-plane', url];
  const executor = start('executor', ['executor', ...product], key);
  await listeningUrl(executor.running);
  const scenarios = Array.from({ length: runs }, () => ({ id: scenarioId }));
  const requested = await client.runs.request(instance, { scenarios });
  for (const { run_id: id } of requested) {
    let run = await client.runs.get(id, { waitMs: 5000 });
    while (run.finished_at === null) run = await client.runs.get(id, { waitMs: 5000 });
    t.match(run, { state: 'passed', report: { result: 'passed' } });
  }
  t.same(
    target.log,
    requested.map(({ correlation_id: id }) => id),
    'each was sent once, in the order of the requests',
  );
  for (const { countSyncs, data } of [plane, executor])
    t.ok(countSyncs() >= runs, `${countSyncs()} syncs of ${slowSyncMs} ms below ${data}`);
}

sandboxTest('on a slow disk runs pass, and each is sent once', runOnSlowDisks, skip);
