/** The official conformance suite, of both revisions, against an upstream alone and through a hub before it: the hub adds no failure. */
import t, { type Test } from 'tap';
import { type Eras, everything } from './conformance/everything.ts';
import { hubBefore } from './conformance/hub-before.ts';
import { conformance, type Found } from './conformance/suite.ts';
import { served } from './hostile/listening.ts';

/** What the suite only notes: a hub answers lists of older eras as plain JSON, as the protocol allows, not as a stream each. */
const differs = ['server-sse-multiple-streams: server-sse-streams-functional'];

/** Both runs at once; the number of checks that pass is told. */
async function compared(t: Test, revision: string, eras: Eras): Promise<void> {
  const upstream = await served(t, everything(eras));
  const alone = await served(t, everything(eras));
  const { url, token } = await hubBefore(t, upstream.url);
  const [direct, through] = await Promise.all([conformance(alone.url, revision), conformance(url, revision)]);
  t.comment(`${revision}: ${told(direct)} directly, ${told(through)} through the hub`);
  t.ok(direct.passed.length > 70, 'the upstream has what the suite asks for');
  t.same(added(direct, through), [], 'nothing fails through the hub alone');
  const leftOut = direct.passed.filter((check) => !through.passed.includes(check) && !differs.includes(check));
  t.same(leftOut, [], 'and nothing is left out');
  t.notMatch(JSON.stringify(upstream.seen.map((headers) => [...headers])), token);
}

function told({ passed, failed }: Found): string {
  return `${passed.length} passed, ${failed.size} failed`;
}

/** What fails through the hub alone, with what the suite says of it. */
function added(direct: Found, through: Found): string[] {
  return [...through.failed].filter(([check]) => !direct.failed.has(check)).map((entry) => entry.join(': '));
}

const timeout = 200_000;

t.test('a client of the newest revision before an upstream of all', { timeout }, (t) =>
  compared(t, '2026-07-28', 'both'),
);

t.test('an older client before an upstream of the newest revision', { timeout }, (t) =>
  compared(t, '2025-11-25', 'both'),
);

t.test('an older client before an older upstream', { timeout }, (t) => compared(t, '2025-11-25', 'older'));
