/** Places for statements about the audit: what is safe there, and what is reported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  type AnchorDestination,
  createAnchorTarget,
} from '../../../src/assemble/control-plane/audit-anchor-targets.ts';
import { createStatement, parseStatements } from '../../../src/hub/audit/anchor-statement.ts';
import { defaultAuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { startHttpTarget } from '../../targets/http-target.ts';

const statement = await createStatement([], 5000, defaultAuditSettings, undefined);

function openTarget(destination: AnchorDestination, clock = fakeClock()) {
  const noLog = (): void => undefined;
  const log = { error: noLog, warn: noLog, info: noLog, debug: noLog };
  return createAnchorTarget(destination, { log, clock, variables: {}, extraRoots: [] });
}

t.test('a file is appended to', async (t) => {
  const file = join(t.testdir({ 'anchors.jsonl': 'before\n' }), 'anchors.jsonl');
  const target = openTarget({ kind: 'file', file });
  await target.send(statement);
  await target.send(statement);
  const line = JSON.stringify(statement);
  t.equal(readFileSync(file, 'utf8'), `before\n${line}\n${line}\n`);
});

t.test('a line that was cut off does not spoil the next one', async (t) => {
  const file = join(t.testdir({ 'anchors.jsonl': '{"vp_audit_anchor":1,"at' }), 'anchors.jsonl');
  await openTarget({ kind: 'file', file }).send(statement);
  t.match(parseStatements(readFileSync(file, 'utf8')), [
    { line: 1, statement: undefined },
    { line: 2, statement },
  ]);
});

async function startHook(t: Test, status: number | undefined) {
  const hook = await startHttpTarget((_request, response) => void (status && response.writeHead(status).end()));
  t.teardown(() => hook.close());
  const clock = fakeClock();
  return { clock, target: openTarget({ kind: 'webhook', url: new URL(`${hook.origin}/a?secret=hidden`) }, clock) };
}

t.test('a webhook that refuses, and one that redirects, is a failure without the secret of its address', async (t) => {
  for (const status of [500, 401, 307]) {
    const { target } = await startHook(t, status);
    const error: Error = await target.send(statement).then(
      () => t.fail('it was refused'),
      (thrown) => thrown,
    );
    t.match(error, { code: 'AUDIT_ANCHOR_FAILED', message: new RegExp(`it answered ${status}`) });
    t.notMatch(String(error), 'hidden');
  }
});

t.test('a webhook that does not answer is given up', async (t) => {
  const { clock, target } = await startHook(t, undefined);
  const sending = t.rejects(target.send(statement), { code: 'AUDIT_ANCHOR_FAILED', message: /no answer within 10 s/ });
  let isSettled = false;
  void sending.then(() => {
    isSettled = true;
  });
  await eventually(() => {
    clock.advance(10_000);
    return isSettled;
  });
});
