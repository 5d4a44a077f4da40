import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { guessProductFolder } from '../../../src/commands/authoring/placeholders.ts';
import { validateConfigCommand } from '../../../src/commands/authoring/validate-config.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { fullConfig, minimalConfig, sampleEnv } from '../../project/sample-configs.ts';

type Flags = { readonly tier?: string; readonly schema?: boolean; readonly json?: boolean };

async function validate(folder: string, { tier, schema = false, json = false }: Flags = {}) {
  const { environment, written } = memoryEnvironment();
  const flags = { tier, schema };
  const code = await validateConfigCommand.run({
    flags,
    args: [folder],
    json,
    logLevel: 'info',
    environment,
    catalogue: [],
  });
  return { code, ...written };
}

t.test('a valid config exits 0 and prints a summary without secrets', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': fullConfig, '.env': sampleEnv, '.gitignore': '/.env' });
  const { code, stdout, stderr } = await validate(folder);
  t.equal(code, 0);
  t.equal(
    stdout.replaceAll(folder, '.'),
    `./platform-config.yaml: valid
  project    documents
  target     http://app:3100
  token      \${API_TOKEN}
  database   reader at db:5433/signing
  variables  TENANT
`,
  );
  t.equal(stderr, '');
});

t.test(
  'every problem is reported with file, line, column, excerpt, caret and fix, and the exit code is 2',
  async (t) => {
    const text = minimalConfig.replace('my-app', '').replace('http://', 'ftp://');
    const folder = t.testdir({ 'platform-config.yaml': text });
    const { code, stdout } = await validate(folder);
    t.equal(code, 2);
    t.equal(
      stdout.replaceAll(folder, '.'),
      `./platform-config.yaml:2:9: error CONFIG_VALUE_EMPTY: \`project.name\` has no value
    2 |   name: 
      |         ^
      fix: write one, for example \`my-app\`, or remove the key

./platform-config.yaml:5:15: error CONFIG_BASE_URL_INVALID: \`targets.http.base_url\` has the scheme \`ftp\`, not http or https
    5 |     base_url: ftp://app:3100
      |               ^
      fix: write scheme, host and port only: \`http://app:3100\`

./platform-config.yaml: 2 errors
`,
    );
  },
);

t.test('a path in base_url is a warning with a fix, and the config is still valid', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': minimalConfig.replace(':3100', ':3100/api/v2') });
  const { code, stdout } = await validate(folder);
  t.equal(code, 0);
  t.match(stdout, 'platform-config.yaml:5:15: warning CONFIG_BASE_URL_PATH');
  t.match(stdout, 'start the path in every TRIGGER with it: `GET ${INGESTION_URL}/api/v2/…`');
  t.match(stdout, 'platform-config.yaml: valid, 1 warning\n');
});

t.test('a .env that git would add, or has, is told', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': fullConfig, '.env': sampleEnv });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '-q');
  const open = await validate(folder, { json: true });
  t.equal(open.code, 0);
  t.match(JSON.parse(open.stdout).problems, [{ code: 'CONFIG_ENV_UNIGNORED', severity: 'warning', cure: '`/.env`' }]);
  git('add', '.env');
  t.match((await validate(folder)).stdout, /\.env: warning CONFIG_ENV_TRACKED: git tracks .*\n.*rm --cached \.env/);
  git('rm', '-q', '--cached', '.env');
  writeFileSync(join(folder, '.gitignore'), '/.env\n');
  t.match((await validate(folder)).stdout, 'platform-config.yaml: valid\n');
});

t.test('the tier decides what is required', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': minimalConfig.replace('//app', '//localhost') });
  t.match((await validate(folder)).stdout, 'platform-config.yaml: valid\n');
  const compose = await validate(folder, { tier: 'compose' });
  t.equal(compose.code, 2);
  t.match(compose.stdout, '`deploy.network` is missing, and the compose tier needs it');
  const local = await validate(folder, { tier: 'local' });
  t.match(local, { code: 0, stdout: /valid\n/ });
});

t.test('--json reports the same as JSON', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': `${minimalConfig.replace('http://', 'ftp://')}colour: red\n` });
  const { code, stdout } = await validate(folder, { json: true });
  t.equal(code, 2);
  t.match(JSON.parse(stdout), {
    valid: false,
    file: join(folder, 'platform-config.yaml'),
    errors: 1,
    warnings: 1,
    problems: [
      {
        code: 'CONFIG_BASE_URL_INVALID',
        severity: 'error',
        line: 5,
        column: 15,
        excerpt: '    base_url: ftp://app:3100',
      },
      { code: 'CONFIG_KEY_UNKNOWN', severity: 'warning', line: 6, column: 1 },
    ],
  });
  const valid = await validate(t.testdir({ 'platform-config.yaml': minimalConfig }), { json: true });
  t.match(JSON.parse(valid.stdout), { valid: true, errors: 0, warnings: 0, problems: [] });
});

t.test('a missing file is reported with the next step', async (t) => {
  const { code, stdout } = await validate(t.testdir({}));
  t.equal(code, 2);
  t.match(stdout, 'CONFIG_FILE_MISSING');
  t.match(stdout, 'the smallest file is two lines');
});

t.test('without a config, the folder of the application is named where there is one', async (t) => {
  const folder = t.testdir({
    empty: {},
    unfinished: { product: { '.env': '' } },
    ready: { 'platform-config.yaml': '', product: {} },
  });
  t.equal(guessProductFolder(join(folder, 'empty')), '.');
  t.equal(guessProductFolder(join(folder, 'unfinished')), 'product');
  t.equal(guessProductFolder(join(folder, 'ready')), '.');
});

t.test('the schema can be printed for editors', async (t) => {
  const { code, stdout } = await validate('nowhere', { schema: true });
  t.equal(code, 0);
  t.match(JSON.parse(stdout), {
    $schema: /json-schema/,
    title: 'platform-config.yaml',
    required: ['project', 'targets'],
  });
});
