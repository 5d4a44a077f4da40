/**
 * Wrong inputs over all commands: each is answered with a code and a fix, with a documented exit code, and without a stack. Most rows
 * are generated from the catalogue, so that a new command is covered.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Command, Positional } from '../../src/command-line/command.ts';
import { catalogue } from '../../src/commands/catalogue.ts';
import { errorTable } from '../../src/errors/table.ts';
import { startTestControlPlane } from './test-control-plane.ts';
import { type CommandResult, createWorkspace, scenarioText, type Workspace } from './test-workspace.ts';

type Row = {
  readonly args: readonly string[];
  readonly variables?: Record<string, string>;
  /** The expected code, if only one is right. */
  readonly code?: RegExp;
};

const samples: Readonly<Record<string, string>> = {
  ...{
    instance: 'shop',
    hub: 'acme',
    run: '20261120T143012345',
    scenario: 'RT-1',
    'scenario-or-file': 'RT-1',
    tag: 'a',
    view: 'smoke',
    suite: 's20261120T143012345',
    failure: '3f9a1c0b7d2e4f58',
    schedule: 'nightly',
    channel: 'team',
    approval: '856a8c6db20e63981d',
    token: '3fa94c0be17d2266',
    'agent-token': '3fa94c0be17d2266',
  },
  ...{ shell: 'bash', service: 'hub', address: 'http://127.0.0.1:2', email: 'ana@example.com' },
};

/** Of these any text may name something. */
const textKinds: ReadonlySet<string> = new Set(['scenario-or-file', 'tag', 'view']);

function sampleArguments({ positionals }: Command): string[] {
  return positionals
    .filter(({ required }) => required)
    .map(({ kind, name }: Positional) => samples[kind ?? name] ?? 'missing');
}

/** What the declaration of a command says is wrong. */
function listDeclarationRows(command: Command): Row[] {
  const { name, flags, positionals } = command;
  const words = name.split(' ');
  const args = [...words, ...sampleArguments(command)];
  const rows: Row[] = [{ args: [...args, '--nonsense'], code: /FLAG_UNKNOWN/ }];
  const entries = Object.entries(flags).filter(([, flag]) => !flag.hidden);
  for (const [flag, { type, choices, kind, variable, integerRange }] of entries) {
    if (type !== 'boolean') rows.push({ args: [...args, `--${flag}`], code: /FLAG_VALUE_MISSING/ });
    if (type === 'boolean') rows.push({ args: [...args, `--${flag}=yes`], code: /FLAG_INVALID/ });
    if (type === 'number') rows.push({ args: [...args, `--${flag}`, 'many'], code: /FLAG_INVALID/ });
    if (integerRange) rows.push({ args: [...args, `--${flag}`, '0.5'], code: /FLAG_INVALID/ });
    if (choices) rows.push({ args: [...args, `--${flag}`, 'nonsense'], code: /FLAG_INVALID/ });
    const isChecked = kind !== undefined && !textKinds.has(kind);
    if (isChecked) rows.push({ args: [...args, `--${flag}`, '../../evil'], code: /_INVALID/ });
    if (isChecked && variable) rows.push({ args, variables: { [variable]: 'Bad Id' }, code: /_INVALID/ });
  }
  if (positionals.some(({ required }) => required)) rows.push({ args: words, code: /COMMAND_WORD_MISSING/ });
  if (positionals[0] && !positionals[0].mayBeEmpty)
    rows.push({ args: [...words, ''], code: /COMMAND_WORD_(EMPTY|MISSING)/ });
  if (!positionals.at(-1)?.many)
    rows.push({ args: [...args, ...positionals.map(() => 'more'), 'more'], code: /COMMAND_|_INVALID/ });
  const sample = args.slice(words.length);
  for (const [index, { kind }] of positionals.entries())
    if (kind && !textKinds.has(kind)) {
      const wrong = index < sample.length ? sample.with(index, '../../evil') : [...sample, '../../evil'];
      rows.push({ args: [...words, ...wrong], code: /_INVALID/ });
    }
  return rows;
}

/** Roles run until they are stopped. */
const roles = new Set([
  'serve',
  'executor',
  'router',
  'dashboard',
  'log-reader',
  'demo',
  'example-target',
  'place-files',
  'new',
]);
/** These need none, or say in their own way that there is none. */
const withoutControlPlane = new Set([
  'logout',
  'use',
  'teardown',
  'onboard',
  'doctor',
  'disconnect',
  'registry publish',
  'registry status',
]);

