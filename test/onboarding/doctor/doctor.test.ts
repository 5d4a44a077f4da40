import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { DoctorContext, ToolResult } from '../../../src/onboarding/doctor/context.ts';
import { doctor } from '../../../src/onboarding/doctor/doctor.ts';
import { type container, engineWith, process as processOn } from '../preflight/machine.ts';
import { allContainers, clientOf, nowMs, onboarded, page, problemsOf, registered } from './house.ts';

t.test('an onboarded machine on which all is well', async (t) => {
  const report = await doctor(onboarded(), { fix: false });
  t.equal(report.outcome, 'ok', JSON.stringify(report.checks.filter(({ outcome }) => outcome !== 'ok')));
  t.match(
    report.checks.find(({ id }) => id === 'instance'),
    { facts: ['shop', 'REGISTERED'] },
  );
  t.match(
    report.checks.find(({ id }) => id === 'test_agent'),
    { outcome: 'skipped', facts: [/without --test-dir/] },
  );
  t.match(
    report.checks.find(({ id }) => id === 'dashboard'),
    { facts: ['both answer, 1 of 1 are measured'] },
  );
});

t.test('a control plane that is away, or not ready: the rest is looked at all the same', async (t) => {
  const ready = 'http://127.0.0.1:7700/readyz';
  t.match(await problemsOf(onboarded({}, { [ready]: undefined })), [/^control_plane: CONTROL_PLANE_UNREACHABLE/]);
  t.match(await problemsOf(onboarded({}, { [ready]: page('', 503) })), [
    /^control_plane: CONTROL_PLANE_NOT_READY .*503/,
  ]);
  const client = () => Promise.reject(vpError('LOGIN_ENDED', { url: 'http://127.0.0.1:7700' }));
  t.match(await problemsOf(onboarded({ client })), [/^sign_in: LOGIN_ENDED/]);
});

t.test('clocks that differ', async (t) => {
  const ready = 'http://127.0.0.1:7700/readyz';
  t.same(await problemsOf(onboarded({}, { [ready]: page('', 200, 29_000) })), []);
  t.match(await problemsOf(onboarded({}, { [ready]: page('', 200, 95_000) })), [
    /CLOCK_SKEWED .* 95 s ahead of the control plane’s/,
  ]);
  t.match(await problemsOf(onboarded({}, { [ready]: page('', 200, -95_000) })), [/CLOCK_SKEWED .* 95 s behind/]);
});

t.test('an executor that does not call', async (t) => {
  const withStatus = (more: object) =>
    problemsOf(onboarded({ instance: async () => ({ id: 'shop', registered: { ...registered, ...more } }) }));
  const away = { executor_status: 'AWAY', last_seen_at: new Date(nowMs - 7 * 60_000).toISOString() };
  t.match(await withStatus(away), ['instance: EXECUTOR_AWAY the executor of shop has not called for 7 min']);
  t.match(await withStatus({ executor_status: 'NEVER_SEEN', last_seen_at: null }), [/^instance: EXECUTOR_NEVER_SEEN/]);
});

t.test('other versions than the recommended one', async (t) => {
  const instance = async () => ({ id: 'shop', registered: { ...registered, recommended_version: '9.0.0' } });
  const problems = await problemsOf(onboarded({ instance }));
  t.equal(problems.length, 3);
  t.match(problems, [
    /^versions: VERSION_OTHER this vp has the version/,
    /the executor of shop has/,
    /the image vp:v\S+-slim has the version \S+; the control plane recommends 9\.0\.0/,
  ]);
});

/** The machine with other containers in the place of those of the same name. */
function withContainers(others: readonly Parameters<typeof container>[0][], asked: string[] = []): DoctorContext {
  const names = new Map(others.map((other) => [other.name, other]));
  const listed = allContainers.map((one) => ({ ...one, ...names.get(one.name) }));
  const engine = engineWith(listed, { info: '/var/lib/docker', logs: 'Error: no such key\nending\n' }, asked);
  return onboarded({ engine: async () => engine });
}

