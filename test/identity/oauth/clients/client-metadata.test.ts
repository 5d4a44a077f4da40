import t from 'tap';
import { parseClientMetadata } from '../../../../src/identity/oauth/clients/client-metadata.ts';
import { findPageProblem, findRedirectProblem } from '../../../../src/identity/oauth/clients/client-urls.ts';

t.test('redirect URIs may use https, loopback http or a private-use scheme', async (t) => {
  for (const redirect of [
    'https://claude.ai/api/mcp/auth_callback',
    'https://app.example:8443/cb?x=1',
    'http://127.0.0.1/callback',
    'http://localhost:3334/oauth/callback',
    'http://[::1]:9/cb',
    'cursor://anysphere.cursor-retrieval/oauth/user-abc/callback',
    'com.example.app:/callback',
    'vscode://mcp/callback',
    'msteams-agent:/callback',
    'searcher.example:/callback',
  ])
    t.equal(findRedirectProblem(redirect), undefined, redirect);
});

t.test('all other redirect URIs are rejected', async (t) => {
  for (const redirect of [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a.example/x',
    'file:///etc/passwd',
    'view-source:https://a.example/',
    'http://app.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://10.0.0.1/cb',
    'https://10.0.0.1/cb',
    'https://169.254.169.254/cb',
    'https://[fd00::1]/cb',
    'https://2130706433/cb',
    'https://localhost/cb',
    'https://*.example.com/cb',
    'https://a.example/cb#x',
    'https://a.example/cb#',
    'https://me@a.example/cb',
    'https://me:pw@a.example/cb',
    'https://a.example\\@b.example/cb',
    'https://a.example/c b',
    'https://a.example/\u202ecb',
    'https:evil.example',
    'https:/evil.example/',
    'https:///evil.example/',
    'HTTPS:evil.example',
    'http:127.0.0.1/callback',
    'ms-msdt:/id%20x',
    'ms-officecmd:x',
    'search-ms:query=x',
    'microsoft-edge:https://evil.example',
    'itms-services://?action=x',
    'itms-apps://x',
    'callto:x',
    'wyciwyg://x',
    'android-app://x',
    'web+x:y',
    'res://x',
    'intent://x',
    'steam://x',
    '/callback',
    'callback',
    '',
    `https://a.example/${'x'.repeat(2000)}`,
  ])
    t.type(findRedirectProblem(redirect), 'string', redirect.slice(0, 60));
});

t.test('page URLs must be public web pages', async (t) => {
  t.equal(findPageProblem('https://app.example/about'), undefined);
  for (const page of [
    'javascript:alert(1)',
    'https://192.168.1.1/',
    'http://localhost:8080/',
    'ftp://app.example/',
    'https://a@app.example/',
    'https:app.example/about',
  ])
    t.type(findPageProblem(page), 'string', page);
});

const validMetadata = { client_name: 'Probe', redirect_uris: ['http://127.0.0.1:1/cb'] };
const describeError = (more: object) => {
  try {
    parseClientMetadata({ ...validMetadata, ...more });
    return 'taken';
  } catch (error) {
    return `${Object(error).code}: ${Object(error).message}`;
  }
};

t.test('unused metadata is dropped', async (t) => {
  const client = parseClientMetadata({
    ...validMetadata,
    client_uri: 'https://app.example',
    logo_uri: 'https://app.example/logo.png',
    jwks_uri: 'https://app.example/jwks',
    sector_identifier_uri: 'https://app.example/sector',
    scope: 'everything',
    contacts: ['x'.repeat(100)],
    application_type: 'web',
    default_max_age: 5,
    grant_types: ['authorization_code', 'refresh_token', 'implicit', 'client_credentials'],
    'client_name#fr': 'Sonde',
  });
  t.same(client, {
    client_name: 'Probe',
    client_uri: 'https://app.example',
    redirect_uris: ['http://127.0.0.1:1/cb'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  t.same(parseClientMetadata({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }).response_types, []);
});

t.test('hostile metadata is rejected', async (t) => {
  t.match(describeError({ redirect_uris: ['javascript:alert(1)'] }), /^invalid_redirect_uri: /);
  t.match(describeError({ redirect_uris: [] }), /^invalid_redirect_uri: /);
  t.match(describeError({ redirect_uris: 'http://127.0.0.1/' }), /^invalid_client_metadata: redirect_uris/);
  t.match(
    describeError({ redirect_uris: Array(11).fill('http://127.0.0.1/') }),
    /^invalid_client_metadata: redirect_uris/,
  );
  t.match(describeError({ logo_uri: 'javascript:alert(1)' }), /^invalid_client_metadata: logo_uri/);
  t.match(describeError({ jwks_uri: 'https://169.254.169.254/latest' }), /^invalid_client_metadata: jwks_uri/);
  t.match(describeError({ 'tos_uri#fr': 'data:text/html,x' }), /^invalid_client_metadata: tos_uri#fr/);
  t.match(describeError({ client_uri: 7 }), /^invalid_client_metadata: client_uri/);
  t.match(describeError({ client_name: 'Cl\u0430ude' }), /^invalid_client_metadata: client_name mixes/);
  t.match(describeError({ grant_types: ['implicit'] }), /^invalid_client_metadata: grant_types/);
  t.match(describeError({ response_types: ['token'] }), /^invalid_client_metadata: response_types/);
  t.match(describeError({ token_endpoint_auth_method: 'private_key_jwt' }), /^invalid_client_metadata: token_endpoint/);
  for (const other of [null, [], 'x', 7]) t.throws(() => parseClientMetadata(other));
});
