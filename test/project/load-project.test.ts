import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { VpError } from '../../src/errors/vp-error.ts';
import { loadProject, requireConfig } from '../../src/project/load-project.ts';
import { fullConfig, minimalConfig, sampleEnv } from './sample-configs.ts';

async function loadProblems(folder: string) {
  const { config, problems } = await loadProject(folder);
  t.equal(config, undefined);
  return problems;
}

t.test('a product folder is read', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': fullConfig, '.env': sampleEnv });
  const { config, problems, configFile } = await loadProject(folder);
  t.same(problems, []);
  t.equal(configFile, join(folder, 'platform-config.yaml'));
  t.equal(config?.targets.auth?.bearerToken.reveal(), 'abc.def-123');
});

t.test('the path of the config file is accepted, with the .env next to it', async (t) => {
  const folder = t.testdir({ 'other.yml': fullConfig, '.env': sampleEnv });
  const { config } = await loadProject(join(folder, 'other.yml'));
  t.equal(config?.project.name, 'documents');
});

t.test('a .env is not required when nothing refers to it', async (t) => {
  const { config, problems } = await loadProject(t.testdir({ 'platform-config.yaml': minimalConfig }));
  t.ok(config);
  t.same(problems, []);
});

t.test('no folder, no file, or one with another name: each names the next step', async (t) => {
  const folder = t.testdir({ empty: {}, yml: { 'platform-config.yml': '' } });
  t.match(await loadProblems(join(folder, 'nowhere')), [{ code: 'CONFIG_FOLDER_MISSING' }]);
  t.match(await loadProblems(join(folder, 'empty')), [
    { code: 'CONFIG_FILE_MISSING', cure: /write one with `vp new`, or name the folder/ },
  ]);
  t.match(await loadProblems(join(folder, 'yml')), [
    { code: 'CONFIG_FILE_MISSING', message: ', only platform-config.yml: rename it' },
  ]);
});

t.test('a folder or a pipe instead of a file is reported without blocking', async (t) => {
  const folder = t.testdir({
    a: { 'platform-config.yaml': {} },
    b: { 'platform-config.yaml': minimalConfig, '.env': {} },
    c: {},
  });
  t.match(await loadProblems(join(folder, 'a')), [{ code: 'CONFIG_FILE_UNREADABLE', message: 'it is a folder' }]);
  t.match(await loadProblems(join(folder, 'b')), [{ code: 'CONFIG_FILE_UNREADABLE', message: '.env' }]);
  execFileSync('mkfifo', [join(folder, 'c', 'platform-config.yaml')]);
  t.match(await loadProblems(join(folder, 'c')), [{ code: 'CONFIG_FILE_UNREADABLE', message: 'it is not a file' }]);
});

t.test(
  'a file without read permission is reported',
  { skip: process.getuid?.() === 0 && 'root may read all' },
  async (t) => {
    const folder = t.testdir({ 'platform-config.yaml': fullConfig, '.env': sampleEnv });
    chmodSync(join(folder, '.env'), 0o000);
    t.match(await loadProblems(folder), [{ code: 'CONFIG_FILE_UNREADABLE', message: 'EACCES' }]);
  },
);

t.test('an unreadable .env is reported once, with the problems of the config', async (t) => {
  const text = fullConfig.replace('type: bearer', 'type: basic');
  const folder = t.testdir({ 'platform-config.yaml': text, '.env': {} });
  t.match(
    (await loadProblems(folder)).map(({ code }) => code),
    ['CONFIG_FILE_UNREADABLE', 'CONFIG_VALUE_UNSUPPORTED'],
  );
});

t.test('a file over 1 MB is refused without being read', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': `${minimalConfig}#${'x'.repeat(1_048_576)}` });
  t.match(await loadProblems(folder), [{ code: 'CONFIG_FILE_TOO_LARGE' }]);
});

t.test('a binary file, or one in another encoding, is refused with the byte offset', async (t) => {
  const folder = t.testdir({ 'platform-config.yaml': 'a' });
  const file = join(folder, 'platform-config.yaml');
  writeFileSync(file, Buffer.from([0x61, 0x62, 0xff, 0x63]));
  t.match(await loadProblems(folder), [{ code: 'CONFIG_FILE_NOT_TEXT', message: '(first at byte 2)' }]);
  writeFileSync(file, Buffer.from(minimalConfig, 'utf16le'));
  t.match(await loadProblems(folder), [{ code: 'CONFIG_FILE_NOT_TEXT', message: '(first at byte 1)' }]);
});

t.test('requireConfig returns the config, or throws the only error or all of them', async (t) => {
  const good = await loadProject(t.testdir({ 'platform-config.yaml': minimalConfig }));
  t.equal(requireConfig(good), good.config);
  const missingFile = await loadProject(
    t.testdir({ one: { 'platform-config.yaml': minimalConfig.replace('http:/', 'ftp:/') } }),
  );
  t.throws(() => requireConfig({ ...missingFile }), { code: 'CONFIG_FILE_MISSING' });
  const folder = t.testdir({
    'platform-config.yaml': 'project: {name: a}\ntargets: {http: {base_url: "ftp://x"}}\nfoo: 1\n',
  });
  t.throws(() => requireConfig({ config: undefined, problems: [], configFile: 'x' }), TypeError);
  const single = await loadProject(folder);
  t.throws(() => requireConfig(single), { code: 'CONFIG_BASE_URL_INVALID', location: { line: 2, column: 28 } });
  writeFileSync(join(folder, 'platform-config.yaml'), 'foo: 1\n');
  const several = await loadProject(folder);
  try {
    requireConfig(several);
    t.fail('it throws');
  } catch (error) {
    t.ok(error instanceof VpError);
    t.match(error, { code: 'CONFIG_INVALID', message: /has 2 errors/, diagnostics: [{ line: 1 }, { line: 1 }] });
  }
});
