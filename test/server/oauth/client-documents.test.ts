/** Programs whose id is the address of a document about them. */
import t from 'tap';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { readCertificates } from '../../../src/outbound/tls-roots.ts';
import { createRootCertificate } from '../../targets/certificates.ts';
import { type RequestHandler, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { authorizeClient, createOAuthClient, startHubControlPlane } from './hub-client.ts';

const folder = t.testdir();
const root = createRootCertificate(folder);
const upstreams = {
  allowPrivate: true,
  extraRoots: readCertificates(root.file),
  commands: new Map(),
  unsafeStdio: false,
};

const target = await startHttpTarget(respondWithJson({}), root.leaf('localhost'));
t.teardown(() => target.close());
const id = (name: string) => `${target.origin}/${name}.json`;
const usual = (name: string) => ({
  client_id: id(name),
  client_name: 'Vouched',
  redirect_uris: ['http://127.0.0.1/callback'],
});

/**
 * Longer than any other wait, so that `clock` passes over it alone: that failures take so long is tested in
 * `test/identity/oauth/clients/client-documents.test.ts`.
 */
const documentTimeoutMs = 1_000_000_000;
const clock: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(delayMs > documentTimeoutMs / 2 ? 0 : delayMs, signal),
};

/** Serves documents by their names. */
function serve(documents: Readonly<Record<string, RequestHandler>>): void {
  target.handler = (request, response, arrived) => {
    const answer = documents[request.url?.slice(1, -'.json'.length) ?? ''] ?? respondWithJson({}, 404);
    answer(request, response, arrived);
  };
}

t.test('the host of the metadata document vouches for the client, and is fetched once', async (t) => {
  const { plane, ana } = await startHubControlPlane(
    t,
    { documentTimeoutMs },
    { upstreams, clientDocuments: { allowPrivate: true }, clock },
  );
  serve({
    good: respondWithJson({ ...usual('good'), client_uri: 'https://vouched.example', jwks_uri: 'https://10.0.0.1/x' }),
  });
  const refused = await ana.navigate(createOAuthClient(plane, id('good')).ask(`${plane.url}/hub/acme`).url);
  t.equal(refused.status, 400, 'a document is looked at like a registration');
  serve({ better: respondWithJson({ ...usual('better'), client_uri: 'https://vouched.example' }) });
  const before = target.arrived.length;
  const { consentDetails, tokens } = await authorizeClient(
    plane,
    ana,
    createOAuthClient(plane, id('better')),
    `${plane.url}/hub/acme`,
  );
  t.match(consentDetails.client, {
    name: 'Vouched',
    id: id('better'),
    host: new URL(target.origin).host,
    verified: true,
    uri: 'https://vouched.example',
    registered: 'metadata_document',
    redirect_host: '127.0.0.1:45678',
  });
  t.ok(tokens.access_token);
  t.equal(target.arrived.length, before + 1);
  t.notOk(
    target.arrived.some(({ rawHeaders }) => rawHeaders.some((line) => /cookie|authorization/i.test(line))),
    'nobody’s secrets go there',
  );
  serve({});
  const { items } = await (await ana.api('GET', '/grants')).json();
  t.match(items, [{ client_name: 'Vouched', client: { verified: true } }], 'as it was when it was let in');
  const metadata = await (await fetch(`${plane.url}/.well-known/oauth-authorization-server`)).json();
  t.equal(metadata.client_id_metadata_document_supported, true);
});

t.test('invalid metadata documents are refused', async (t) => {
  const { plane, ana } = await startHubControlPlane(
    t,
    { maxDocumentFetches: 100, documentTimeoutMs },
    { upstreams, clientDocuments: { allowPrivate: true }, clock },
  );
  const html: RequestHandler = (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(JSON.stringify(usual('html')));
  };
  const moved: RequestHandler = (_request, response) => {
    response.writeHead(302, { location: id('other') });
    response.end();
  };
  const documents = {
    other: respondWithJson({ ...usual('other') }),
    foreign: respondWithJson(usual('other')),
    secret: respondWithJson({ ...usual('secret'), token_endpoint_auth_method: 'client_secret_post' }),
    disguised: respondWithJson({ ...usual('disguised'), client_name: 'Cl\u0430ude' }),
    script: respondWithJson({ ...usual('script'), redirect_uris: ['javascript:alert(1)'] }),
    large: respondWithJson({ ...usual('large'), filler: 'x'.repeat(20_000) }),
    list: respondWithJson([usual('list')]),
    html,
    moved,
  };
  serve(documents);
  const looked = Object.keys(documents).map(async (name) => {
    const answered = await ana.navigate(createOAuthClient(plane, id(name)).ask(`${plane.url}/hub/acme`).url);
    if (name === 'other') t.equal(answered.status, 303, name);
    else t.match(answered.status, /^40[01]$/, name);
  });
  await Promise.all(looked);
});

t.test('fetching many documents is rate-limited', async (t) => {
  const { plane, ana } = await startHubControlPlane(
    t,
    { maxDocumentFetches: 3, documentTimeoutMs },
    { upstreams, clientDocuments: { allowPrivate: true }, clock },
  );
  serve({});
  const before = target.arrived.length;
  const rounds = [0, 1, 2, 3, 4, 5].map((n) => createOAuthClient(plane, id(`x${n}`)).ask(`${plane.url}/hub/acme`).url);
  await Promise.all(rounds.map((url) => ana.navigate(url)));
  t.equal(target.arrived.length - before, 3);
  t.ok(plane.lines.some(({ security }) => security === 'oauth_documents_limited'));
});

t.test('allowing private upstreams does not allow private metadata documents', async (t) => {
  const { plane, ana } = await startHubControlPlane(t, { documentTimeoutMs: 20 }, { upstreams });
  serve({ inside: respondWithJson(usual('inside')) });
  const before = target.arrived.length;
  const refused = await ana.navigate(createOAuthClient(plane, id('inside')).ask(`${plane.url}/hub/acme`).url);
  t.equal(refused.status, 400);
  t.equal(target.arrived.length, before);
});
