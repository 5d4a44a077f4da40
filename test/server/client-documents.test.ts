/** Programs whose id is the address of a document about them. */
import t from 'tap';
import { readCertificates } from '../../src/outbound/tls-roots.ts';
import { makeRoot } from '../targets/certificates.ts';
import { type Answer, httpTarget, json } from '../targets/http-target.ts';
import { letIn, opened, programOf } from './hub-program.ts';

const folder = t.testdir();
const root = makeRoot(folder);
const upstreams = {
  allowPrivate: true,
  extraRoots: readCertificates(root.file),
  commands: new Map(),
  unsafeStdio: false,
};

const target = await httpTarget(json({}), root.leaf('localhost'));
t.teardown(() => target.close());
const id = (name: string) => `${target.origin}/${name}.json`;
const usual = (name: string) => ({
  client_id: id(name),
  client_name: 'Vouched',
  redirect_uris: ['http://127.0.0.1/callback'],
});

/** Serves documents by their names. */
function serve(documents: Readonly<Record<string, Answer>>): void {
  target.answer = (request, response, arrived) => {
    const answer = documents[request.url?.slice(1, -'.json'.length) ?? ''] ?? json({}, 404);
    answer(request, response, arrived);
  };
}

t.test('the host of the document vouches for the program, which is fetched once', async (t) => {
  const { plane, ana } = await opened(t, { documentMs: 1000 }, { upstreams, clientDocuments: { allowPrivate: true } });
  serve({ good: json({ ...usual('good'), client_uri: 'https://vouched.example', jwks_uri: 'https://10.0.0.1/x' }) });
  const refused = await ana.go(programOf(plane, id('good')).ask(`${plane.url}/hub/acme`).url);
  t.equal(refused.status, 400, 'a document is looked at like a registration');
  serve({ better: json({ ...usual('better'), client_uri: 'https://vouched.example' }) });
  const before = target.arrived.length;
  const { shown, tokens } = await letIn(plane, ana, programOf(plane, id('better')), `${plane.url}/hub/acme`);
  t.match(shown.client, {
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

t.test('documents that are not what they say are no documents', async (t) => {
  const { plane, ana } = await opened(
    t,
    { documents: 100, documentMs: 1500 },
    { upstreams, clientDocuments: { allowPrivate: true } },
  );
  const html: Answer = (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(JSON.stringify(usual('html')));
  };
  const moved: Answer = (_request, response) => {
    response.writeHead(302, { location: id('other') });
    response.end();
  };
  const documents = {
    other: json({ ...usual('other') }),
    foreign: json(usual('other')),
    secret: json({ ...usual('secret'), token_endpoint_auth_method: 'client_secret_post' }),
    disguised: json({ ...usual('disguised'), client_name: 'Cl\u0430ude' }),
    script: json({ ...usual('script'), redirect_uris: ['javascript:alert(1)'] }),
    large: json({ ...usual('large'), filler: 'x'.repeat(20_000) }),
    list: json([usual('list')]),
    html,
    moved,
  };
  serve(documents);
  const looked = Object.keys(documents).map(async (name) => {
    const answered = await ana.go(programOf(plane, id(name)).ask(`${plane.url}/hub/acme`).url);
    if (name === 'other') t.equal(answered.status, 303, name);
    else t.match(answered.status, /^40[01]$/, name);
  });
  await Promise.all(looked);
});

t.test('whoever makes us fetch many is held up', async (t) => {
  const { plane, ana } = await opened(
    t,
    { documents: 3, documentMs: 1000 },
    { upstreams, clientDocuments: { allowPrivate: true } },
  );
  serve({});
  const before = target.arrived.length;
  const rounds = [0, 1, 2, 3, 4, 5].map((n) => programOf(plane, id(`x${n}`)).ask(`${plane.url}/hub/acme`).url);
  await Promise.all(rounds.map((url) => ana.go(url)));
  t.equal(target.arrived.length - before, 3);
  t.ok(plane.lines.some(({ security }) => security === 'oauth_documents_limited'));
});

t.test('what hub owners may call is not what strangers make us call', async (t) => {
  const { plane, ana } = await opened(t, { documentMs: 20 }, { upstreams });
  serve({ inside: json(usual('inside')) });
  const before = target.arrived.length;
  const refused = await ana.go(programOf(plane, id('inside')).ask(`${plane.url}/hub/acme`).url);
  t.equal(refused.status, 400);
  t.equal(target.arrived.length, before);
});