/** A reason of the system may stand before it, as in (ENOENT, CONFIG_UNREADABLE). */
const problemLine = /\((?:[A-Z0-9_]+, )?([A-Z][A-Z0-9]*_[A-Z0-9_]+|INTERNAL)\)/;

/** Commands that check files list what they found. */
const diagnosis = /\b([A-Z]+(?:_[A-Z0-9]+)+)\b/;

/** What is wrong with an answer; undefined if it is as it should be. */
function judge({ code, stdout, stderr }: CommandResult, row: Row): string | undefined {
  const isDiagnosis = /^(validate|format|validate-config)$/.test(row.args[0] ?? '') && stderr === '';
  const text = isDiagnosis ? stdout : stderr;
  const errorCode = (isDiagnosis ? diagnosis : problemLine).exec(text.replaceAll(/\s+/g, ' '))?.[1];
  if (/\n\s+at .*[:(]\d+/.test(stderr + stdout)) return 'shows a stack';
  if (errorCode === undefined) return 'has no code';
  if (errorCode === 'INTERNAL') return 'is a defect';
  if (!Object.hasOwn(errorTable, errorCode)) return `has an unknown code ${errorCode}`;
  const [, fix = ''] = text.split(isDiagnosis ? /fix: | = / : /\n {4}(?=\S)/);
  if (fix.trim() === '') return 'has no fix';
  if (![1, 2, 3, 4].includes(code)) return `ends with ${code}`;
  return row.code && !row.code.test(errorCode) ? `is ${errorCode}` : undefined;
}

async function listWrongAnswers(rows: readonly Row[], { vp }: Pick<Workspace, 'vp'>): Promise<string[]> {
  const wrong: string[] = [];
  for (const row of rows) {
    const result = await vp(row.args, row.variables ? { variables: row.variables } : {});
    const problem = judge(result, row);
    if (problem !== undefined)
      wrong.push(
        `vp ${row.args.join(' ')} ${JSON.stringify(row.variables ?? {})} ${problem}: ${result.stderr.slice(0, 200)}`,
      );
  }
  return wrong;
}

const commands = await Promise.all(catalogue.map((entry) => entry.load()));

t.test('what a declaration does not allow is refused, for every flag and argument', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  const rows = commands.flatMap(listDeclarationRows);
  t.ok(rows.length > 400, `${rows.length} wrong inputs`);
  for (const { name } of commands)
    t.ok(
      rows.some(({ args }) => args.slice(0, name.split(' ').length).join(' ') === name),
      `vp ${name} has a row`,
    );
  t.same(await listWrongAnswers(rows, workspace), []);
});

const clients = commands.filter(
  ({ name, flags }) => Object.hasOwn(flags, 'control-plane') && !roles.has(name) && !withoutControlPlane.has(name),
);

t.test('nothing listening, another server and a wrong credential are told as such by every command', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', { 'missing.md': 'x' });
  const plane = await startTestControlPlane(t, workspace);
  const rows = clients.flatMap((command): Row[] => {
    const needed = Object.entries({ role: 'test', expiry: '30 days', 'test-dir': 'product', name: 'a' })
      .filter(([flag]) => Object.hasOwn(command.flags, flag) && !/^(run|prove)$/.test(command.name))
      .flatMap(([flag, value]) => [`--${flag}`, value]);
    const args = [...command.name.split(' '), ...sampleArguments(command), ...needed];
    if (/^(run|prove)$/.test(command.name)) args.push('RT-1');
    const own = /SCENARIO_FILE|SCENARIO_FOLDER|HUB_FILE|FLAG_|COMMAND_|CONNECTION_|UPSTREAM_/;
    const at = (code: RegExp): RegExp => new RegExp(`${code.source}|${own.source}`);
    return [
      { args: [...args, '--control-plane', 'http://127.0.0.1:2'], code: at(/CONTROL_PLANE_UNREACHABLE/) },
      {
        args: [...args, '--control-plane', 'nonsense'],
        code: /FLAG_INVALID|SCENARIO_FILE|HUB_FILE|CONNECTION_|COMMAND_WORD_MISSING/,
      },
      { args: [...args, '--control-plane', plane.url, '--ca', '/nonexistent.pem'], code: at(/EXECUTOR_CA_UNREADABLE/) },
      {
        args: [...args, '--control-plane', plane.url],
        variables: { VP_TOKEN: 'vpk_wrong' },
        code: at(/CREDENTIAL_INVALID|LOGIN_|HUB_/),
      },
    ];
  });
  t.ok(rows.length > 100, `${rows.length} wrong inputs`);
  t.same(
    await listWrongAnswers(
      rows.filter(({ args }) => args[0] !== 'login'),
      workspace,
    ),
    [],
  );
});

