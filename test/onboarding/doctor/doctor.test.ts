import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { formatDoctorReport } from '../../../src/commands/doctor/doctor.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { AgentToolResult, DoctorContext, HttpPage } from '../../../src/onboarding/doctor/context.ts';
import { runDoctor } from '../../../src/onboarding/doctor/doctor.ts';
import { paintFor } from '../../../src/terminal/paint.ts';
import { type container, createFakeEngine, processHolder as processOn } from '../preflight/preflight-context.ts';
import {
  allContainers,
  createOnboardedContext,
  createPage,
  createTestClient,
  listProblems,
  nowMs,
  registeredInstance,
} from './onboarded-context.ts';

t.test('an onboarded machine without problems', async (t) => {
  const report = await runDoctor(createOnboardedContext(), { fix: false });
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
    { facts: ['both respond, 1 of 1 targets are up'] },
  );
  const closing = formatDoctorReport(report, paintFor({ write: () => true, isTTY: false }, {}))
    .trimEnd()
    .split('\n')
    .at(-1);
  const skipped = report.checks.filter(({ outcome }) => outcome === 'skipped').length;
  t.ok(skipped > 1);
  t.equal(closing, `no problems found; ${skipped} checks were not made`);
});

t.test('an unreachable or unready control plane does not stop the other checks', async (t) => {
  const ready = 'http://127.0.0.1:7700/readyz';
  t.match(await listProblems(createOnboardedContext({}, { [ready]: undefined })), [
    /^control_plane: CONTROL_PLANE_UNREACHABLE/,
  ]);
  t.match(await listProblems(createOnboardedContext({}, { [ready]: createPage('', 503) })), [
    /^control_plane: CONTROL_PLANE_NOT_READY .*503/,
  ]);
  const client = () => Promise.reject(vpError('LOGIN_ENDED', { url: 'http://127.0.0.1:7700' }));
  t.match(await listProblems(createOnboardedContext({ connect: client })), [/^sign_in: LOGIN_ENDED/]);
});

t.test('clock skew is reported', async (t) => {
  const ready = 'http://127.0.0.1:7700/readyz';
  t.same(await listProblems(createOnboardedContext({}, { [ready]: createPage('', 200, 29_000) })), []);
  t.match(await listProblems(createOnboardedContext({}, { [ready]: createPage('', 200, 95_000) })), [
    /CLOCK_SKEWED .* 95 s ahead of the control plane’s/,
  ]);
  t.match(await listProblems(createOnboardedContext({}, { [ready]: createPage('', 200, -95_000) })), [
    /CLOCK_SKEWED .* 95 s behind/,
  ]);
});

t.test('a jump of the control plane’s clock is reported', async (t) => {
  const ready = 'http://127.0.0.1:7700/readyz';
  const page = createPage('{"status":"ready","clock":"jumped"}');
  t.match(await listProblems(createOnboardedContext({}, { [ready]: page })), [
    /^control_plane: CONTROL_PLANE_CLOCK_JUMPED .*nothing is deleted by age/,
  ]);
});

t.test('the store of the control plane is shown, and why it is not ready', async (t) => {
  const ready = 'http://127.0.0.1:7700/readyz';
  const getFacts = async (text: string) => {
    const { checks } = await runDoctor(createOnboardedContext({}, { [ready]: createPage(text) }), { fix: false });
    return checks.find(({ id }) => id === 'control_plane')?.facts.slice(2);
  };
  t.same(await getFacts('{"status":"ready","store":{"engine":"sqlite"}}'), ['store: SQLite']);
  const connections = { used: 1, open: 3, waiting: 0 };
  const store = { engine: 'postgresql', connection: 'pooled', connections };
  t.same(await getFacts(JSON.stringify({ status: 'ready', store })), [
    'store: PostgreSQL, through a pooler, 1 of 3 connections in use, 0 operations waiting',
  ]);
  for (const [notices, how] of [
    ['hint', /noticed at once, by notifications$/],
    ['polling', /noticed by polling$/],
  ] as const)
    t.match((await getFacts(JSON.stringify({ status: 'ready', store: { ...store, notices } })))?.[1], how);
  const replica = { id: 'west-2', role: 'standby', epoch: 3, live: 2, active: 'east-1' };
  t.same(
    await getFacts(JSON.stringify({ status: 'ready', store: { engine: 'postgresql' }, replica })),
    ['store: PostgreSQL', 'replicas: 2 live; west-2 responds, standby'],
    'a standby responds for itself',
  );
  t.same(await getFacts('{"status":"ready","store":7}'), []);
  const unready = createPage('{"status":"not ready","reason":"STORE_DATABASE_UNAVAILABLE"}', 503);
  t.match(await listProblems(createOnboardedContext({}, { [ready]: unready })), [
    /^control_plane: CONTROL_PLANE_NOT_READY .*status 503, STORE_DATABASE_UNAVAILABLE/,
  ]);
});

