/** What a client finds that knows the address of a hub alone, and what it is not told. */
import { request } from 'node:http';
import t from 'tap';
import { metadataOf } from './program.ts';
import { mcp, openTown } from './town.ts';

const town = await openTown(t);
const document = '/.well-known/oauth-protected-resource';
const read = async (path: string) => (await fetch(`${town.url}${path}`)).json();

for (const [path, resource] of [
  [document, ''],
  [`/hub/acme${document}`, '/hub/acme'],
  [`${document}/hub/acme`, '/hub/acme'],
  [`${document}/hub/acme/mcp`, '/hub/acme'],
  [`/memory/hub/acme${document}`, '/memory/hub/acme'],
  [`${document}/memory/hub/acme/mcp`, '/memory/hub/acme'],
] as const) {
  t.test(`the document at ${path} is for exactly one resource, and names us`, async (t) => {
    t.match(await read(path), {
      resource: `${town.url}${resource}`,
      authorization_servers: [town.url],
      bearer_methods_supported: ['header'],
    });
  });
}

t.test('a hub that is none has the same document, and the same answer to whoever brings nothing', async (t) => {
  const [acme, none] = await Promise.all([read(`/hub/acme${document}`), read(`/hub/none${document}`)]);
  t.same({ ...none, resource: '' }, { ...acme, resource: '' });
  const told = async (slug: string) => {
    const { status, headers } = await mcp(town, `/hub/${slug}/mcp`, undefined);
    return `${status} ${headers.get('www-authenticate')}`.replaceAll(`/hub/${slug}`, '');
  };
  t.equal(await told('none'), await told('acme'));
});

for (const path of [
  `/agent/mcp${document}`,
  `${document}/agent/mcp`,
  `/hub/ACME${document}`,
  `/hub/acme%2Fother${document}`,
]) {
  t.test(`there is no document at ${path}`, async (t) => {
    const response = await fetch(`${town.url}${path}`);
    t.ok([400, 404].includes(response.status), `${response.status}`);
    t.notMatch(await response.text(), 'authorization_servers');
  });
}

t.test('the server says what it does, and nothing that a hub’s client should not try', async (t) => {
  const metadata = await metadataOf(town);
  t.match(metadata, {
    issuer: town.url,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    registration_endpoint: new RegExp(`^${town.url}/`),
    device_authorization_endpoint: new RegExp(`^${town.url}/`),
    revocation_endpoint: new RegExp(`^${town.url}/`),
  });
  t.notMatch(JSON.stringify(metadata), /"(plain|implicit|password|client_credentials|none-alg)"/);
});

/** Asks with headers that a browser or a proxy of somebody else could send. */
function asked(path: string, headers: Record<string, string>): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${town.url}${path}`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    call.on('error', reject).end();
  });
}

t.test('no header of a request makes documents name another server', async (t) => {
  for (const path of [document, `/hub/acme${document}`, '/.well-known/oauth-authorization-server']) {
    t.equal((await asked(path, { host: 'evil.example' })).status, 421, `${path} by another name`);
    t.equal((await asked(path, { origin: 'https://evil.example' })).status, 403, `${path} for another page`);
    const forwarded = {
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      'x-forwarded-proto': 'https',
    };
    const { status, text } = await asked(path, forwarded);
    t.equal(status, 200);
    t.notMatch(text, /evil|https:\/\/127/);
  }
});
