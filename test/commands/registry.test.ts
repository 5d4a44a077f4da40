/** `vp registry …` against a control plane behind TLS, with a real name server, and against registries of others. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane.ts';
import type { ProcessLog } from '../../src/assemble/process-log.ts';
import type { Clock } from '../../src/environment/clock.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { type NameServer, nameServer } from '../registry/name-server.ts';
import { registryOfOthers, tlsFront } from '../registry/tls-front.ts';
import { workspace } from './workspace.ts';

const silent: ProcessLog = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

/** A registry of a control plane behind TLS, and a terminal. */
async function company(t: Test, domains: readonly string[] = ['example.com']) {
  const here = workspace(t, 'http://127.0.0.1:9');
  const names = await nameServer(t);
  const front = await tlsFront(t, here.folder, ['localhost', 'vp.example.com']);
  const { environment } = memoryEnvironment();
  const plane = await startControlPlane({
    environment,
    folder: join(here.folder, 'plane'),
    host: '127.0.0.1',
    port: 0,
    publicUrl: new URL(`https://localhost:${front.port}`),
    registry: { settings: { domains }, resolvers: [names.address] },
    log: silent,
  });
  t.teardown(() => plane.close());
  front.leadTo(plane.url);
  const registry = `https://localhost:${front.port}`;
  const variables = { VP_REGISTRY: registry, VP_CA: front.root.file };
  return { here, names, front, registry, plane, vp: terminal(here, names, variables) };
}

function terminal(here: ReturnType<typeof workspace>, names: NameServer, variables: Record<string, string>) {
  const looksUp = ['registry check', 'registry publish', 'registry status'];
  return (line: string, more: { variables?: Record<string, string>; stdin?: Readable; clock?: Clock } = {}) => {
    const args = line.split(' ');
    const isLookup = looksUp.includes(args.slice(0, 2).join(' ')) && !args.includes('--resolver');
    return here.vp(isLookup ? [...args, '--resolver', names.address] : args, {
      ...more,
      variables: { ...variables, ...more.variables },
    });
  };
}

/** The code of an error and its words, whichever comes first. */
const both = (code: string, words: RegExp): RegExp => new RegExp(`(?=[^]*${code})(?=[^]*${words.source})`);

const recordIn = (text: string): string => /v=MCPv1; k=\w+; p=[\w+/=]+/.exec(text)?.[0] ?? '';

/** Makes the key, shows it in the name server, and writes both documents. */
async function ready(
  { here, names, vp }: Awaited<ReturnType<typeof company>>,
  url = 'https://vp.example.com',
): Promise<void> {
  const { stdout } = await vp('registry key');
  names.records.set('example.com', [['v=spf1 -all'], [recordIn(stdout)]]);
  for (const service of ['hub', 'memory']) {
    const made = await vp(`registry make ${service} --url ${url} --domain example.com`);
    writeFileSync(join(here.folder, `${service}.json`), made.stdout);
  }
}