t.test('a database that is named is examined', async (t) => {
  const findCheck = async (inspectDatabase: DoctorContext['inspectDatabase']) => {
    const { checks } = await runDoctor(createOnboardedContext({ inspectDatabase }), { fix: false });
    return checks.find(({ id }) => id === 'store_database');
  };
  t.match(await findCheck(async () => undefined), { outcome: 'skipped', facts: [/--database-file/] });
  const problems = [vpError('STORE_DATABASE_UNENCRYPTED', { address: 'db:5432' })];
  t.match(await findCheck(async () => ({ facts: ['vp at db:5432'], problems })), {
    outcome: 'warning',
    facts: ['vp at db:5432'],
    problems: [{ code: 'STORE_DATABASE_UNENCRYPTED' }],
  });
  const unreachable = vpError('STORE_DATABASE_UNREACHABLE', { address: 'db:5432', reason: 'nothing listens there' });
  t.match(await findCheck(() => Promise.reject(unreachable)), {
    outcome: 'problem',
    problems: [{ code: 'STORE_DATABASE_UNREACHABLE' }],
  });
});

t.test('a disconnected executor is reported', async (t) => {
  const listProblemsWith = (more: object) =>
    listProblems(
      createOnboardedContext({
        findInstance: async () => ({ id: 'shop', registered: { ...registeredInstance, ...more } }),
      }),
    );
  const unavailable = { executor_status: 'AWAY', last_seen_at: new Date(nowMs - 7 * 60_000).toISOString() };
  t.match(await listProblemsWith(unavailable), [
    'instance: EXECUTOR_AWAY the executor of shop has not been in contact for 7 min',
  ]);
  t.match(await listProblemsWith({ executor_status: 'NEVER_SEEN', last_seen_at: null }), [
    /^instance: EXECUTOR_NEVER_SEEN/,
  ]);
});

t.test('a store that was an older copy is reported for a week', async (t) => {
  const listProblemsWith = (store: 'executor' | 'control plane', daysAgo: number) => {
    const noticed_at = new Date(nowMs - daysAgo * 86_400_000).toISOString();
    const registered = { ...registeredInstance, stale_store: { store, noticed_at } };
    return listProblems(createOnboardedContext({ findInstance: async () => ({ id: 'shop', registered }) }));
  };
  t.match(await listProblemsWith('executor', 1), [/^instance: EXECUTOR_STORE_STALE .* older copy/]);
  t.match(await listProblemsWith('control plane', 6), [/^instance: CONTROL_STORE_WENT_BACK .* shop were cancelled/]);
  t.same(await listProblemsWith('executor', 8), []);
});

t.test('versions other than the recommended one are reported', async (t) => {
  const instance = async () => ({ id: 'shop', registered: { ...registeredInstance, recommended_version: '9.0.0' } });
  const problems = await listProblems(createOnboardedContext({ findInstance: instance }));
  t.equal(problems.length, 3);
  t.match(problems, [
    /^versions: VERSION_OTHER this vp has the version/,
    /the executor of shop has/,
    /the image vp:v\S+-slim has the version \S+; the control plane recommends its own, 9\.0\.0/,
  ]);
});

/** The onboarded machine with some containers replaced by name. */
function withContainers(
  replacements: readonly Parameters<typeof container>[0][],
  commands: string[] = [],
): DoctorContext {
  const names = new Map(replacements.map((replacement) => [replacement.name, replacement]));
  const listed = allContainers.map((listedContainer) => ({ ...listedContainer, ...names.get(listedContainer.name) }));
  const engine = createFakeEngine(listed, { info: '/var/lib/docker', logs: 'Error: no such key\nending\n' }, commands);
  return createOnboardedContext({ engine: async () => engine });
}

