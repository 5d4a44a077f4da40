/** `vp registry …` against a control plane behind TLS, with a real name server, and against other registries. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import type { ProcessLog } from '../../../src/assemble/process-log.ts';
import type { Clock } from '../../../src/environment/clock.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { eventually } from '../../eventually.ts';
import { startNameServer, type TestNameServer } from '../../registry/name-server.ts';
import { startForeignRegistry, startTlsGateway } from '../../registry/tls-gateway.ts';
import { createWorkspace } from '../test-workspace.ts';

const silent: ProcessLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A registry of a control plane behind TLS, and a terminal. */
async function startRegistry(t: Test, domains: readonly string[] = ['example.com']) {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const names = await startNameServer(t);
  const front = await startTlsGateway(t, testWorkspace.folder, ['localhost', 'vp.example.com']);
  const { environment } = memoryEnvironment();
  const plane = await startControlPlane({
    environment,
    folder: join(testWorkspace.folder, 'plane'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: new URL(`https://localhost:${front.port}`),
    registry: { settings: { domains }, resolvers: [names.address] },
    log: silent,
  });
  t.teardown(() => plane.close());
  front.setTarget(plane.url);
  const registry = `https://localhost:${front.port}`;
  const variables = { VP_REGISTRY: registry, VP_CA: front.root.file };
  return {
    testWorkspace,
    names,
    front,
    registry,
    plane,
    vp: createTerminal(testWorkspace, names, variables),
  };
}

function createTerminal(
  testWorkspace: ReturnType<typeof createWorkspace>,
  names: TestNameServer,
  variables: Record<string, string>,
) {
  const lookupCommands = ['registry check', 'registry publish', 'registry status'];
  return (line: string, more: { variables?: Record<string, string>; stdin?: Readable; clock?: Clock } = {}) => {
    const args = line.split(' ');
    const isLookup = lookupCommands.includes(args.slice(0, 2).join(' ')) && !args.includes('--resolver');
    return testWorkspace.vp(isLookup ? [...args, '--resolver', names.address] : args, {
      ...more,
      variables: { ...variables, ...more.variables },
    });
  };
}

/** Matches the code and the message of an error in any order. */
const matchBoth = (code: string, messagePattern: RegExp): RegExp =>
  new RegExp(`(?=[^]*${code})(?=[^]*${messagePattern.source})`);

const recordIn = (text: string): string => /v=MCPv1; k=\w+; p=[\w+/=]+/.exec(text)?.[0] ?? '';

/** Creates the key, publishes its record in the name server, and writes both documents. */
async function prepareDocuments(
  { testWorkspace, names, vp }: Awaited<ReturnType<typeof startRegistry>>,
  url = 'https://vp.example.com',
): Promise<void> {
  const { stdout } = await vp('registry key');
  names.records.set('example.com', [['v=spf1 -all'], [recordIn(stdout)]]);
  for (const service of ['hub', 'memory']) {
    const created = await vp(`registry create ${service} --url ${url} --domain example.com`);
    writeFileSync(join(testWorkspace.folder, `${service}.json`), created.stdout);
  }
}

t.test('key, record, check, dry run, publish, find', async (t) => {
  const fixture = await startRegistry(t);
  const { vp, names, registry, front } = fixture;
  t.match(await vp('registry check example.com'), {
    code: 2,
    stderr: matchBoth('REGISTRY_KEY_MISSING', /vp registry key/),
  });
  const created = await vp('registry key');
  t.match(created, { code: 0, stdout: /created an ed25519 key[\s\S]*IN TXT "v=MCPv1; k=ed25519; p=/ });
  t.match(await vp('registry check example.com'), { code: 3, stdout: /no TXT record[\s\S]*add this record/ });
  await prepareDocuments(fixture);
  t.match(await vp('registry check EXAMPLE.com.'), {
    code: 0,
    stdout: /^example\.com has the key\nnext: `vp registry publish <file> --registry https:\S+`\n$/,
  });
  const dry = await vp('registry publish hub.json memory.json --dry-run');
  t.match(dry, { code: 0, stdout: /would publish com\.example\/hub 0\.4\.0[\s\S]*would publish com\.example\/memory/ });
  const published = await vp('registry publish hub.json memory.json --json');
  t.match(JSON.parse(published.stdout), {
    registry,
    documents: [{ outcome: 'published' }, { name: 'com.example/memory' }],
  });
  const { fetch: get, close } = await import('../../../src/outbound/guarded-fetch.ts').then(
    ({ createGuardedFetch: guardedFetch }) =>
      guardedFetch({ allowPrivate: true, extraRoots: [front.root.cert], variables: {}, answerLimitBytes: 1e6 }),
  );
  t.teardown(close);
  const repeated = await vp('registry publish hub.json');
  const [, url = ''] = /^ {2}(https:\S+)$/m.exec(repeated.stdout) ?? [];
  t.match(await (await get(url)).json(), { server: { name: 'com.example/hub' } }, 'it says where everybody reads it');
  const listing = await (await get(`${registry}/v0/servers?search=com.example`)).json();
  t.same(
    listing.servers.map(({ server }: { server: { name: string } }) => server.name),
    ['com.example/hub', 'com.example/memory'],
  );
  t.match(listing.servers[0].server, JSON.parse(readFileSync(join(fixture.testWorkspace.folder, 'hub.json'), 'utf8')));
  for (const flag of ['', ' --dry-run'])
    t.match(await vp(`registry publish hub.json memory.json${flag}`), {
      code: 0,
      stdout:
        /already published, unchanged: com\.example\/hub[\s\S]*already published, unchanged: com\.example\/memory/,
    });
  const changed = await vp('registry create hub --url https://vp.example.com --domain example.com --title Other');
  writeFileSync(join(fixture.testWorkspace.folder, 'hub.json'), changed.stdout);
  for (const flag of ['', ' --dry-run'])
    t.match(await vp(`registry publish hub.json${flag}`), {
      code: 2,
      stderr: matchBoth(
        'REGISTRY_VERSION_EXISTS',
        /another version, for example with `vp registry create <service> --as/,
      ),
    });
  t.ok(names.queriedNames.every((name) => name === 'example.com'));
});

t.test('published versions are marked as deprecated or deleted', async (t) => {
  const fixture = await startRegistry(t);
  await prepareDocuments(fixture);
  const { vp, plane } = fixture;
  await vp('registry publish hub.json');
  const meta = async () => {
    const response = await fetch(`${plane.url}/v0/servers/com.example%2Fhub/versions/latest?include_deleted=true`);
    return (await response.json())._meta['io.modelcontextprotocol.registry/official'];
  };
  t.match(await vp('registry status com.example/hub deprecated --of 0.4.0 --message old'), {
    code: 0,
    stdout: /^com\.example\/hub 0\.4\.0 is deprecated in https/,
  });
  t.match(await meta(), { status: 'deprecated', statusMessage: 'old' });
  t.match(await vp('registry status com.example/hub deprecated'), {
    code: 0,
    stdout: /^all versions of com\.example\/hub are deprecated/,
  });
  t.match(JSON.parse((await vp('registry status com.example/hub deleted --json')).stdout), {
    status: 'deleted',
    version: null,
  });
  t.match(await meta(), { status: 'deleted', statusMessage: undefined });
  t.match(await vp('registry status com.example/hub deleted'), {
    code: 2,
    stderr: matchBoth('REGISTRY_STATUS_REFUSED', /not changed: the status is already deleted/),
  });
  t.match(await vp('registry status com.example/other deleted'), { code: 2, stderr: /REGISTRY_SERVER_UNKNOWN/ });
  t.match(await vp('registry status com.example/hub gone'), { code: 2, stderr: /active, deprecated, deleted/ });
  t.match(await vp('registry status hub deleted'), { code: 2, stderr: /a name such as com\.example\/hub, not `hub`/ });
  t.match(await vp('registry status org.example/hub deleted --domain example.com'), {
    code: 2,
    stderr: /REGISTRY_NAME_FOREIGN/,
  });
});

t.test('the key is in a private file, is reused, prints only its public part, and is for one registry', async (t) => {
  const { vp, testWorkspace, front } = await startRegistry(t);
  const { file, record, made: created } = JSON.parse((await vp('registry key --json')).stdout);
  t.equal(file, join(testWorkspace.paths.config, 'registry', `localhost_${front.port}.pem`));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.ok(created);
  const pem = readFileSync(file, 'utf8');
  const secret = pem.split('\n').find((line) => /^MC4C/.test(line)) ?? 'none';
  const repeated = await vp('registry key');
  t.match(repeated.stdout, /there is an ed25519 key .*which is kept/);
  t.equal(recordIn(repeated.stdout), record);
  t.notMatch(repeated.stdout, secret);
  t.match(await vp('registry key --replace --type ecdsap384'), { stdout: /created an ecdsap384 key/ });
  const other = await vp(`registry check example.com --registry https://other.example.net --key ${file}`);
  t.match(other, { code: 2, stderr: /REGISTRY_KEY_ELSEWHERE/ });
  writeFileSync(join(testWorkspace.folder, 'bad.pem'), 'nothing', { mode: 0o600 });
  t.match(await vp('registry check example.com --key bad.pem'), { code: 2, stderr: /REGISTRY_KEY_UNUSABLE/ });
  writeFileSync(join(testWorkspace.folder, 'open.pem'), pem, { mode: 0o644 });
  t.match(await vp('registry check example.com --key open.pem'), { stderr: /STORE_KEY_EXPOSED/ });
  t.match(await vp('registry key --registry https://other.example.net'), { code: 0 });
  t.ok(existsSync(join(testWorkspace.paths.config, 'registry', 'other.example.net_443.pem')));
});

t.test('a key from other tools works too: ECDSA on P-384', async (t) => {
  const fixture = await startRegistry(t);
  await fixture.vp('registry key --type ecdsap384 --key other.pem');
  const file = join(fixture.testWorkspace.folder, 'other.pem');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^Registry.*\n/, ''), { mode: 0o600 });
  const { stdout } = await fixture.vp('registry key --key other.pem');
  await prepareDocuments(fixture);
  fixture.names.records.set('example.com', [[recordIn(stdout)]]);
  t.match(
    await fixture.vp('registry publish hub.json'),
    { code: 2, stderr: /REGISTRY_KEY_OTHER/ },
    'the usual key is not shown',
  );
  t.match(await fixture.vp('registry publish hub.json --key other.pem'), {
    code: 0,
    stdout: /^published com\.example\/hub/,
  });
});

t.test('invalid documents are neither created nor sent', async (t) => {
  const fixture = await startRegistry(t);
  await prepareDocuments(fixture);
  const { vp, testWorkspace, names } = fixture;
  t.match(await vp('registry create other --url https://vp.example.com'), { code: 2, stderr: /hub, memory/ });
  t.match(await vp('registry create hub'), { code: 2, stderr: /--url must be the URL/ });
  for (const url of ['http://vp.example.com', 'vp.example.com'])
    t.match(await vp(`registry create hub --url ${url}`), {
      code: 2,
      stderr: matchBoth('FLAG_INVALID', /https:.*, not /),
    });
  t.match(await vp('registry create hub --url https://127.0.0.1:7700'), {
    code: 2,
    stderr: /--domain must name the domain .* the host of --url is not a domain \(127\.0\.0\.1\)/,
  });
  t.match(await vp('registry create hub --url https://localhost --domain example.com'), {
    code: 2,
    stderr: matchBoth('REGISTRY_DOCUMENT_INVALID', /- \.remotes\[1\]\.url leads to a loopback/),
  });
  t.match(await vp('registry create hub --url https://vp.example.com --as latest'), { code: 2, stderr: /newest/ });
  t.match(
    JSON.parse((await vp('registry create hub', { variables: { VP_PUBLIC_URL: 'https://vp.example.com' } })).stdout),
    {
      name: 'com.example.vp/hub',
    },
  );
  const lookupCount = names.queriedNames.length;
  testWorkspace.write('broken.json', '{');
  t.match(await vp('registry publish broken.json'), {
    code: 2,
    stderr: matchBoth('REGISTRY_FILE_UNREADABLE', /not JSON/),
  });
  t.match(await vp('registry publish absent.json'), {
    code: 2,
    stderr: matchBoth('REGISTRY_FILE_UNREADABLE', /does not exist/),
  });
  testWorkspace.write('empty.json', '');
  t.match(await vp('registry publish empty.json'), { code: 2, stderr: /it is empty, as after a command that failed/ });
  t.match(await vp('registry publish .'), { code: 2, stderr: /it is a folder/ });
  t.match(await vp('registry publish /dev/zero'), { code: 2, stderr: /it is too large/ });
  testWorkspace.write('bad.json', JSON.stringify({ name: 'com.example/x', version: 5 }));
  const bad = await vp('registry publish hub.json bad.json');
  t.match(bad, {
    code: 2,
    stdout: '',
    stderr: /bad\.json: the document lacks `description`[\s\S]*- \.version must be a string/,
  });
  t.match(await vp('registry publish hub.json --domain other.example'), { code: 2, stderr: /REGISTRY_NAME_FOREIGN/ });
  t.match(await vp('registry publish hub.json --registry ftp://x'), { code: 2, stderr: /FLAG_INVALID/ });
  t.match(await vp('registry publish hub.json --resolver dns.example.com'), {
    code: 2,
    stderr: /not an IP address of a name server/,
  });
  t.equal(names.queriedNames.length, lookupCount, 'nothing was looked up for any of them');
  t.match(await vp('registry publish -', { stdin: Readable.from(['{}']) }), { code: 2, stderr: /lacks `name`/ });
});

t.test('each refusal of a registry is reported with a fix', async (t) => {
  const closed = await startRegistry(t, []);
  await prepareDocuments(closed);
  t.match(await closed.vp('registry publish hub.json'), {
    code: 2,
    stderr: /does not accept servers of example\.com[\s\S]*--registry-domain example\.com/,
  });
  const fixture = await startRegistry(t);
  await prepareDocuments(fixture);
  const { vp, names, front } = fixture;
  const publishedRecords = names.records.get('example.com') ?? [];
  names.records.delete('example.com');
  for (const flag of ['', ' --dry-run'])
    t.match(await vp(`registry publish hub.json${flag}`), {
      code: 2,
      stderr: matchBoth('REGISTRY_RECORD_MISSING', /vp registry key --registry https:\/\/localhost/),
    });
  names.records.set('example.com', [['v=MCPv1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=']]);
  t.match(await vp('registry publish hub.json'), { code: 2, stderr: matchBoth('REGISTRY_KEY_OTHER', /11qYAYKxCr/) });
  const elsewhere = await startNameServer(t);
  t.match(
    await vp(`registry publish hub.json --resolver ${elsewhere.address}`),
    { code: 2, stderr: matchBoth('REGISTRY_KEY_OTHER', /11qYAYKxCr/) },
    'as the registry sees it, whatever is seen here',
  );
  t.match(await vp('registry check example.com'), { code: 1, stdout: /has other keys[\s\S]*add this record/ });
  names.records.set('example.com', publishedRecords);
  const clock = fakeClock(Date.now() - 3_600_000);
  t.match(await vp('registry publish hub.json', { clock }), {
    code: 2,
    stderr: matchBoth(
      'REGISTRY_TIMESTAMP_REFUSED',
      /is not accepted: it is 3[56]\d\d s behind[\s\S]*whose clock is right/,
    ),
  });
  names.mode = 'failing';
  t.match(await vp('registry check example.com'), { code: 3, stderr: /REGISTRY_DNS_FAILED/ });
  names.mode = 'well';
  names.records.set('example.com', publishedRecords);
  t.match(await vp('registry publish hub.json', { variables: { VP_CA: '' } }), {
    code: 4,
    stderr: matchBoth('REGISTRY_UNREACHABLE', /certificate/),
  });
  await front.close();
  t.match(await vp('registry publish hub.json'), {
    code: 4,
    stderr: matchBoth('REGISTRY_UNREACHABLE', /nothing listens/),
  });
});

t.test('responses of other registries are handled by their status, and their texts are escaped', async (t) => {
  const fixture = await startRegistry(t);
  await prepareDocuments(fixture);
  const { names, testWorkspace } = fixture;
  const cases: readonly (readonly [string, Parameters<typeof startForeignRegistry>[1], number, RegExp])[] = [
    ['too many', () => ({ status: 429, headers: { 'retry-after': '7' } }), 3, /REGISTRY_LIMITED[\s\S]*wait 7 s/],
    [
      'broken',
      () => ({ status: 503, body: { detail: 'maintenance' } }),
      4,
      matchBoth('REGISTRY_FAULT', /503\): maintenance/),
    ],
    ['no registry', () => ({ status: 404, body: '<html>' }), 4, /REGISTRY_ANSWER_UNEXPECTED/],
    [
      'no publishing',
      () => ({ status: 501, body: { error: 'not supported' } }),
      4,
      matchBoth('REGISTRY_ANSWER_UNEXPECTED', /501, not supp/),
    ],
    ['no token', () => ({ status: 200 }), 4, /returned no token/],
    ['a token that is none', () => ({ status: 200, body: { registry_token: 'a\r\nx: y' } }), 4, /returned no token/],
    ['a redirect', () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' } }), 4, /redirects/],
    ['megabytes', () => ({ status: 401, body: `"${'x'.repeat(3_000_000)}"` }), 4, /REGISTRY_UNREACHABLE/],
    [
      'the clock',
      () => ({ status: 401, body: { title: 'Unauthorized', errors: [{ message: 'timestamp outside valid window' }] } }),
      2,
      /REGISTRY_TIMESTAMP_REFUSED/,
    ],
    [
      'it sees another record yet',
      () => ({ status: 401, body: { detail: 'signature \u001b[2Jverification failed\u202e' } }),
      2,
      matchBoth('REGISTRY_PROOF_REFUSED', /signature {1,2}\[2Jverification failed[\s\S]*wait/),
    ],
    ['a name of others', afterToken({ status: 403, body: { error: 'no permission' } }), 2, /REGISTRY_NAME_FOREIGN/],
    [
      'its own rules',
      afterToken({
        status: 422,
        body: { detail: 'validation failed', errors: [{ location: 'body.icons', message: 'too big' }] },
      }),
      2,
      matchBoth('REGISTRY_DOCUMENT_REFUSED', /validation failed; body\.icons too big/),
    ],
    [
      'a version that is there',
      (path) =>
        path.includes('/versions/') ? { status: 200, body: { server: {} } } : afterToken({ status: 400 })(path),
      2,
      /REGISTRY_VERSION_EXISTS/,
    ],
    [
      'an address of others',
      (path) =>
        path.includes('/versions/')
          ? { status: 404 }
          : afterToken({ status: 400, body: { error: 'remote URL taken' } })(path),
      2,
      matchBoth('REGISTRY_DOCUMENT_REFUSED', /remote URL taken/),
    ],
    ['nothing published', afterToken({ status: 200 }), 4, /the response does not contain the published document/],
  ];
  for (const [label, answer, code, expectedMessage] of cases) {
    const other = await startForeignRegistry(t, answer);
    const vp = createTerminal(testWorkspace, names, { VP_REGISTRY: other.url });
    names.records.set('example.com', [[recordIn((await vp('registry key')).stdout)]]);
    const called = await vp('registry publish hub.json');
    t.match(called, { code, stderr: expectedMessage }, label);
    for (const hidden of ['\u001b', '\u202e', 'a-token-of-others']) t.notOk(called.stderr.includes(hidden), label);
  }
});

/** A registry that accepts every proof, and sends `answer` to what is published. */
function afterToken(answer: { status: number; body?: unknown }) {
  return (path: string) =>
    path === '/v0/auth/dns' ? { status: 200, body: { registry_token: 'a-token-of-others' } } : answer;
}

t.test('a signature is never sent unencrypted, unless allowed', async (t) => {
  const fixture = await startRegistry(t);
  await prepareDocuments(fixture);
  t.match(await fixture.vp('registry key --registry http://registry.example.net'), { code: 0 });
  t.match(await fixture.vp('registry publish hub.json --registry http://registry.example.net'), {
    code: 2,
    stderr: /CREDENTIAL_IN_CLEAR/,
  });
});

t.test('`vp serve` flags name the domains that may publish', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const bad = ['domain=com', 'domain=example.com/x', 'resolver=localhost', 'resolver=127.0.0.1:99999'];
  for (const flag of bad)
    t.match(
      await testWorkspace.vp(['serve', '--port', '0', `--registry-${flag}`]),
      { code: 2, stderr: /FLAG_INVALID/ },
      flag,
    );
  const serving = testWorkspace.start(
    ['serve', '--port', '0', '--data', join(testWorkspace.folder, 'data'), '--json'],
    {
      variables: { VP_REGISTRY_DOMAINS: 'Example.com, example.org', VP_REGISTRY_RESOLVERS: '127.0.0.1:1,[::1]:53' },
    },
  );
  await eventually(() => serving.written.stdout, { until: (text) => text.includes('listening') });
  const { url } = JSON.parse(serving.written.stdout.split('\n')[0] ?? '');
  const answers = await Promise.all(
    ['example.org', 'example.net'].map((domain) =>
      fetch(`${url}/v0/auth/dns`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ domain, timestamp: new Date().toISOString(), signed_timestamp: 'x' }),
      }),
    ),
  );
  t.same(await Promise.all(answers.map(async (answer) => (await answer.json()).code)), [
    'REGISTRY_DNS_FAILED',
    'REGISTRY_DOMAIN_CLOSED',
  ]);
  serving.interrupt();
  t.equal(await serving.ended, 0);
});

t.test('without a name the registry is the control plane in use', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  t.equal((await testWorkspace.vp(['use', 'http://127.0.0.1:7911'])).code, 0);
  t.match(await testWorkspace.vp(['registry', 'key']), { code: 0, stdout: /key for http:\/\/127\.0\.0\.1:7911\n/ });
  const variables = { VP_CONTROL_PLANE: 'http://127.0.0.1:7912' };
  t.match(await testWorkspace.vp(['registry', 'key'], { variables }), {
    stdout: /key for http:\/\/127\.0\.0\.1:7912\n/,
  });
});