t.test('containers that do not run as they should', async (t) => {
  const executor = 'platform-inst-shop-executor-1';
  const state = async (more: object) => problemsOf(withContainers([{ name: executor, ...more }]));
  t.match(await state({ state: 'exited' }), [
    /^containers: CONTAINER_STOPPED container \S+ \(compose project platform-inst-shop.*\(exited\)$/,
  ]);
  t.match(await state({ state: 'restarting' }), [
    /CONTAINER_RESTARTING .* it said last: Error: no such key \| ending$/,
  ]);
  t.match(await state({ status: 'Up 3 minutes (unhealthy)' }), [
    /CONTAINER_UNHEALTHY .* Error: no such key \| ending$/,
  ]);
  t.match(await state({ status: 'Up 3 seconds (health: starting)' }), [/CONTAINER_STARTING/]);
  const none = onboarded({
    engine: async () => engineWith([], { info: '/' }),
    instance: async () => ({ id: 'shop', registered: { ...registered, executor_status: 'AWAY' } }),
  });
  t.match(
    (await problemsOf(none)).filter((text) => /PROJECT_ABSENT/.test(text)),
    [/project platform-inst-shop$/, /project platform-router$/, /project platform-obs$/],
  );
  const elsewhere = await doctor(onboarded({ engine: async () => engineWith([], { info: '/' }) }), { fix: false });
  t.match(
    elsewhere.checks.find(({ id }) => id === 'containers'),
    { outcome: 'ok' },
    'its executor calls from elsewhere',
  );
});

t.test('with --fix what was stopped is started, and nothing else is done', async (t) => {
  const asked: string[] = [];
  const context = withContainers(
    [
      { name: 'platform-router', state: 'exited' },
      { name: 'platform-obs-dashboard-1', state: 'paused' },
    ],
    asked,
  );
  const looked = await doctor(context, { fix: false });
  t.equal(looked.checks.find(({ id }) => id === 'containers')?.fixable, 2);
  const changes = (): string[] => asked.filter((line) => !/^(ps|info|logs)/.test(line));
  t.same(changes(), []);
  const { checks } = await doctor(context, { fix: true });
  t.same(changes(), ['start platform-router', 'unpause platform-obs-dashboard-1']);
  t.match(
    checks.find(({ id }) => id === 'containers'),
    { fixed: changes(), outcome: 'problem' },
    'it looked again',
  );
});

t.test('the router', async (t) => {
  const health = 'http://127.0.0.1:9765/healthz';
  t.match(await problemsOf(onboarded({}, { [health]: undefined })), [
    /^router: ROUTER_SILENT nothing answers on port 9765/,
  ]);
  const holderOf = async (port: number) => (port === 9765 ? processOn(9765) : undefined);
  const foreign = await problemsOf(onboarded({ holderOf }, { [health]: page('<html>') }));
  t.match(foreign, [/^router: ROUTER_PORT_TAKEN another process answers .*`unrecognized router token`/]);
});

/** A folder of the test agent in a repository, connected to shop. */
function agentFolder(t: Test, files: { ignore?: string; settings?: string } = {}): string {
  const folder = t.testdir();
  execFileSync('git', ['init', '--quiet', folder]);
  mkdirSync(join(folder, '.claude'));
  const headers = { Authorization: 'Bearer vpr_shop_test_x' };
  const server = { type: 'http', url: 'http://127.0.0.1:9765/mcp', headers };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { 'vp-shop': server } }));
  writeFileSync(join(folder, '.gitignore'), files.ignore ?? '/.mcp.json\n');
  writeFileSync(
    join(folder, '.claude/settings.local.json'),
    files.settings ?? '{"enabledMcpjsonServers": ["vp-shop"]}',
  );
  return folder;
}

const read = { state: 'read', problem: null, cure: null };
const status = (more: object = {}): ToolResult => ({
  isError: false,
  text: 'healthy',
  data: { log: read, database: read, ...more },
});

t.test('the folder of an agent, mended where that is safe', async (t) => {
  const callTool = async () => status();
  const testDir = agentFolder(t);
  t.same(await problemsOf(onboarded({ testDir, callTool })), []);
  const open = agentFolder(t, { ignore: 'node_modules\n', settings: '{}' });
  const context = () => onboarded({ testDir: open, callTool });
  t.match(await problemsOf(context()), [
    /^test_agent: AGENT_TOKEN_UNIGNORED .*\.mcp\.json/,
    /^test_agent: AGENT_SERVER_DISABLED/,
  ]);
  t.equal(readFileSync(join(open, '.gitignore'), 'utf8'), 'node_modules\n', 'looking changes nothing');
  const { checks } = await doctor(context(), { fix: true });
  t.match(
    checks.find(({ id }) => id === 'test_agent'),
    { outcome: 'ok', fixed: [/ignored by git/, /enabled in/], fixable: 0 },
  );
  t.equal(readFileSync(join(open, '.gitignore'), 'utf8'), 'node_modules\n/.mcp.json\n');
  execFileSync('git', ['-C', open, 'add', '--force', '.mcp.json']);
  t.match(await problemsOf(context()), [/^test_agent: FOLDER_TOKEN_TRACKED/]);
});

t.test('a fix that cannot be made is told', async (t) => {
  const testDir = agentFolder(t, { settings: '{' });
  const { checks } = await doctor(onboarded({ testDir, callTool: async () => status() }), { fix: true });
  t.match(
    checks.find(({ id }) => id === 'test_agent'),
    { outcome: 'warning', fixed: [/^could not be done: .* is no JSON/] },
  );
});

t.test('an agent that is not connected, or not let in', async (t) => {
  const testDir = t.testdir();
  t.match(await problemsOf(onboarded({ testDir })), [/^test_agent: AGENT_FOLDER_UNCONNECTED .* no entry of shop/]);
  t.match(await problemsOf(onboarded({ testDir: agentFolder(t) })), [/^test_agent: AGENT_REFUSED .* nobody there/]);
  const bad = async () => ({ isError: true, text: 'EXECUTOR_AWAY: it is away\nCure: …', data: {} });
  t.match(await problemsOf(onboarded({ testDir: agentFolder(t), callTool: bad })), [
    /AGENT_ANSWER_BAD .* answer: EXECUTOR_AWAY: it is away$/,
  ]);
  t.match(await problemsOf(onboarded({ productDir: join(testDir, 'nowhere') })), [
    /product_agent: FOLDER_ABSENT/,
    /config: CONFIG_FOLDER_MISSING/,
  ]);
});

