import t from 'tap';
import { fullConfig, minimalConfig, readConfig } from '../sample-configs.ts';

t.test('a missing key is reported with an example to paste', async (t) => {
  const { problemCodes, problems } = readConfig('project: {}\ntargets:\n  http:\n');
  t.same(problemCodes, ['CONFIG_KEY_MISSING 1:1', 'CONFIG_VALUE_EMPTY 3:8']);
  t.match(problems[0], { message: '`project.name` is missing', cure: 'add it, for example `name: my-app`' });
  t.match(problems[1]?.cure, '`{base_url: "http://app:3100"}`');
});

t.test('each missing key of a section is reported', async (t) => {
  const { problems, problemCodes } = readConfig(`${minimalConfig}  database:\n    type: postgres\n`);
  t.same(problemCodes, ['CONFIG_KEY_MISSING 6:3', 'CONFIG_KEY_MISSING 6:3', 'CONFIG_KEY_MISSING 6:3']);
  t.match(problems.map(({ cure }) => cure).join(), 'password: ${DB_PASSWORD}');
});

t.test('a misspelled key is an error with a suggestion', async (t) => {
  for (const [key, nearest] of [
    ['targts', 'targets'],
    ['Targets', 'targets'],
    ['base_url', 'targets.http.base_url'],
    ['network', 'deploy.network'],
    ['bearer_token', 'targets.auth.bearer_token'],
    ['obserability', 'observability'],
  ] as const) {
    const { problems } = readConfig(`${minimalConfig}${key}: x\n`);
    t.match(
      problems[0],
      { code: 'CONFIG_KEY_MISSPELLED', severity: 'error', cure: `did you mean \`${nearest}\`?` },
      key,
    );
  }
});

t.test('an unknown key is a warning that lists the known ones', async (t) => {
  const { problems, config } = readConfig(`${minimalConfig}  zebra: 1\n`);
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

t.test('an empty value is reported in every notation', async (t) => {
  for (const empty of ['', '~', 'null', '""', '"  "']) {
    t.same(
      readConfig(minimalConfig.replace('my-app', empty)).problemCodes.map((problemCodes) => problemCodes.split(' ')[0]),
      ['CONFIG_VALUE_EMPTY'],
      empty,
    );
  }
});

t.test('a value of the wrong type is reported with the expected one', async (t) => {
  const { problems } = readConfig('project: [a]\ntargets: x\n');
  t.match(problems, [
    { code: 'CONFIG_VALUE_TYPE', message: '`project` must be a section with keys, not a list' },
    { code: 'CONFIG_VALUE_TYPE', message: '`targets` must be a section with keys, not text' },
  ]);
  const list = readConfig(`${minimalConfig}scenarios: {variables: TENANT}\n`);
  t.match(list.problems[0], { code: 'CONFIG_VALUE_TYPE', message: 'must be a list, not text', cure: '`[TENANT]`' });
  const text = readConfig(minimalConfig.replace('my-app', '{a: b}'));
  t.match(text.problems[0], { code: 'CONFIG_VALUE_TYPE', message: 'must be text, not a section with keys' });
});

t.test('types other than postgres, bearer and json are unsupported', async (t) => {
  for (const [from, nextChar, key, supported] of [
    ['type: postgres', 'type: mysql', 'targets.database.type', 'postgres'],
    ['type: bearer', 'type: basic', 'targets.auth.type', 'bearer'],
    ['log_format: json', 'log_format: logfmt', 'observability.logstore.log_format', 'json'],
  ] as const) {
    const { problems } = readConfig(fullConfig.replace(from, nextChar));
    const value = nextChar.split(' ')[1];
    t.match(problems, [{ code: 'CONFIG_VALUE_UNSUPPORTED', message: `\`${key}\` says \`${value}\``, cure: supported }]);
  }
});

t.test('names of projects and networks must be valid for container engines', async (t) => {
  const { problems } = readConfig(fullConfig.replace('compose_project: documents', 'compose_project: My App'));
  t.match(problems, [{ code: 'CONFIG_VALUE_INVALID', message: '`My App`, not a compose project name' }]);
  t.match(readConfig(fullConfig.replace('documents_default', '-x')).problems, [{ code: 'CONFIG_VALUE_INVALID' }]);
  t.match(readConfig(minimalConfig.replace('my-app', 'x'.repeat(101))).problems, [{ code: 'CONFIG_VALUE_INVALID' }]);
});

t.test('saga_event_field and saga_event_value belong together', async (t) => {
  const { problems } = readConfig(fullConfig.replace('    saga_event_value: saga\n', ''));
  t.match(problems, [
    { code: 'CONFIG_KEY_MISSING', message: 'saga_event_value` is missing, and `saga_event_field` needs it' },
  ]);
});

t.test('control characters of the file do not reach a terminal', async (t) => {
  const { problems } = readConfig(fullConfig.replace('type: bearer', 'type: "\\e[2Jbearer"'));
  t.equal(problems.length, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  t.notMatch(JSON.stringify(problems[0]?.message), /\\u001b|[\x00-\x1f]/);
});
