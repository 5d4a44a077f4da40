/** The disk of the audit is full: answered calls are kept, others are refused with the reason, and they go on when there is room. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { closeConnections } from '../bench/hub-raw-call.ts';
import { eventually } from '../eventually.ts';
import { countCallRows, countRecentLines, startAuditedPlane } from './killed-audit-fixture.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';
import { createLimitedFolder, createSmallDisk, type SmallDisk } from './small-disk.ts';

t.teardown(closeConnections);

/** Calls are refused where less than 64 MiB are free. */
const mib = 72;

const intact = /^✓ acme: \d+ entries, 1 to \d+; chain end acme@\d+:[0-9a-f]{64}\n$/;

async function startOn(t: Test, sandbox: Sandbox, disk: SmallDisk) {
  const plane = await startAuditedPlane(t, sandbox, disk);
  for (let count = 0; count < 3; count += 1) await plane.call();
  return plane;
}

type Plane = Awaited<ReturnType<typeof startOn>>;

/** Calls until one is refused; gives the refusal. */
async function callUntilRefused(plane: Plane): Promise<string> {
  for (let count = 0; count < 20_000; count += 1) {
    try {
      await plane.call();
    } catch (error) {
      return String(error);
    }
  }
  throw new Error('no call is refused');
}

/** Of an audit that nobody writes. SQLite cannot open it through the folder of another process. */
function countRows(plane: Plane, sandbox: Sandbox): number {
  const copy = join(sandbox.folder, 'copy');
  cpSync(plane.data, copy, { recursive: true });
  return countCallRows(join(copy, 'audit.db'));
}

async function assertGoesOn(t: Test, sandbox: Sandbox, disk: SmallDisk): Promise<void> {
  const plane = await startOn(t, sandbox, disk);
  disk.fill(plane.running);
  t.match(await callUntilRefused(plane), /AUDIT_UNAVAILABLE|could not be written to the audit/);
  const refused = plane.answered;
  t.match(await callUntilRefused(plane), /could not be written to the audit/);
  t.equal(plane.answered, refused, 'and so is the next one');
  const verifyNow = await disk.vp(['audit', 'verify', '--data', join(disk.folder, 'plane')]).ended;
  const warning =
    /^warning AUDIT_CALLS_PENDING: calls that the audit has recorded .*: the control plane that is running cannot write them\n/;
  t.match(verifyNow, { code: 0, stderr: countRecentLines(plane.data) > 0 ? warning : '' });
  disk.free(plane.running);
  await eventually(() => plane.call().then(() => true), { description: 'room for calls' });
  for (let count = 0; count < 5; count += 1) await plane.call();
  plane.running.signal('SIGTERM');
  t.equal((await plane.running.ended).code, 0);
  const rows = countRows(plane, sandbox);
  // A call that was refused after it was sent has a row too.
  t.ok(rows >= plane.answered && rows <= plane.answered + 3, `${rows} rows, ${plane.answered} answered`);
  const { code, stderr } = await disk.vp(['audit', 'verify', '--data', join(disk.folder, 'plane')]).ended;
  t.match({ code, stderr }, { code: 0, stderr: '' });
}

sandboxTest('the disk of the audit is full', async (t, sandbox) => {
  const disk = await createSmallDisk(t, sandbox, { mib });
  await assertGoesOn(t, sandbox, disk);
});

sandboxTest('the files of the audit may not grow', async (t, sandbox) => {
  const disk = createLimitedFolder(sandbox);
  await assertGoesOn(t, sandbox, disk);
});

sandboxTest('a control plane is killed while the disk of its audit is full', async (t, sandbox) => {
  const disk = await createSmallDisk(t, sandbox, { mib });
  const plane = await startOn(t, sandbox, disk);
  disk.fill(plane.running);
  await callUntilRefused(plane);
  await plane.running.kill();
  disk.free(plane.running);
  const verified = await disk.vp(['audit', 'verify', '--data', join(disk.folder, 'plane')]).ended;
  t.match(verified, { code: 0, stdout: intact, stderr: '' });
  const rows = countRows(plane, sandbox);
  t.ok(rows >= plane.answered && rows <= plane.answered + 1, `${rows} rows, ${plane.answered} answered`);
});