t.test('log and database, as the executor sees them', async (t) => {
  const look = (more: object) => problemsOf(onboarded({ testDir: agentFolder(t), callTool: async () => status(more) }));
  const away = { state: 'unavailable', problem: 'the socket is gone', cure: 'start it' };
  t.match(await look({ log: away }), [
    'evidence: EVIDENCE_UNAVAILABLE the executor cannot read the log of the target: the socket is gone',
  ]);
  const grants = { state: 'read', problem: 'its user may write', cure: 'revoke that' };
  t.match(await look({ database: grants }), [
    'evidence: EVIDENCE_DOUBTFUL the database of the target: its user may write',
  ]);
});

t.test('the folder of scenarios', async (t) => {
  const folder = join(t.testdir(), 'scenarios');
  const look = (isNamed: boolean) => problemsOf(onboarded({ scenarios: { folder, isNamed } }));
  const missing = await doctor(onboarded({ scenarios: { folder, isNamed: false } }), { fix: false });
  t.match(missing, { outcome: 'warning' }, 'where nobody named one');
  t.match(await look(false), [/^scenarios: SCENARIOS_DEFAULT_MISSING/]);
  t.match(await look(true), [/^scenarios: SCENARIOS_FOLDER_MISSING/]);
  mkdirSync(folder);
  const readScenarios = () => {
    throw vpError('SCENARIO_FOLDER_EMPTY', { path: folder, others: '' });
  };
  const empty = await problemsOf(onboarded({ scenarios: { folder, isNamed: true }, readScenarios }));
  t.match(empty, [/^scenarios: SCENARIO_FOLDER_EMPTY/]);
});

t.test('folder and catalogue', async (t) => {
  const folder = t.testdir();
  const file = (id: string, sha256: string) => ({ file: `${id}.md`, id, sha256, problem: undefined });
  const items = ['same', 'other', 'gone'].map((id) => ({ scenario_id: id, sha256: 'aa' }));
  const problems = await problemsOf(
    onboarded({
      scenarios: { folder, isNamed: true },
      client: async () => clientOf({ '/api/v1/instances/shop/scenarios': { items, next_cursor: null } }),
      readScenarios: () => [file('same', 'aa'), file('other', 'bb'), file('new', 'cc')],
    }),
  );
  t.same(problems, [
    'catalogue: CATALOGUE_DIFFERS scenarios differ: other',
    'catalogue: CATALOGUE_DIFFERS scenarios are only in the folder: new',
    'catalogue: CATALOGUE_DIFFERS scenarios are only in the catalogue: gone',
  ]);
});

t.test('log lines of the last runs', async (t) => {
  const look = (...logs: (object | null)[]) => {
    const items = logs.map((_, index) => ({ run_id: `run${index}` }));
    const documents = logs.map((log, index) => [
      `/api/v1/runs/run${index}`,
      { run_id: 'x', state: 'passed', report: { log } },
    ]);
    const client = async () =>
      clientOf({ '/api/v1/runs': { items, next_cursor: null }, ...Object.fromEntries(documents) });
    return problemsOf(onboarded({ client }));
  };
  const none = { line_count: 0, problem: 'no line holds the correlation id' };
  t.match(await look(none, none), [
    'log_lines: LOG_LINES_ABSENT no line of the last 2 runs was found in the log of the target: no line holds the correlation id',
  ]);
  t.same(await look(none, { line_count: 2, problem: null }), []);
  t.same(await look(null), []);
});

t.test('dashboard and metrics store', async (t) => {
  t.match(await problemsOf(onboarded({}, { 'http://127.0.0.1:3000/healthz': undefined })), [
    /DASHBOARD_SILENT the dashboard does not answer on port 3000/,
  ]);
  const holderOf = async (port: number) => (port === 9095 ? processOn(9095) : undefined);
  t.match(await problemsOf(onboarded({ holderOf })), [
    /DASHBOARD_PORT_FOREIGN port 9095 of the metrics store is held by process nginx/,
  ]);
  const targets = {
    data: { activeTargets: [{ scrapeUrl: 'http://x/metrics', health: 'down', lastError: 'refused' }] },
  };
  const listed = { 'http://127.0.0.1:9095/api/v1/targets?state=active': page(JSON.stringify(targets)) };
  t.match(await problemsOf(onboarded({}, listed)), [
    'dashboard: METRICS_TARGET_DOWN the metrics store gets no measurements from http://x/metrics: refused',
  ]);
  t.same(await problemsOf(onboarded({}, { 'http://127.0.0.1:9095/api/v1/targets?state=active': page('?') })), []);
});
