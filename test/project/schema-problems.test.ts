import t from 'tap';
import { read, smallest, whole } from './samples.ts';

t.test('a missing key is told with an example that can be pasted', async (t) => {
  const { told, problems } = read('project: {}\ntargets:\n  http:\n');
  t.same(told, ['CONFIG_KEY_MISSING 1:1', 'CONFIG_VALUE_EMPTY 3:8']);
  t.match(problems[0], { message: '`project.name` is missing', cure: 'add it, for example `name: my-app`' });
  t.match(problems[1]?.cure, '`{base_url: "http://app:3100"}`');
});

t.test('each missing key of a section is told', async (t) => {
  const { problems, told } = read(`${smallest}  database:\n    type: postgres\n`);
  t.same(told, ['CONFIG_KEY_MISSING 6:3', 'CONFIG_KEY_MISSING 6:3', 'CONFIG_KEY_MISSING 6:3']);
  t.match(problems.map(({ cure }) => cure).join(), 'password: ${DB_PASSWORD}');
});

t.test('a misspelled key is an error that says what was meant', async (t) => {
  for (const [key, nearest] of [
    ['targts', 'targets'],
    ['Targets', 'targets'],
    ['base_url', 'targets.http.base_url'],
    ['network', 'deploy.network'],
    ['bearer_token', 'targets.auth.bearer_token'],
    ['obserability', 'observability'],
  ] as const) {
    const { problems } = read(`${smallest}${key}: x\n`);
    t.match(
      problems[0],
      { code: 'CONFIG_KEY_MISSPELLED', severity: 'error', cure: `did you mean \`${nearest}\`?` },
      key,
    );
  }
});

t.test('a key like no other is a warning that lists those there are', async (t) => {
  const { problems, config } = read(`${smallest}  zebra: 1\n`);
  t.match(problems, [
    {
      code: 'CONFIG_KEY_UNKNOWN',
      severity: 'warning',
      message: '`targets.zebra` is ignored',
      cure: /http, database, auth/,
    },
  ]);
  t.ok(config);
});

t.test('an empty value is told, however it is written', async (t) => {
  for (const empty of ['', '~', 'null', '""', '"  "']) {
    t.same(
      read(smallest.replace('my-app', empty)).told.map((told) => told.split(' ')[0]),
      ['CONFIG_VALUE_EMPTY'],
      empty,
    );
  }
});

t.test('a value of the wrong shape says what it should be', async (t) => {
  const { problems } = read('project: [a]\ntargets: x\n');
  t.match(problems, [
    { code: 'CONFIG_VALUE_TYPE', message: '`project` must be a section with keys, not a list' },
    { code: 'CONFIG_VALUE_TYPE', message: '`targets` must be a section with keys, not text' },
  ]);
  const list = read(`${smallest}scenarios: {variables: TENANT}\n`);
  t.match(list.problems[0], { code: 'CONFIG_VALUE_TYPE', message: 'must be a list, not text', cure: '`[TENANT]`' });
  const text = read(smallest.replace('my-app', '{a: b}'));
  t.match(text.problems[0], { code: 'CONFIG_VALUE_TYPE', message: 'must be text, not a section with keys' });
});

t.test('types other than postgres, bearer and json are errors that say so', async (t) => {
  for (const [from, to, key, supported] of [
    ['type: postgres', 'type: mysql', 'targets.database.type', 'postgres'],
    ['type: bearer', 'type: basic', 'targets.auth.type', 'bearer'],
    ['log_format: json', 'log_format: logfmt', 'observability.logstore.log_format', 'json'],
  ] as const) {
    const { problems } = read(whole.replace(from, to));
    const value = to.split(' ')[1];
    t.match(problems, [{ code: 'CONFIG_VALUE_UNSUPPORTED', message: `\`${key}\` says \`${value}\``, cure: supported }]);
  }
});

t.test('names of projects and networks are held to what engines accept', async (t) => {
  const { problems } = read(whole.replace('compose_project: documents', 'compose_project: My App'));
  t.match(problems, [{ code: 'CONFIG_VALUE_INVALID', message: '`My App`, not a compose project name' }]);
  t.match(read(whole.replace('documents_default', '-x')).problems, [{ code: 'CONFIG_VALUE_INVALID' }]);
  t.match(read(smallest.replace('my-app', 'x'.repeat(101))).problems, [{ code: 'CONFIG_VALUE_INVALID' }]);
});

t.test('saga_event_field and saga_event_value belong together', async (t) => {
  const { problems } = read(whole.replace('    saga_event_value: saga\n', ''));
  t.match(problems, [
    { code: 'CONFIG_KEY_MISSING', message: 'saga_event_value` is missing, and `saga_event_field` needs it' },
  ]);
});

t.test('control characters of the file do not reach a terminal', async (t) => {
  const { problems } = read(whole.replace('type: bearer', 'type: "\\e[2Jbearer"'));
  t.equal(problems.length, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  t.notMatch(JSON.stringify(problems[0]?.message), /\\u001b|[\x00-\x1f]/);
});
