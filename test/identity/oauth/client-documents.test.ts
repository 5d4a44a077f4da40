/** How long it takes until a document of a program that cannot be had is told: for every reason the same time. */
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { clientDocuments } from '../../../src/identity/oauth/client-documents.ts';
import { defaultIdentitySettings as settings } from '../../../src/identity/settings.ts';
import { readCertificates } from '../../../src/outbound/tls-roots.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { makeRoot } from '../../targets/certificates.ts';
import { type Answer, httpTarget, json } from '../../targets/http-target.ts';

const root = makeRoot(t.testdir());
const target = await httpTarget(json({}), root.leaf('localhost'));
t.teardown(() => target.close());
const url = `${target.origin}/client.json`;

async function documents(t: Test, answer: Answer) {
  target.answer = answer;
  const clock = fakeClock();
  const extraRoots = readCertificates(root.file);
  const place = { allowPrivate: true, extraRoots, variables: {} };
  const opened = clientDocuments({ clock, settings, tell: () => undefined }, place);
  t.teardown(() => opened.close());
  return { clock, opened };
}

/** Waits for real, a little; the time of the documents stands still meanwhile. */
async function settled(fetching: Promise<unknown>): Promise<string> {
  const state = fetching.then(
    () => 'had',
    () => 'failed',
  );
  return Promise.race([state, setTimeout(200, 'waiting')]);
}

const hangs: Answer = () => undefined;
const foreign = json({
  client_id: 'https://other.example/c.json',
  client_name: 'X',
  redirect_uris: ['http://127.0.0.1/'],
});
const failures: readonly (readonly [name: string, at: string, answer: Answer])[] = [
  ['a host that never answers', url, hangs],
  ['a host without the document', url, json({}, 404)],
  ['a document of another', url, foreign],
  ['a port where nobody listens', 'https://localhost:9/client.json', json({})],
  ['a name that there is not', 'https://nowhere.invalid/client.json', json({})],
  ['an address that is no one’s to call', 'https://0.0.0.0/client.json', json({})],
];
for (const [name, at, answer] of failures) {
  t.test(`${name} is told after 5.25 s, neither sooner nor later`, async (t) => {
    const { clock, opened } = await documents(t, answer);
    const fetching = opened.fetch(at);
    t.equal(await settled(fetching), 'waiting');
    clock.advance(settings.oauth.documentMs);
    t.equal(await settled(fetching), 'waiting', 'also when the wait for the host is over');
    clock.advance(250);
    t.equal(await settled(fetching), 'failed');
    t.notOk(opened.mayFetch(at, undefined), 'and it is not fetched again for the same request');
    clock.advance(2_000);
    t.ok(opened.mayFetch(at, undefined));
  });
}

t.test('a document that can be had is there at once', async (t) => {
  const { opened } = await documents(
    t,
    json({ client_id: url, client_name: 'X', redirect_uris: ['http://127.0.0.1/'] }),
  );
  const answered = await opened.fetch(url);
  t.match(await answered.json(), { client_id: url, client_name: 'X' });
});

t.test('what is waited for ends with the control plane', async (t) => {
  const { opened } = await documents(t, json({}, 404));
  const fetching = opened.fetch(url);
  t.equal(await settled(fetching), 'waiting');
  await opened.close();
  t.equal(await settled(fetching), 'failed');
});