t.test('stopped, crashing and unhealthy containers are reported', async (t) => {
  const executor = 'platform-inst-shop-executor-1';
  const state = async (more: object) => listProblems(withContainers([{ name: executor, ...more }]));
  t.match(await state({ state: 'exited', status: 'Exited (137) 4 minutes ago' }), [
    /^containers: CONTAINER_STOPPED container \S+ \(compose project platform-inst-shop.*\(exited \(137\) 4 minutes ago\)$/,
  ]);
  t.match(await state({ state: 'restarting' }), [
    /CONTAINER_RESTARTING .* its last log line: Error: no such key \| ending$/,
  ]);
  t.match(await state({ status: 'Up 3 minutes (unhealthy)' }), [
    /CONTAINER_UNHEALTHY .* Error: no such key \| ending$/,
  ]);
  t.match(await state({ status: 'Up 3 seconds (health: starting)' }), [/CONTAINER_STARTING/]);
  const none = createOnboardedContext({
    engine: async () => createFakeEngine([], { info: '/' }),
    findInstance: async () => ({ id: 'shop', registered: { ...registeredInstance, executor_status: 'AWAY' } }),
  });
  t.match(
    (await listProblems(none)).filter((text) => /PROJECT_ABSENT/.test(text)),
    [/project platform-inst-shop$/, /project platform-router$/, /project platform-obs$/],
  );
  const elsewhere = await runDoctor(
    createOnboardedContext({ engine: async () => createFakeEngine([], { info: '/' }) }),
    { fix: false },
  );
  t.match(
    elsewhere.checks.find(({ id }) => id === 'containers'),
    { outcome: 'skipped' },
    'its executor calls from elsewhere',
  );
});

t.test('an executor without onboarding needs neither router nor dashboard, unless agents are examined', async (t) => {
  const silent = Object.fromEntries(
    ['9765/healthz', '3000/healthz', '9095/-/ready'].map((path) => [`http://127.0.0.1:${path}`, undefined]),
  );
  const engine = async () => createFakeEngine([], { info: '/' });
  const { checks, outcome } = await runDoctor(createOnboardedContext({ engine }, silent), { fix: false });
  const find = (id: string) => checks.find((check) => check.id === id);
  t.equal(outcome, 'ok');
  t.match(find('router'), { outcome: 'skipped', facts: [/`vp connect` and `vp router`/] });
  t.match(find('dashboard'), { outcome: 'skipped' });
  const examined = await listProblems(createOnboardedContext({ engine, testDir: t.testdir() }, silent));
  t.match(
    examined.filter((text) => /_SILENT/.test(text)),
    [/ROUTER_SILENT/, /DASHBOARD_SILENT/, /DASHBOARD_SILENT/],
  );
  const findPortHolder = async (port: number) => (port === 9765 ? processOn(9765) : undefined);
  t.match(await listProblems(createOnboardedContext({ engine, findPortHolder }, silent)), [/ROUTER_PORT_TAKEN/]);
});

t.test('--fix starts stopped containers and does nothing else', async (t) => {
  const commands: string[] = [];
  const context = withContainers(
    [
      { name: 'platform-router', state: 'exited' },
      { name: 'platform-obs-dashboard-1', state: 'paused' },
    ],
    commands,
  );
  const report = await runDoctor(context, { fix: false });
  t.equal(report.checks.find(({ id }) => id === 'containers')?.fixable, 2);
  const changes = (): string[] => commands.filter((line) => !/^(ps|info|logs|inspect|network inspect)/.test(line));
  t.same(changes(), []);
  const { checks } = await runDoctor(context, { fix: true });
  t.same(changes(), ['start platform-router', 'unpause platform-obs-dashboard-1']);
  t.match(
    checks.find(({ id }) => id === 'containers'),
    { fixed: changes(), outcome: 'problem' },
    'it looked again',
  );
});

t.test('a router that is silent, or whose port another process has, is reported', async (t) => {
  const health = 'http://127.0.0.1:9765/healthz';
  t.match(await listProblems(createOnboardedContext({}, { [health]: undefined })), [
    /^router: ROUTER_SILENT nothing answers on port 9765/,
  ]);
  const findPortHolder = async (port: number) => (port === 9765 ? processOn(9765) : undefined);
  const foreign = await listProblems(createOnboardedContext({ findPortHolder }, { [health]: createPage('<html>') }));
  t.match(foreign, [/^router: ROUTER_PORT_TAKEN another process answers .*`unrecognized router token`/]);
});

/** A folder of the test agent in a repository, connected to shop. */
function createAgentFolder(t: Test, files: { ignore?: string; settings?: string } = {}): string {
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
const status = (more: object = {}): AgentToolResult => ({
  isError: false,
  text: 'healthy',
  data: { log: read, database: read, ...more },
});

t.test('problems of an agent folder are fixed where that is safe', async (t) => {
  const callTool = async () => status();
  const testDir = createAgentFolder(t);
  t.same(await listProblems(createOnboardedContext({ testDir, callTool })), []);
  const open = createAgentFolder(t, { ignore: 'node_modules\n', settings: '{}' });
  const context = () => createOnboardedContext({ testDir: open, callTool });
  t.match(await listProblems(context()), [
    /^test_agent: AGENT_TOKEN_UNIGNORED .*\.mcp\.json/,
    /^test_agent: AGENT_SERVER_DISABLED/,
  ]);
  t.equal(readFileSync(join(open, '.gitignore'), 'utf8'), 'node_modules\n', 'looking changes nothing');
  const { checks } = await runDoctor(context(), { fix: true });
  t.match(
    checks.find(({ id }) => id === 'test_agent'),
    { outcome: 'ok', fixed: [/ignored by git/, /enabled in/], fixable: 0 },
  );
  t.equal(readFileSync(join(open, '.gitignore'), 'utf8'), 'node_modules\n/.mcp.json\n');
  execFileSync('git', ['-C', open, 'add', '--force', '.mcp.json']);
  t.match(await listProblems(context()), [/^test_agent: FOLDER_TOKEN_TRACKED/]);
});

t.test('a failed fix is reported', async (t) => {
  const testDir = createAgentFolder(t, { settings: '{' });
  const { checks } = await runDoctor(createOnboardedContext({ testDir, callTool: async () => status() }), {
    fix: true,
  });
  t.match(
    checks.find(({ id }) => id === 'test_agent'),
    { outcome: 'warning', fixed: [/^not fixed: .* is not valid JSON/] },
  );
});

t.test('an agent that is not connected, or whose token is rejected', async (t) => {
  const testDir = t.testdir();
  t.match(await listProblems(createOnboardedContext({ testDir })), [
    /^test_agent: AGENT_FOLDER_UNCONNECTED .* has no entry for shop/,
  ]);
  t.match(await listProblems(createOnboardedContext({ testDir: createAgentFolder(t) })), [
    /^test_agent: AGENT_REFUSED .* no response/,
  ]);
  const failingTool = async () => ({ isError: true, text: 'EXECUTOR_AWAY: it is away\nCure: …', data: {} });
  t.match(await listProblems(createOnboardedContext({ testDir: createAgentFolder(t), callTool: failingTool })), [
    /AGENT_ANSWER_BAD .* report an error: EXECUTOR_AWAY: it is away$/,
  ]);
  t.match(await listProblems(createOnboardedContext({ productDir: join(testDir, 'nowhere') })), [
    /product_agent: FOLDER_ABSENT/,
    /config: CONFIG_FOLDER_MISSING/,
  ]);
});

t.test('log and database, as the executor sees them', async (t) => {
  const inspect = (more: object) =>
    listProblems(createOnboardedContext({ testDir: createAgentFolder(t), callTool: async () => status(more) }));
  const unavailable = { state: 'unavailable', problem: 'the socket is gone', cure: 'start it' };
  t.match(await inspect({ log: unavailable }), [
    'evidence: EVIDENCE_UNAVAILABLE the executor cannot read the log of the target: the socket is gone',
  ]);
  const grants = { state: 'read', problem: 'its user may write', cure: 'revoke that' };
  t.match(await inspect({ database: grants }), [
    'evidence: EVIDENCE_DOUBTFUL the database of the target: its user may write',
  ]);
});

t.test('the folder of scenarios', async (t) => {
  const folder = join(t.testdir(), 'scenarios');
  const inspect = (isNamed: boolean) => listProblems(createOnboardedContext({ scenarios: { folder, isNamed } }));
  const missing = await runDoctor(createOnboardedContext({ scenarios: { folder, isNamed: false } }), { fix: false });
  t.match(missing, { outcome: 'warning' }, 'the user named none');
  t.match(await inspect(false), [/^scenarios: SCENARIOS_DEFAULT_MISSING/]);
  t.match(await inspect(true), [/^scenarios: SCENARIOS_FOLDER_MISSING/]);
  mkdirSync(folder);
  const readScenarios = () => {
    throw vpError('SCENARIO_FOLDER_EMPTY', { path: folder, others: '' });
  };
  const empty = await listProblems(createOnboardedContext({ scenarios: { folder, isNamed: true }, readScenarios }));
  t.match(empty, [/^scenarios: SCENARIO_FOLDER_EMPTY/]);
});

t.test('scenarios that differ between the folder and the catalogue are named', async (t) => {
  const folder = t.testdir();
  const file = (id: string, sha256: string) => ({ file: `${id}.md`, id, sha256, problem: undefined });
  const items = ['same', 'other', 'gone'].map((id) => ({ scenario_id: id, sha256: 'aa' }));
  const problems = await listProblems(
    createOnboardedContext({
      scenarios: { folder, isNamed: true },
      connect: async () => createTestClient({ '/api/v1/instances/shop/scenarios': { items, next_cursor: null } }),
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
  const inspect = (...logs: (object | null)[]) => {
    const items = logs.map((_, index) => ({ run_id: `run${index}` }));
    const documents = logs.map((log, index) => [
      `/api/v1/runs/run${index}`,
      { run_id: 'x', state: 'passed', report: { log } },
    ]);
    const client = async () =>
      createTestClient({ '/api/v1/runs': { items, next_cursor: null }, ...Object.fromEntries(documents) });
    return listProblems(createOnboardedContext({ connect: client }));
  };
  const noLines = { line_count: 0, problem: 'no line holds the correlation id' };
  t.match(await inspect(noLines, noLines), [
    'log_lines: LOG_LINES_ABSENT no line of the last 2 runs was found in the log of the target: no line holds the correlation id',
  ]);
  t.same(await inspect(noLines, { line_count: 2, problem: null }), []);
  t.same(await inspect(null), []);
  const unseen = (...members: string[]) => ({
    line_count: 1,
    problem: null,
    unseen: members.map((member) => ({ member, field: 'reqId' })),
  });
  const both = unseen('correlation_field', 'saga_event_field');
  t.same(await inspect(both, noLines, both), [
    'log_lines: LOG_FIELD_UNSEEN `observability.logstore.correlation_field` is `reqId`, and no line of the last 2 runs fits that',
  ]);
  t.same(await inspect(both, unseen()), []);
  const unknown = { problem: '`error_match` missing', cure: 'add it' };
  t.same(await inspect({ line_count: 1, problem: null, errors_unknown: unknown }), [
    'log_lines: LOG_ERRORS_UNKNOWN the log of the last run does not tell which lines are errors: `error_match` missing',
  ]);
});

t.test('dashboard and metrics store', async (t) => {
  t.match(await listProblems(createOnboardedContext({}, { 'http://127.0.0.1:3000/healthz': undefined })), [
    /DASHBOARD_SILENT the dashboard does not answer on port 3000/,
  ]);
  const findPortHolder = async (port: number) => (port === 9095 ? processOn(9095) : undefined);
  t.match(await listProblems(createOnboardedContext({ findPortHolder })), [
    /DASHBOARD_PORT_FOREIGN port 9095 of the metrics store is held by process nginx/,
  ]);
  const targets = {
    data: { activeTargets: [{ scrapeUrl: 'http://x/metrics', health: 'down', lastError: 'refused' }] },
  };
  const listed = { 'http://127.0.0.1:9095/api/v1/targets?state=active': createPage(JSON.stringify(targets)) };
  t.match(await listProblems(createOnboardedContext({}, listed)), [
    'dashboard: METRICS_TARGET_DOWN the metrics store gets no measurements from http://x/metrics: refused',
  ]);
});

t.test('a dashboard that measures nothing, or does not say what, is reported', async (t) => {
  const url = 'http://127.0.0.1:9095/api/v1/targets?state=active';
  const listed = (page: HttpPage | undefined) => listProblems(createOnboardedContext({}, { [url]: page }));
  t.match(await listed(createPage('{"data": {"activeTargets": []}}')), [
    /^dashboard: METRICS_TARGETS_ABSENT the metrics store measures nothing/,
  ]);
  t.match(await listed(createPage('?')), [/^dashboard: METRICS_TARGETS_UNKNOWN .* not JSON/]);
  t.match(await listed(createPage('{}')), [/METRICS_TARGETS_UNKNOWN .* not a list of targets/]);
  t.match(await listed(createPage('', 503)), [/METRICS_TARGETS_UNKNOWN .* status 503/]);
  t.match(await listed(undefined), [/METRICS_TARGETS_UNKNOWN .* no answer/]);
  const target = { scrapeUrl: 'http://x/metrics', lastError: '' };
  const activeTargets = [
    { ...target, health: 'unknown' },
    { ...target, health: 'up' },
  ];
  const fresh = createOnboardedContext({}, { [url]: createPage(JSON.stringify({ data: { activeTargets } })) });
  const { checks } = await runDoctor(fresh, { fix: false });
  t.match(
    checks.find(({ id }) => id === 'dashboard'),
    { facts: ['both respond, 1 of 2 targets are up, 1 not measured yet'] },
    'one that was not measured yet is not up',
  );
});