t.test('files that are absent, unreadable or of another kind are told with a fix', async (t) => {
  const files = { 'empty/x.txt': '', 'text.db': 'no database', 'list.yaml': 'a: 1', 'broken.json': '{' };
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', { ...files, 'bare/platform-config.yaml': 'project: [' });
  writeFileSync(join(workspace.folder, 'binary.md'), Buffer.from([0xff, 0xfe, 0x00, 0x01]));
  const lines = [
    ...['validate missing.md', 'validate empty', 'validate binary.md', 'validate list.yaml', 'format missing.md'],
    ...['format empty', 'validate-config missing', 'validate-config empty', 'run --local --test-dir missing'],
    ...['run --local --product-dir missing --test-dir empty', 'run --local --jobs 0', 'run', 'run --fail-fast=1'],
    ...[
      'run --local --instance shop',
      'run --jobs 2 RT-1',
      'run --base-url http://x RT-1',
      'prove --local --test-dir empty',
    ],
    ...['restore missing.db', 'restore text.db', 'backup /nonexistent/folder/x.db', 'docs no-such-page', 'nonsense'],
    ...['registry publish broken.json', 'registry publish missing.json', 'registry create other', 'completion tcsh'],
    ...[
      'run --report nonsense=x RT-1',
      'runs --since yesterday',
      'runs --limit 0',
      'use nonsense',
      'agent-token create shop',
    ],
    ...[
      'connect',
      'disconnect --test-dir product',
      'init --platform dos',
      'serve --public-url nonsense',
      'hubs nonsense',
    ],
    ...[
      'serve --host 0.0.0.0',
      'executor --product-dir missing',
      'executor --product-dir product',
      'router --executor x',
    ],
    ...[
      'executor --host 0.0.0.0',
      'router --host 0.0.0.0',
      'dashboard --prometheus nonsense',
      'scenarios push missing.md',
    ],
    ...[
      'onboard',
      'onboard --product-dir missing',
      'teardown',
      'serve --embedded --product-dir missing',
      'instances create',
    ],
  ];
  const rows = lines.map((line): Row => ({ args: line.split(' ') }));
  t.same(await listWrongAnswers(rows, workspace), []);
});

t.test('wrong files, ids, periods and addresses of the newer commands are told with a fix', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1', {
    ...{ 'empty/x.txt': '', 'list.yaml': 'a: 1', 'broken.json': '{', 'damaged/control.db': 'no database' },
    'api.json': JSON.stringify({ openapi: '3.1.0', paths: { '/items': { get: { responses: { 200: {} } } } } }),
    'hub.yaml': 'version: 1\nhub: {slug: absent, name: Absent}\n',
    'scenarios/a.md': scenarioText('RT-a'),
  });
  writeFileSync(join(workspace.folder, 'binary.har'), Buffer.from([0xff, 0xfe, 0x00, 0x01]));
  const plane = await startTestControlPlane(t, workspace);
  await plane.registerInstance('shop');
  const rows: readonly (readonly [line: string, code: RegExp])[] = [
    ['import openapi missing.yaml', /IMPORT_SOURCE_MISSING/],
    ['import openapi empty', /IMPORT_FOLDER_EMPTY/],
    ['import openapi list.yaml', /IMPORT_NOTHING/],
    ['import openapi broken.json', /IMPORT_NOTHING/],
    ['import har binary.har', /IMPORT_SOURCE_UNREADABLE/],
    ['import openapi api.json --against ftp://nonsense', /CONFIG_BASE_URL_INVALID/],
    ['import openapi api.json --against http://127.0.0.1:1', /IMPORT_UNANSWERED/],
    ['import openapi api.json --against http://127.0.0.1:1 --ca missing.pem', /EXECUTOR_CA_UNREADABLE/],
    ['import hurl api.json --sync', /FLAG_NEEDS_ANOTHER/],
    ['import openapi api.json --sync --test-dir missing', /SCENARIO_FILE_MISSING/],
    ['coverage missing.yaml', /IMPORT_SOURCE_MISSING/],
    ['coverage list.yaml', /IMPORT_NOTHING/],
    ['coverage api.json --test-dir missing', /SCENARIO_FILE_MISSING/],
    ['coverage api.json --least 101', /FLAG_INVALID/],
    ['compare', /COMPARISON_VERSIONS_MISSING/],
    ['compare 1.0', /FLAG_INVALID/],
    ['compare 1.0 2.0', /COMPARISON_EMPTY/],
    ['compare yesterday.. 1d..', /FLAG_INVALID/],
    ['suites --limit 0', /FLAG_INVALID/],
    ['suites show s20261120T143012345', /SUITE_UNKNOWN/],
    ['suites rerun nonsense', /ID_INVALID/],
    ['suites show s20261120T143012345 --report nonsense=x', /FLAG_INVALID/],
    ['schedules add nightly', /SCHEDULE_INVALID/],
    ['schedules add nightly --cron nonsense', /SCHEDULE_INVALID/],
    ['schedules add Bad_Id --every 6h', /FLAG_INVALID/],
    ['schedules edit Bad_Id --every 6h', /ID_INVALID/],
    ['notifications add Bad_Id --kind email', /FLAG_INVALID/],
    ['approvals show acme ../x', /ID_INVALID/],
    ['schedules add x --cron @daily --time-zone Mars/Base', /SCHEDULE_INVALID/],
    ['schedules edit absent --every 6h', /SCHEDULE_UNKNOWN/],
    ['schedules next absent', /SCHEDULE_UNKNOWN/],
    ['schedules remove absent', /SCHEDULE_UNKNOWN/],
    ['notifications add team', /FLAG_INVALID/],
    ['notifications add team --secret-file missing', /FLAG_INVALID/],
    ['notifications add mail --kind email', /FLAG_INVALID/],
    ['notifications edit absent --digest 5', /NOTIFICATION_CHANNEL_UNKNOWN/],
    ['notifications test absent', /NOTIFICATION_CHANNEL_UNKNOWN/],
    ['notifications log absent', /NOTIFICATION_CHANNEL_UNKNOWN/],
    ['failures --limit 0', /FLAG_INVALID/],
    ['failures show 3f9a1c0b7d2e4f58', /FAILURE_UNKNOWN/],
    ['failures assign 3f9a1c0b7d2e4f58', /COMMAND_WORD_MISSING/],
    ['failures resolve 3f9a1c0b7d2e4f58', /FAILURE_UNKNOWN/],
    ['health RT-absent', /SCENARIO_UNKNOWN/],
    ['usage absent', /HUB_PERSON_NEEDED/],
    ['hubs apply missing.yaml', /HUB_FILE_UNREADABLE/],
    ['hubs apply list.yaml', /HUB_FILE_INVALID/],
    ['hubs diff broken.json', /HUB_FILE_INVALID/],
    ['hubs diff empty', /HUB_FILE_UNREADABLE/],
    ['hubs apply hub.yaml', /HUB_PERSON_NEEDED/],
    ['hubs budgets absent --period month', /FLAG_INVALID/],
    ['audit verify --anchors missing', /FOLDER_FILE_UNREADABLE/],
    ['audit verify --audit-key nonsense', /FLAG_INVALID/],
    ['audit verify --anchors list.yaml --audit-tsa-ca missing.pem', /EXECUTOR_CA_UNREADABLE/],
    ['audit verify --data empty', /STORE_ABSENT/],
    ['audit anchor --data empty', /STORE_ABSENT/],
    ['move', /FLAG_INVALID/],
    ['move --to nonsense', /STORE_DATABASE_URL/],
    ['move --to-file missing', /STORE_DATABASE_FILE/],
    ['move --to postgres://a@127.0.0.1:1/b --from postgres://a@127.0.0.1:1/c', /FLAG_INVALID/],
    ['move --data empty --to postgres://a@127.0.0.1:1/b', /STORE_ABSENT/],
    ['migrate --check --data empty', /STORE_ABSENT/],
    ['migrate --data damaged', /STORE_CORRUPT/],
    ['migrate --database nonsense', /STORE_DATABASE_URL/],
  ];
  const wrong = await listWrongAnswers(
    rows.map(([line, code]) => ({ args: line.split(' '), code })),
    plane,
  );
  t.same(wrong, []);
});
