/** `vp new` without questions: from an empty folder to a verdict. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import t from 'tap';
import { findFreePort } from '../../free-port.ts';
import { itemsDocument, listNextCommands, startOwnApplication, token } from './own-application.ts';

t.test('two lines of config, one scenario, one verdict', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t);
  const { code, stdout, stderr } = await vp(['new', '--yes', '--base-url', target.origin, '--name', 'shop']);
  t.equal(code, 0, stderr);
  t.equal(
    readFileSync(join(folder, 'product/platform-config.yaml'), 'utf8'),
    `project: { name: shop }\ntargets: { http: { base_url: "${target.origin}" } }\n`,
  );
  t.equal(readFileSync(join(folder, 'product/.gitignore'), 'utf8'), '/.env\n', 'also where there is no repository');
  t.notOk(existsSync(join(folder, 'product/.env')), 'without a secret there is no .env');
  t.match(
    readFileSync(join(folder, 'test/scenarios/RT-GET-health.md'), 'utf8'),
    /- status=200\n- body has status equals ok\n/,
  );
  t.match(stdout, /✓ RT-GET-health {2}passed/);
  t.ok(
    target.arrived.every(({ method }) => method === 'GET'),
    'nothing but GET was sent',
  );
});

t.test('every command that is named next works in that folder', async (t) => {
  const { vp, target } = await startOwnApplication(t, {
    routes: { '/health': { status: 'ok' }, '/version': { version: '1.2.3' } },
  });
  const { stdout } = await vp(['new', '--yes', '--base-url', target.origin]);
  const commands = listNextCommands(stdout);
  t.same(
    commands.map(([name, second]) => (name === 'new' ? `${name} ${second}` : name)),
    ['prove', 'new scenario', 'run', 'serve'],
  );
  for (const words of commands.filter(([name]) => name !== 'serve'))
    t.equal((await vp(words)).code, 0, words.join(' '));
  const serve = commands.at(-1) ?? [];
  t.match((await vp([...serve, '--help'])).stdout, 'vp serve');
});

t.test('a secret comes from a variable, goes to .env alone, and reaches the protected path', async (t) => {
  const application = await startOwnApplication(t, {
    routes: { '/health': { status: 'ok' }, '/items': { data: [] }, '/openapi.json': itemsDocument },
    protectedPaths: ['/items'],
  });
  const { vp, folder, target } = application;
  const args = ['new', '--yes', '--base-url', target.origin, '--secret-from', 'MY_TOKEN'];
  const { code, stdout, stderr } = await vp(args, { variables: { MY_TOKEN: token } });
  t.equal(code, 0, stderr);
  t.match(stdout, /OpenAPI 3\.0\.3 at \/openapi\.json: 2 operations, 1 of them GET/);
  t.match(stdout, /credential +accepted/);
  t.match(stdout, /✓ RT-GET-items {2}passed/, 'the protected path is the first choice');
  const env = join(folder, 'product/.env');
  t.equal(readFileSync(env, 'utf8'), `API_TOKEN=${token}\n`);
  t.equal(statSync(env).mode & 0o777, 0o600);
  for (const name of ['product/platform-config.yaml', 'test/scenarios/RT-GET-items.md'])
    t.notMatch(readFileSync(join(folder, name), 'utf8'), token);
  t.notMatch(stdout + stderr, token);
  t.equal((await vp(['new', '--yes', '--base-url', target.origin, '--auth', 'bearer'])).code, 0, 'the .env has it now');
});

t.test('a secret may come on standard input, but not where a terminal would echo it', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t);
  const args = ['new', '--yes', '--base-url', target.origin, '--auth', 'basic', '--secret-stdin'];
  const terminal = Object.assign(Readable.from(['ana:secret-of-ana\n']), { isTTY: true });
  t.match((await vp(args, { stdin: terminal })).stderr, /--secret-stdin reads a file or pipe/);
  t.equal((await vp(args, { stdin: Readable.from(['ana:secret-of-ana\n']) })).code, 0);
  const encoded = Buffer.from('ana:secret-of-ana').toString('base64');
  t.equal(readFileSync(join(folder, 'product/.env'), 'utf8'), `BASIC_CREDENTIALS=${encoded}\n`);
  const last = target.arrived.at(-1)?.rawHeaders ?? [];
  t.ok(last.includes(`Basic ${encoded}`));
});

t.test('a key in a header is sent by the scenario, from a variable of the config', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t);
  const args = ['new', '--yes', '--base-url', target.origin, '--auth-header', 'X-Api-Key', '--secret-from', 'KEY'];
  const { code, stdout } = await vp(args, { variables: { KEY: 'key-of-the-application' } });
  t.equal(code, 0, stdout);
  t.match(stdout, /! credential +not proven/);
  t.match(readFileSync(join(folder, 'test/scenarios/RT-GET-health.md'), 'utf8'), '\nX-Api-Key: ${API_KEY}\n');
  t.match(readFileSync(join(folder, 'product/platform-config.yaml'), 'utf8'), /variables:\n +- API_KEY/);
  const last = target.arrived.at(-1)?.rawHeaders ?? [];
  t.ok(last.includes('key-of-the-application'));
});

t.test('a JSON log is traced: its level, the field of the id, and checks of it', async (t) => {
  const application = await startOwnApplication(t, {
    log: (url, header) => JSON.stringify({ level: 30, req: { url, id: header('x-request-id') } }),
  });
  const { vp, folder, target } = application;
  const { code, stdout } = await vp(['new', '--yes', '--base-url', target.origin, '--log', 'app.log']);
  t.equal(code, 0, stdout);
  t.match(stdout, /log +JSON lines, level in `level` \(30\), the id of a run in `req\.id`, by X-Request-Id/);
  t.match(stdout, /\{"level":30,"req":/, 'a real line is shown');
  const config = readFileSync(join(folder, 'product/platform-config.yaml'), 'utf8');
  t.match(config, /log_format: json\n +correlation_field: req\.id\n +level_field: level\n +error_match: 50\|60/);
  t.match(readFileSync(join(folder, 'test/scenarios/RT-GET-health.md'), 'utf8'), /- log lines>=1\n- log errors=0\n/);
  t.match(stdout, /1 run: 1 passed/);
});

t.test('a log of text is traced by what it has: the user agent, or the address', async (t) => {
  const agent = await startOwnApplication(t, { log: (url, header) => `GET ${url} "${header('user-agent')}"` });
  const byAgent = await agent.vp(['new', '--yes', '--base-url', agent.target.origin, '--log', 'app.log']);
  t.match(byAgent.stdout, /lines of text, by User-Agent[\s\S]*1 run: 1 passed/);
  t.match(
    readFileSync(join(agent.folder, 'test/scenarios/RT-GET-health.md'), 'utf8'),
    'User-Agent: vp (${correlation_id})',
  );

  const address = await startOwnApplication(t, { log: (url) => `GET ${url} 200` });
  const byAddress = await address.vp(['new', '--yes', '--base-url', address.target.origin, '--log', 'app.log']);
  t.match(byAddress.stdout, /by the parameter vp_run[\s\S]*1 run: 1 passed/);
});

t.test('errors are counted only where every line of a request says its level', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, {
    log: (url, header) => {
      const id = header('x-request-id');
      return `${JSON.stringify({ level: 'info', msg: 'up' })}\n${JSON.stringify({ level: 'info', id, url })}\ndone ${id}`;
    },
  });
  const { code, stdout } = await vp(['new', '--yes', '--base-url', target.origin, '--log', 'app.log']);
  t.equal(code, 0, stdout);
  t.match(stdout, /the id of a run in `id`/);
  const text = readFileSync(join(folder, 'test/scenarios/RT-GET-health.md'), 'utf8');
  t.match(text, '- log lines>=1\n');
  t.notMatch(text, 'log errors');
});

t.test('a log without any id is told, and is not checked', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t, { log: () => 'something happened' });
  const { code, stdout } = await vp(['new', '--yes', '--base-url', target.origin, '--log', 'app.log']);
  t.equal(code, 0);
  t.match(
    stdout,
    /! log +lines of text in app\.log, but none with the id of a request\n.*something happened\n.*X-Request-Id/,
  );
  t.notMatch(readFileSync(join(folder, 'test/scenarios/RT-GET-health.md'), 'utf8'), 'log lines');
  t.notMatch(listNextCommands(stdout).flat(), ['--log']);
});

t.test('existing files are shown as they would change, and stay, without --force', async (t) => {
  const { vp, folder, target, write } = await startOwnApplication(t);
  const config = write(
    'product/platform-config.yaml',
    'project: { name: mine }\ntargets: { http: { base_url: "http://app:1" } }\n',
  );
  write('product/.gitignore', 'node_modules\n');
  const refused = await vp(['new', '--yes', '--base-url', target.origin]);
  t.equal(refused.code, 2);
  t.match(refused.stderr, /-project: \{ name: mine \}[\s\S]*NEW_FILES_DIFFER/);
  t.match(readFileSync(config, 'utf8'), 'mine');
  t.notOk(existsSync(join(folder, 'test/scenarios/RT-GET-health.md')), 'nothing was written');
  t.equal((await vp(['new', '--yes', '--base-url', target.origin, '--force'])).code, 0);
  t.notMatch(readFileSync(config, 'utf8'), 'mine');
  t.equal(readFileSync(join(folder, 'product/.gitignore'), 'utf8'), 'node_modules\n/.env\n', 'a line is added');
});

t.test('a value in .env that differs is not replaced without --force, and other lines stay', async (t) => {
  const { vp, target, write } = await startOwnApplication(t);
  const env = write('product/.env', 'OTHER=1\nAPI_TOKEN=old-token\n');
  const args = ['new', '--yes', '--base-url', target.origin, '--auth', 'bearer', '--secret-from', 'T'];
  const refused = await vp(args, { variables: { T: token } });
  t.match(refused.stderr, /a value would change \(not shown\)[\s\S]*NEW_FILES_DIFFER/);
  t.notMatch(refused.stderr, /old-token|the-token/);
  t.equal((await vp([...args, '--force'], { variables: { T: token } })).code, 0);
  t.equal(readFileSync(env, 'utf8'), `OTHER=1\nAPI_TOKEN=${token}\n`);
});

t.test('--dry-run prints the files and writes nothing', async (t) => {
  const { vp, folder, target } = await startOwnApplication(t);
  const { code, stdout } = await vp(['new', '--yes', '--base-url', target.origin, '--dry-run']);
  t.equal(code, 0);
  t.match(stdout, /\+# Scenario: GET health/);
  t.notOk(existsSync(join(folder, 'product')));
});

t.test('--json is one document with the run in it', async (t) => {
  const { vp, target } = await startOwnApplication(t);
  const { code, stdout } = await vp(['new', '--json', '--base-url', target.origin]);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), {
    files: [{ path: 'product/platform-config.yaml', change: 'create' }, {}, {}],
    scenario: 'RT-GET-health',
    request: 'GET /health',
    run: { summary: { total: 1, passed: 1 } },
    exit_code: 0,
  });
});

t.test('what is wrong is told with the next command', async (t) => {
  const { vp, target, folder } = await startOwnApplication(t, {
    routes: { '/api': {}, '/health': { status: 'ok' } },
    protectedPaths: ['/api', '/health'],
  });
  const url = ['--base-url', target.origin];
  const closed = `http://127.0.0.1:${await findFreePort()}`;
  const cases: readonly [readonly string[], string, RegExp][] = [
    [['--base-url', closed], 'NEW_TARGET_SILENT', /refused/],
    [['--base-url', 'ftp://x'], 'CONFIG_BASE_URL_INVALID', /ftp/],
    [[], 'NEW_ANSWERS_MISSING', /vp new --yes --base-url/],
    [url, 'NEW_UNAUTHORIZED', /--auth bearer --secret-from API_TOKEN/],
    [[...url, '--secret-from', 'WRONG'], 'NEW_CREDENTIAL_REFUSED', /the value in the variable WRONG and .*--auth/],
    [[...url, '--secret-from', 'ABSENT'], 'NEW_SECRET_MISSING', /--secret-from/],
    [[...url, '--secret-from', 'SPACED'], 'NEW_SECRET_UNUSABLE', /without spaces/],
    [[...url, '--auth', 'bearer'], 'NEW_ANSWERS_MISSING', new RegExp(`--base-url ${target.origin} .*--secret-from`)],
    [[...url, '--log', 'nope.log', '--secret-from', 'GOOD'], 'FLAG_INVALID', /--log names nope\.log, and there is no/],
    [[...url, '--log', '.', '--secret-from', 'GOOD'], 'FLAG_INVALID', /which is a folder/],
    [[...url, '--from', 'POST /x', '--secret-from', 'GOOD'], 'NEW_REQUEST_INVALID', /vp new scenario --from/],
    [[...url, '--from', 'GET items', '--secret-from', 'GOOD'], 'NEW_REQUEST_INVALID', /begin with/],
    [[...url, '--database', 'postgres://a:b@h/d', '--secret-from', 'GOOD'], 'NEW_DATABASE_INVALID', /password/],
    [[...url, '--compose', '--secret-from', 'GOOD'], 'NEW_COMPOSE_ABSENT', /compose/],
  ];
  const variables = { WRONG: 'wrong-token', SPACED: 'a b c d', GOOD: token };
  for (const [args, code, text] of cases) {
    const { stderr, stdout } = await vp(['new', '--yes', ...args], { variables });
    t.match(stderr, code, `${args.join(' ')}: ${stdout}`);
    t.match(stderr, text);
    t.notMatch(stderr, /wrong-token|a b c d|the-token/);
  }
  t.notOk(existsSync(join(folder, 'product')), 'nothing was written');
});

t.test('an application that answers nothing useful, or now this and now that, gets no scenario', async (t) => {
  const silent = await startOwnApplication(t, { routes: {} });
  const { stderr } = await silent.vp(['new', '--yes', '--base-url', silent.target.origin]);
  t.match(stderr, /none of the [1-9]\d paths .*NEW_NOTHING_USABLE/);
  t.match(stderr, `--base-url ${silent.target.origin} --from`, 'the address that was given');
  const moody = await startOwnApplication(t);
  let count = 0;
  const answer = moody.target.handler;
  moody.target.handler = (request, response, arrived) => {
    count += arrived.url === '/moody' ? 1 : 0;
    if (arrived.url !== '/moody') return answer(request, response, arrived);
    response.writeHead(count % 2 === 0 ? 503 : 200).end('{}');
  };
  const args = ['new', '--yes', '--base-url', moody.target.origin, '--from', 'GET /moody'];
  t.match((await moody.vp(args)).stderr, 'NEW_UNSTABLE');
  moody.target.handler = (request, response, arrived) => {
    if (arrived.url === '/moody') request.socket.destroy();
    else answer(request, response, arrived);
  };
  t.match((await moody.vp(args)).stderr, 'NEW_REQUEST_UNANSWERED');
});

t.test('a .env that git tracks is not given a secret, and a folder that is a file is told', async (t) => {
  const { vp, folder, target, write } = await startOwnApplication(t);
  const { execFileSync } = await import('node:child_process');
  write('product/.env', 'OTHER=1\n');
  execFileSync('git', ['init', '-q'], { cwd: folder });
  execFileSync('git', ['add', 'product/.env'], { cwd: folder });
  const args = ['new', '--yes', '--base-url', target.origin, '--secret-from', 'T', '--auth', 'bearer'];
  const { PATH = '' } = process.env;
  t.match((await vp(args, { variables: { T: token, PATH } })).stderr, 'NEW_ENV_TRACKED');
  t.equal(readFileSync(join(folder, 'product/.env'), 'utf8'), 'OTHER=1\n');
  writeFileSync(join(folder, 'test'), 'a file');
  t.match((await vp(['new', '--yes', '--base-url', target.origin])).stderr, 'NEW_FILE_UNWRITABLE');
});
