/** Failed fetches of client metadata documents take the same time for every reason. */
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { createClientDocumentFetcher } from '../../../../src/identity/oauth/clients/client-documents.ts';
import { defaultIdentitySettings as settings } from '../../../../src/identity/settings.ts';
import { readCertificates } from '../../../../src/outbound/tls-roots.ts';
import { fakeClock } from '../../../environment/fake-clock.ts';
import { createRootCertificate } from '../../../targets/certificates.ts';
import { type RequestHandler, respondWithJson, startHttpTarget } from '../../../targets/http-target.ts';

const root = createRootCertificate(t.testdir());
const target = await startHttpTarget(respondWithJson({}), root.leaf('localhost'));
t.teardown(() => target.close());
const url = `${target.origin}/client.json`;

async function openFetcher(t: Test, handler: RequestHandler) {
  target.handler = handler;
  const clock = fakeClock();
  const extraRoots = readCertificates(root.file);
  const fetchSettings = { allowPrivate: true, extraRoots, variables: {} };
  const fetcher = createClientDocumentFetcher({ clock, settings, logSecurityEvent: () => undefined }, fetchSettings);
  t.teardown(() => fetcher.close());
  return { clock, opened: fetcher };
}

/** Whether it has not ended shortly after, in real time, while the fetcher's clock stands still. */
async function isPending(fetching: Promise<unknown>): Promise<boolean> {
  const ended = fetching.then(
    () => false,
    () => false,
  );
  return Promise.race([ended, setTimeout(20, true)]);
}

const hang: RequestHandler = () => undefined;
const otherClientDocument = respondWithJson({
  client_id: 'https://other.example/c.json',
  client_name: 'X',
  redirect_uris: ['http://127.0.0.1/'],
});
const failures: readonly (readonly [name: string, at: string, answer: RequestHandler])[] = [
  ['a host that never answers', url, hang],
  ['a missing document', url, respondWithJson({}, 404)],
  ['a document of another client', url, otherClientDocument],
  ['a closed port', 'https://localhost:9/client.json', respondWithJson({})],
  ['an unknown host name', 'https://nowhere.invalid/client.json', respondWithJson({})],
  ['a reserved address', 'https://0.0.0.0/client.json', respondWithJson({})],
];
for (const [name, documentUrl, handler] of failures) {
  t.test(`${name} is reported after exactly 5.25 s`, async (t) => {
    const { clock, opened: fetcher } = await openFetcher(t, handler);
    const fetching = fetcher.fetch(documentUrl);
    t.ok(await isPending(fetching));
    clock.advance(settings.oauth.documentTimeoutMs);
    t.ok(await isPending(fetching), 'also after the timeout of the fetch');
    clock.advance(250);
    await t.rejects(fetching);
    t.notOk(fetcher.mayFetch(documentUrl, undefined), 'it is not fetched again for the same request');
    clock.advance(2_000);
    t.ok(fetcher.mayFetch(documentUrl, undefined));
  });
}

t.test('a valid document is returned at once', async (t) => {
  const { opened: fetcher } = await openFetcher(
    t,
    respondWithJson({ client_id: url, client_name: 'X', redirect_uris: ['http://127.0.0.1/'] }),
  );
  const answered = await fetcher.fetch(url);
  t.match(await answered.json(), { client_id: url, client_name: 'X' });
});

t.test('closing ends pending fetches', async (t) => {
  const { opened: fetcher } = await openFetcher(t, respondWithJson({}, 404));
  const fetching = fetcher.fetch(url);
  t.ok(await isPending(fetching));
  await fetcher.close();
  await t.rejects(fetching);
});