t.test('key, record, check, dry run, publish, find', async (t) => {
  const own = await company(t);
  const { vp, names, registry, front } = own;
  t.match(await vp('registry check example.com'), { code: 2, stderr: both('REGISTRY_KEY_MISSING', /vp registry key/) });
  const made = await vp('registry key');
  t.match(made, { code: 0, stdout: /made an ed25519 key[\s\S]*IN TXT "v=MCPv1; k=ed25519; p=/ });
  t.match(await vp('registry check example.com'), { code: 3, stdout: /no TXT record[\s\S]*add this one/ });
  await ready(own);
  t.match(await vp('registry check EXAMPLE.com.'), {
    code: 0,
    stdout: /^example\.com shows the key\nnext: `vp registry publish <file> --registry https:\S+`\n$/,
  });
  const dry = await vp('registry publish hub.json memory.json --dry-run');
  t.match(dry, { code: 0, stdout: /would publish com\.example\/hub 0\.4\.0[\s\S]*would publish com\.example\/memory/ });
  const published = await vp('registry publish hub.json memory.json --json');
  t.match(JSON.parse(published.stdout), {
    registry,
    documents: [{ outcome: 'published' }, { name: 'com.example/memory' }],
  });
  const { fetch: get, close } = await import('../../src/outbound/guarded-fetch.ts').then(({ guardedFetch }) =>
    guardedFetch({ allowPrivate: true, extraRoots: [front.root.cert], variables: {}, answerLimitBytes: 1e6 }),
  );
  t.teardown(close);
  const again = await vp('registry publish hub.json');
  const [, place = ''] = /^ {2}(https:\S+)$/m.exec(again.stdout) ?? [];
  t.match(await (await get(place)).json(), { server: { name: 'com.example/hub' } }, 'it says where everybody reads it');
  const found = await (await get(`${registry}/v0/servers?search=com.example`)).json();
  t.same(
    found.servers.map(({ server }: { server: { name: string } }) => server.name),
    ['com.example/hub', 'com.example/memory'],
  );
  t.match(found.servers[0].server, JSON.parse(readFileSync(join(own.here.folder, 'hub.json'), 'utf8')));
  for (const flag of ['', ' --dry-run'])
    t.match(await vp(`registry publish hub.json memory.json${flag}`), {
      code: 0,
      stdout: /there already, the same: com\.example\/hub[\s\S]*there already, the same: com\.example\/memory/,
    });
  const changed = await vp('registry make hub --url https://vp.example.com --domain example.com --title Other');
  writeFileSync(join(own.here.folder, 'hub.json'), changed.stdout);
  for (const flag of ['', ' --dry-run'])
    t.match(await vp(`registry publish hub.json${flag}`), {
      code: 2,
      stderr: both('REGISTRY_VERSION_EXISTS', /another version, as `vp registry make --as/),
    });
  t.ok(names.asked.every((name) => name === 'example.com'));
});

t.test('what was published is said to be deprecated or deleted', async (t) => {
  const own = await company(t);
  await ready(own);
  const { vp, plane } = own;
  await vp('registry publish hub.json');
  const meta = async () => {
    const found = await fetch(`${plane.url}/v0/servers/com.example%2Fhub/versions/latest?include_deleted=true`);
    return (await found.json())._meta['io.modelcontextprotocol.registry/official'];
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
    stderr: both('REGISTRY_STATUS_REFUSED', /not changed: the status is deleted already/),
  });
  t.match(await vp('registry status com.example/other deleted'), { code: 2, stderr: /REGISTRY_SERVER_UNKNOWN/ });
  t.match(await vp('registry status com.example/hub gone'), { code: 2, stderr: /active, deprecated, deleted/ });
  t.match(await vp('registry status hub deleted'), { code: 2, stderr: /a name such as com\.example\/hub, not `hub`/ });
  t.match(await vp('registry status org.example/hub deleted --domain example.com'), {
    code: 2,
    stderr: /REGISTRY_NAME_FOREIGN/,
  });
});

t.test('the key is a private file, is kept, tells its public half alone, and is for one registry', async (t) => {
  const { vp, here, front } = await company(t);
  const { file, record, made } = JSON.parse((await vp('registry key --json')).stdout);
  t.equal(file, join(here.paths.config, 'registry', `localhost_${front.port}.pem`));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.ok(made);
  const pem = readFileSync(file, 'utf8');
  const secret = pem.split('\n').find((line) => /^MC4C/.test(line)) ?? 'none';
  const again = await vp('registry key');
  t.match(again.stdout, /there is an ed25519 key .*which is kept/);
  t.equal(recordIn(again.stdout), record);
  t.notMatch(again.stdout, secret);
  t.match(await vp('registry key --replace --type ecdsap384'), { stdout: /made an ecdsap384 key/ });
  const other = await vp(`registry check example.com --registry https://other.example.net --key ${file}`);
  t.match(other, { code: 2, stderr: /REGISTRY_KEY_ELSEWHERE/ });
  writeFileSync(join(here.folder, 'bad.pem'), 'nothing', { mode: 0o600 });
  t.match(await vp('registry check example.com --key bad.pem'), { code: 2, stderr: /REGISTRY_KEY_UNUSABLE/ });
  writeFileSync(join(here.folder, 'open.pem'), pem, { mode: 0o644 });
  t.match(await vp('registry check example.com --key open.pem'), { stderr: /STORE_KEY_EXPOSED/ });
  t.match(await vp('registry key --registry https://other.example.net'), { code: 0 });
  t.ok(existsSync(join(here.paths.config, 'registry', 'other.example.net_443.pem')));
});

t.test('a key made with other tools signs too: ECDSA on P-384', async (t) => {
  const own = await company(t);
  await own.vp('registry key --type ecdsap384 --key other.pem');
  const file = join(own.here.folder, 'other.pem');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^Registry.*\n/, ''), { mode: 0o600 });
  const { stdout } = await own.vp('registry key --key other.pem');
  await ready(own);
  own.names.records.set('example.com', [[recordIn(stdout)]]);
  t.match(
    await own.vp('registry publish hub.json'),
    { code: 2, stderr: /REGISTRY_KEY_OTHER/ },
    'the usual key is not shown',
  );
  t.match(await own.vp('registry publish hub.json --key other.pem'), {
    code: 0,
    stdout: /^published com\.example\/hub/,
  });
});

t.test('documents that would break a rule are not made, and not sent', async (t) => {
  const own = await company(t);
  await ready(own);
  const { vp, here, names } = own;
  t.match(await vp('registry make other --url https://vp.example.com'), { code: 2, stderr: /hub, memory/ });
  t.match(await vp('registry make hub'), { code: 2, stderr: /--url must say/ });
  for (const url of ['http://vp.example.com', 'vp.example.com'])
    t.match(await vp(`registry make hub --url ${url}`), { code: 2, stderr: both('FLAG_INVALID', /https:.*, not /) });
  t.match(await vp('registry make hub --url https://127.0.0.1:7700'), {
    code: 2,
    stderr: /--domain must name the domain .* the host of --url is none \(127\.0\.0\.1\)/,
  });
  t.match(await vp('registry make hub --url https://localhost --domain example.com'), {
    code: 2,
    stderr: both('REGISTRY_DOCUMENT_INVALID', /- \.remotes\[1\]\.url leads to a loopback/),
  });
  t.match(await vp('registry make hub --url https://vp.example.com --as latest'), { code: 2, stderr: /newest/ });
  t.match(
    JSON.parse((await vp('registry make hub', { variables: { VP_PUBLIC_URL: 'https://vp.example.com' } })).stdout),
    {
      name: 'com.example.vp/hub',
    },
  );
  const asked = names.asked.length;
  here.write('broken.json', '{');
  t.match(await vp('registry publish broken.json'), { code: 2, stderr: both('REGISTRY_FILE_UNREADABLE', /no JSON/) });
  t.match(await vp('registry publish absent.json'), {
    code: 2,
    stderr: both('REGISTRY_FILE_UNREADABLE', /no such file/),
  });
  here.write('empty.json', '');
  t.match(await vp('registry publish empty.json'), { code: 2, stderr: /it is empty, as after a command that failed/ });
  t.match(await vp('registry publish .'), { code: 2, stderr: /it is a folder/ });
  here.write('bad.json', JSON.stringify({ name: 'com.example/x', version: 5 }));
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
    stderr: /no address of a name server/,
  });
  t.equal(names.asked.length, asked, 'nothing was looked up for any of them');
  t.match(await vp('registry publish -', { stdin: Readable.from(['{}']) }), { code: 2, stderr: /lacks `name`/ });
});

t.test('each refusal of a registry is told with what helps', async (t) => {
  const closed = await company(t, []);
  await ready(closed);
  t.match(await closed.vp('registry publish hub.json'), {
    code: 2,
    stderr: /takes nothing from example\.com[\s\S]*--registry-domain example\.com/,
  });
  const own = await company(t);
  await ready(own);
  const { vp, names, front } = own;
  const shown = names.records.get('example.com') ?? [];
  names.records.delete('example.com');
  for (const flag of ['', ' --dry-run'])
    t.match(await vp(`registry publish hub.json${flag}`), {
      code: 2,
      stderr: both('REGISTRY_RECORD_MISSING', /vp registry key --registry https:\/\/localhost/),
    });
  names.records.set('example.com', [['v=MCPv1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=']]);
  t.match(await vp('registry publish hub.json'), { code: 2, stderr: both('REGISTRY_KEY_OTHER', /11qYAYKxCr/) });
  const elsewhere = await nameServer(t);
  t.match(
    await vp(`registry publish hub.json --resolver ${elsewhere.address}`),
    { code: 2, stderr: both('REGISTRY_KEY_OTHER', /11qYAYKxCr/) },
    'as the registry sees it, whatever is seen here',
  );
  t.match(await vp('registry check example.com'), { code: 1, stdout: /shows other keys[\s\S]*add this one/ });
  names.records.set('example.com', shown);
  const clock = fakeClock(Date.now() - 3_600_000);
  t.match(await vp('registry publish hub.json', { clock }), {
    code: 2,
    stderr: both('REGISTRY_TIMESTAMP_REFUSED', /is not taken: it is 3[56]\d\d s behind[\s\S]*whose clock is right/),
  });
  names.mood = 'failing';
  t.match(await vp('registry check example.com'), { code: 3, stderr: /REGISTRY_DNS_FAILED/ });
  names.mood = 'well';
  names.records.set('example.com', shown);
  t.match(await vp('registry publish hub.json', { variables: { VP_CA: '' } }), {
    code: 4,
    stderr: both('REGISTRY_UNREACHABLE', /certificate/),
  });
  await front.close();
  t.match(await vp('registry publish hub.json'), { code: 4, stderr: both('REGISTRY_UNREACHABLE', /nothing listens/) });
});

t.test('the answers of other registries are understood by their status, and their words made harmless', async (t) => {
  const own = await company(t);
  await ready(own);
  const { names, here } = own;
  const cases: readonly (readonly [string, Parameters<typeof registryOfOthers>[1], number, RegExp])[] = [
    ['too many', () => ({ status: 429, headers: { 'retry-after': '7' } }), 3, /REGISTRY_LIMITED[\s\S]*wait 7 s/],
    [
      'broken',
      () => ({ status: 503, body: { detail: 'maintenance' } }),
      4,
      both('REGISTRY_FAULT', /503\): maintenance/),
    ],
    ['no registry', () => ({ status: 404, body: '<html>' }), 4, /REGISTRY_ANSWER_UNEXPECTED/],
    [
      'no publishing',
      () => ({ status: 501, body: { error: 'not supported' } }),
      4,
      both('REGISTRY_ANSWER_UNEXPECTED', /501, not supp/),
    ],
    ['no token', () => ({ status: 200 }), 4, /no token given/],
    ['a token that is none', () => ({ status: 200, body: { registry_token: 'a\r\nx: y' } }), 4, /no token given/],
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
      both('REGISTRY_PROOF_REFUSED', /signature {1,2}\[2Jverification failed[\s\S]*wait/),
    ],
    ['a name of others', afterToken({ status: 403, body: { error: 'no permission' } }), 2, /REGISTRY_NAME_FOREIGN/],
    [
      'its own rules',
      afterToken({
        status: 422,
        body: { detail: 'validation failed', errors: [{ location: 'body.icons', message: 'too big' }] },
      }),
      2,
      both('REGISTRY_DOCUMENT_REFUSED', /validation failed; body\.icons too big/),
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
      both('REGISTRY_DOCUMENT_REFUSED', /remote URL taken/),
    ],
    ['nothing published', afterToken({ status: 200 }), 4, /what was sent is not in the answer/],
  ];
  for (const [label, answer, code, words] of cases) {
    const other = await registryOfOthers(t, answer);
    const vp = terminal(here, names, { VP_REGISTRY: other.url });
    names.records.set('example.com', [[recordIn((await vp('registry key')).stdout)]]);
    const called = await vp('registry publish hub.json');
    t.match(called, { code, stderr: words }, label);
    for (const hidden of ['\u001b', '\u202e', 'a-token-of-others']) t.notOk(called.stderr.includes(hidden), label);
  }
});

