/** What a client discovers from the URL of a hub, and what is not revealed. */
import { request } from 'node:http';
import t from 'tap';
import { postMcp, startHubControlPlane } from './hub-control-plane.ts';
import { fetchServerMetadata } from './oauth-client.ts';

const plane = await startHubControlPlane(t);
const metadataPath = '/.well-known/oauth-protected-resource';
const readJson = async (path: string) => (await fetch(`${plane.url}${path}`)).json();

for (const [path, resource] of [
  [metadataPath, ''],
  [`/hub/acme${metadataPath}`, '/hub/acme'],
  [`${metadataPath}/hub/acme`, '/hub/acme'],
  [`${metadataPath}/hub/acme/mcp`, '/hub/acme'],
  [`/memory/hub/acme${metadataPath}`, '/memory/hub/acme'],
  [`${metadataPath}/memory/hub/acme/mcp`, '/memory/hub/acme'],
] as const) {
  t.test(`the metadata at ${path} is for exactly one resource, and names our server`, async (t) => {
    t.match(await readJson(path), {
      resource: `${plane.url}${resource}`,
      authorization_servers: [plane.url],
      bearer_methods_supported: ['header'],
    });
  });
}

t.test('an unknown hub has the same metadata and the same challenge as an existing one', async (t) => {
  const [acme, none] = await Promise.all([readJson(`/hub/acme${metadataPath}`), readJson(`/hub/none${metadataPath}`)]);
  t.same({ ...none, resource: '' }, { ...acme, resource: '' });
  const describeChallenge = async (slug: string) => {
    const { status, headers } = await postMcp(plane, `/hub/${slug}/mcp`, undefined);
    return `${status} ${headers.get('www-authenticate')}`.replaceAll(`/hub/${slug}`, '');
  };
  t.equal(await describeChallenge('none'), await describeChallenge('acme'));
});

for (const path of [
  `/agent/mcp${metadataPath}`,
  `${metadataPath}/agent/mcp`,
  `/hub/ACME${metadataPath}`,
  `/hub/acme%2Fother${metadataPath}`,
]) {
  t.test(`there is no metadata at ${path}`, async (t) => {
    const response = await fetch(`${plane.url}${path}`);
    t.ok([400, 404].includes(response.status), `${response.status}`);
    t.notMatch(await response.text(), 'authorization_servers');
  });
}

t.test('the server metadata lists what is supported, and nothing insecure', async (t) => {
  const metadata = await fetchServerMetadata(plane);
  t.match(metadata, {
    issuer: plane.url,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    registration_endpoint: new RegExp(`^${plane.url}/`),
    device_authorization_endpoint: new RegExp(`^${plane.url}/`),
    revocation_endpoint: new RegExp(`^${plane.url}/`),
  });
  t.notMatch(JSON.stringify(metadata), /"(plain|implicit|password|client_credentials|none-alg)"/);
});

/** Sends headers that `fetch` does not allow to set. */
function getWithHeaders(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${plane.url}${path}`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    outgoing.on('error', reject).end();
  });
}

t.test('no request header makes the metadata name another server', async (t) => {
  for (const path of [metadataPath, `/hub/acme${metadataPath}`, '/.well-known/oauth-authorization-server']) {
    t.equal((await getWithHeaders(path, { host: 'evil.example' })).status, 421, `${path} under another host name`);
    t.equal(
      (await getWithHeaders(path, { origin: 'https://evil.example' })).status,
      403,
      `${path} from another origin`,
    );
    const forwarded = {
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
      'x-forwarded-proto': 'https',
    };
    const { status, text } = await getWithHeaders(path, forwarded);
    t.equal(status, 200);
    t.notMatch(text, /evil|https:\/\/127/);
  }
});
