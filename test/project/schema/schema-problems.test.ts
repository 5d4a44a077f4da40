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
      cure: /http, grpc, database, auth/,
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

t.test('a misspelt section does not hide the problems below it', async (t) => {
  const text = 'project:\n  name: a\ntargts:\n  http:\n    base_url: ftp://x\n  databse:\n    username: r\n';
  const { problems } = readConfig(text);
  t.same(
    problems.map(({ code, position }) => `${code} ${position?.line}`),
    [
      'CONFIG_KEY_MISSPELLED 3',
      'CONFIG_BASE_URL_INVALID 5',
      'CONFIG_KEY_MISSPELLED 6',
      'CONFIG_KEY_MISSING 6',
      'CONFIG_KEY_MISSING 6',
      'CONFIG_KEY_MISSING 6',
    ],
  );
  t.match(problems[0], { message: '`targts`', cure: 'did you mean `targets`?' });
  t.match(problems[2], { message: '`targets.databse`', cure: 'did you mean `database`?' });
});

t.test('a secret that a reference puts elsewhere is not shown', async (t) => {
  const database = '    jdbc_url: jdbc:postgresql://db/x\n    username: r\n    password: ${DB_PASSWORD}\n';
  const base = 'project: {name: a}\ntargets:\n  http: {base_url: "http://app:1"}\n  database:\n';
  const { problems } = readConfig(`${base}    type: \${DB_PASSWORD}\n${database}`);
  t.match(problems, [{ code: 'CONFIG_VALUE_UNSUPPORTED', message: 'says `${DB_PASSWORD}`' }]);
  const inAddress = readConfig(`${base.replace('//app:1', '//${DB_PASSWORD}/x')}    type: postgres\n${database}`);
  t.match(inAddress.problems, [{ code: 'CONFIG_BASE_URL_PATH', cure: '`http://${DB_PASSWORD}`' }]);
  t.notMatch(JSON.stringify([problems, inAddress.problems]), 's3cret-password');
});

t.test('absurd files are reported, however deep or long', async (t) => {
  for (const text of ['? ', '- ', '[', '{a: ']) {
    t.match(readConfig(text.repeat(20_000)).problems, [{ code: 'CONFIG_YAML_TOO_DEEP' }], text);
  }
  const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}: v\n`).join('');
  const { config, problems } = readConfig(minimalConfig + keys);
  t.ok(config, 'unknown keys are warnings');
  t.equal(problems.length, 101);
  t.match(problems.at(-1), { code: 'CONFIG_PROBLEMS_OMITTED', message: '9900 more problems' });
});

const brokenLines = ['a: "x\n', '\tb: {"${X}\n', ': \n', 'k: 1\n', '&a b: *a\n'];

t.test('of ten thousand broken lines, errors are listed first', async (t) => {
  for (const line of brokenLines) {
    const { config, problems } = readConfig(line.repeat(10_000));
    t.equal(config, undefined, line);
    t.ok(problems.length <= 101, line);
    t.ok(
      problems.slice(0, -1).every(({ severity }) => severity === 'error'),
      line,
    );
  }
});

t.test('the time of the processor grows as the number of keys does', async (t) => {
  const measure = (count: number): number => {
    const keys = Array.from({ length: count }, (_, index) => `k${index}: v\n`).join('');
    const before = process.cpuUsage();
    readConfig(minimalConfig + keys);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  measure(8_000);
  const ratios = [1, 2, 3].map(() => measure(8_000) / measure(2_000));
  // 16 for a time that grows with the square.
  t.ok(Math.min(...ratios) < 8, `${ratios.map(Math.round).join(', ')} times as much for four times as many`);
});

t.test('a text of the file is shortened in messages, and a tag is not repeated', async (t) => {
  for (const text of [
    `a: !${'!'.repeat(10_000)} x`,
    `project: {name: "${'${'.repeat(10_000)}"}`,
    `${'k'.repeat(900)}: 1`,
  ]) {
    const { problems } = readConfig(`${text}\n`);
    t.ok(problems.length > 0);
    t.ok(problems.every(({ message, cure }) => message.length < 600 && cure.length < 600));
  }
  t.notMatch(JSON.stringify(readConfig('x: !hunter2! y\n').problems.map(({ message }) => message)), 'hunter2');
});

t.test('a secret that the `.env` names as one is not shown, wherever it is used', async (t) => {
  const envText = 'DATABASE_PASSWORD=hunter2-long\n';
  const { problems } = readConfig(
    'project: {name: a}\ntargets: {http: {base_url: "http://app/${DATABASE_PASSWORD}"}}\n',
    {
      envText,
    },
  );
  t.ok(problems.length > 0);
  t.notMatch(JSON.stringify(problems), 'hunter2');
});
