/** The forms of ids on the command line are those of the folders that own the ids. */
import { Value } from '@sinclair/typebox/value';
import t from 'tap';
import { command, type ValueKind } from '../../src/command-line/command.ts';
import { parseLine } from '../../src/command-line/parse-line.ts';
import { assertValueForm } from '../../src/command-line/value-forms.ts';
import { catalogue } from '../../src/commands/catalogue.ts';
import { isInstanceId } from '../../src/contract/instance-id.ts';
import { ChannelId } from '../../src/contract/notifications-api.ts';
import { ScheduleId } from '../../src/contract/schedules-api.ts';
import { FailureId, SuiteId } from '../../src/contract/schemas.ts';
import { assertHubSlug } from '../../src/hub/hubs/hub-directory.ts';
import { formatCorrelationId, parseRunId } from '../../src/run/run-id.ts';

const texts = [
  ...['', 'a', 'shop', 'own-app-v1', 'a'.repeat(22), 'a'.repeat(23), 'Bad_Id', '-a', 'a-', 'a--b', 'a b', 'a/b', 'ä'],
  ...[
    '../../evil',
    '../../../../../evil',
    '..',
    '.',
    'a\n',
    '\u0000',
    'RT-GET-document',
    'RT.1',
    '.hidden',
    '/etc/passwd',
  ],
  ...['20261120T143012345', '20261120T14301234', 'tr-20261120T143012345-ab12', 'x'.repeat(100), 'x'.repeat(101)],
];

function isAccepted(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

t.test('instance ids are those of the contract', async (t) => {
  for (const text of texts) {
    const isAllowed = isAccepted(() => assertValueForm('instance', text));
    t.equal(isAllowed, isInstanceId(text), JSON.stringify(text));
  }
});

t.test('every run id, correlation id and part of one is accepted, and nothing that could leave a path', async (t) => {
  for (const text of texts) {
    const isAllowed = isAccepted(() => assertValueForm('run', text));
    if (parseRunId(text) !== undefined || text.startsWith('tr-')) t.ok(isAllowed, JSON.stringify(text));
    if (/[^\w-]/.test(text)) t.notOk(isAllowed, JSON.stringify(text));
  }
  t.ok(isAccepted(() => assertValueForm('run', formatCorrelationId('20261120T143012345', 'aB-_9'))));
});

t.test('every slug that a hub may have is accepted', async (t) => {
  for (const text of texts)
    if (isAccepted(() => assertHubSlug(text)))
      t.ok(
        isAccepted(() => assertValueForm('hub', text)),
        text,
      );
});

t.test('each kind has an error of its own, with a shortened value', async (t) => {
  const cases: readonly [ValueKind, string][] = [
    ['instance', 'INSTANCE_ID_INVALID'],
    ['scenario', 'SCENARIO_ID_INVALID'],
    ['run', 'RUN_ID_INVALID'],
    ['hub', 'HUB_SLUG_INVALID'],
    ...(['suite', 'failure', 'schedule', 'channel', 'approval', 'token', 'agent-token'] as const).map(
      (kind): [ValueKind, string] => [kind, 'ID_INVALID'],
    ),
  ];
  for (const [kind, code] of cases) {
    t.throws(() => assertValueForm(kind, '../../evil'), { code });
    t.throws(() => assertValueForm(kind, `../${'x'.repeat(5000)}`), { message: /^.{0,150}$/ });
  }
});

t.test('flags, variables and arguments are checked before the command runs', async (t) => {
  const example = command({
    name: 'example',
    summary: '',
    positionals: [{ name: 'id', describe: '', required: true, kind: 'instance' }],
    flags: { hub: { type: 'string', describe: '', kind: 'hub', variable: 'VP_HUB' } },
    examples: [],
    run: async () => 0,
  });
  t.throws(() => parseLine(example, ['../../evil'], {}), { code: 'INSTANCE_ID_INVALID' });
  t.throws(() => parseLine(example, ['shop', '--hub', 'A'], {}), { code: 'HUB_SLUG_INVALID' });
  t.throws(() => parseLine(example, ['shop'], { VP_HUB: 'A' }), { code: 'HUB_SLUG_INVALID' });
});

t.test('ids of suites, failures, schedules and channels are those of the contract', async (t) => {
  const schemas = { suite: SuiteId, failure: FailureId, schedule: ScheduleId, channel: ChannelId } as const;
  const more = ['s20261120T143012345', '3f9a1c0b7d2e4f58', 'nightly', 'a'.repeat(60), 'a'.repeat(61)];
  for (const kind of ['suite', 'failure', 'schedule', 'channel'] as const)
    for (const text of [...texts, ...more])
      t.equal(
        isAccepted(() => assertValueForm(kind, text)),
        Value.Check(schemas[kind], text),
        `${kind} ${JSON.stringify(text)}`,
      );
});

const isIdName = /^(instance|instance-id|run|hub|suite|failure|schedule|channel|approval|token)$/;

function isKindOf(kind: ValueKind | undefined, valueName: string, commandName: string): boolean {
  return (
    kind ===
    (commandName.startsWith('agent-token ') && valueName === 'token' ? 'agent-token' : valueName.replace('-id', ''))
  );
}

/** What is named for the first time cannot be completed: its command checks the form. An OAuth client is no token. */
const otherNames = new Set(['schedules add schedule', 'notifications add channel', 'audit search token']);

t.test('every argument and flag that names an instance, a run or a hub has its form checked', async (t) => {
  const unchecked: string[] = [];
  for (const entry of catalogue) {
    const { flags, positionals, name } = await entry.load();
    const values = [
      ...Object.entries(flags),
      ...positionals.map((positional) => [positional.name, positional] as const),
    ];
    for (const [valueName, { kind }] of values)
      if (isIdName.test(valueName) && !otherNames.has(`${name} ${valueName}`) && !isKindOf(kind, valueName, name))
        unchecked.push(`${name} ${valueName}`);
  }
  t.same(unchecked, []);
});