/** A registry that takes every proof, and answers so to what is published. */
function afterToken(answer: { status: number; body?: unknown }) {
  return (path: string) =>
    path === '/v0/auth/dns' ? { status: 200, body: { registry_token: 'a-token-of-others' } } : answer;
}

t.test('a signature never crosses a network in the clear, unless that is wanted', async (t) => {
  const own = await company(t);
  await ready(own);
  t.match(await own.vp('registry key --registry http://registry.example.net'), { code: 0 });
  t.match(await own.vp('registry publish hub.json --registry http://registry.example.net'), {
    code: 2,
    stderr: /CREDENTIAL_IN_CLEAR/,
  });
});

t.test('who may publish is said to `vp serve`, as domains', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:9');
  const bad = ['domain=com', 'domain=example.com/x', 'resolver=localhost', 'resolver=127.0.0.1:99999'];
  for (const flag of bad)
    t.match(await here.vp(['serve', '--port', '0', `--registry-${flag}`]), { code: 2, stderr: /FLAG_INVALID/ }, flag);
  const serving = here.start(['serve', '--port', '0', '--data', join(here.folder, 'data'), '--json'], {
    variables: { VP_REGISTRY_DOMAINS: 'Example.com, example.org', VP_REGISTRY_RESOLVERS: '127.0.0.1:1,[::1]:53' },
  });
  while (!serving.written.stdout.includes('listening')) await new Promise((resolve) => setTimeout(resolve, 20));
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
