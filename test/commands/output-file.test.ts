import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import t from 'tap';
import { prepareOutputFile, writeOutputFile } from '../../src/commands/output-file.ts';
import { systemRandom as random } from '../../src/environment/random.ts';
import { eventually } from '../eventually.ts';

t.test('a file is replaced atomically, keeps its mode and leaves no temporary file', async (t) => {
  const folder = t.testdir({ 'old.txt': 'old', 'old.txt.part': 'unrelated file' });
  const file = join(folder, 'old.txt');
  for (const mode of [0o600, 0o666, 0o640]) {
    chmodSync(file, mode);
    writeOutputFile(file, `new ${mode}`, random);
    t.equal(readFileSync(file, 'utf8'), `new ${mode}`);
    t.equal(statSync(file).mode & 0o777, mode);
  }
  writeOutputFile(join(folder, 'deep/er/new.txt'), 'new', random);
  t.equal(readFileSync(join(folder, 'deep/er/new.txt'), 'utf8'), 'new');
  t.same(readdirSync(folder).sort(), ['deep', 'old.txt', 'old.txt.part']);
  t.equal(readFileSync(join(folder, 'old.txt.part'), 'utf8'), 'unrelated file');
});

t.test('a link is followed to its file, even if the file does not exist yet', async (t) => {
  const folder = t.testdir({ real: { 'a.txt': 'old' } });
  const pathOf = (name: string): string => join(folder, name);
  symlinkSync('real/a.txt', pathOf('link'));
  symlinkSync('link', pathOf('link-to-link'));
  symlinkSync('real', pathOf('folder-link'));
  symlinkSync('../b.txt', pathOf('real/up'));
  symlinkSync('real/later.txt', pathOf('dangling'));
  for (const name of ['link', 'link-to-link', 'folder-link/a.txt']) {
    prepareOutputFile(pathOf(name));
    writeOutputFile(pathOf(name), name, random);
    t.equal(readFileSync(pathOf('real/a.txt'), 'utf8'), name);
  }
  writeOutputFile(pathOf('folder-link/up'), 'above', random);
  t.equal(readFileSync(pathOf('b.txt'), 'utf8'), 'above');
  writeOutputFile(pathOf('dangling'), 'there now', random);
  t.equal(readFileSync(pathOf('real/later.txt'), 'utf8'), 'there now');
  t.equal(readlinkSync(pathOf('link')), 'real/a.txt');
  t.equal(readlinkSync(pathOf('dangling')), 'real/later.txt');
  symlinkSync('circle', pathOf('circle'));
  t.throws(() => writeOutputFile(pathOf('circle'), '', random), { code: 'ELOOP' });
});

t.test('a pipe is written to and stays a pipe; one without a reader is refused at once', async (t) => {
  const folder = t.testdir();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  prepareOutputFile(pipe);
  t.throws(() => writeOutputFile(pipe, 'unread', random), { code: 'ENXIO' });
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const read = textOf(reader.stdout);
  const text = 'all of it\n'.repeat(20_000);
  await eventually(() => {
    writeOutputFile(pipe, text, random);
    return true;
  });
  t.equal((await read).length, text.length);
  t.ok(lstatSync(pipe).isFIFO());
  t.same(readdirSync(folder), ['pipe']);
});

t.test('a device is written to and stays a device', async (t) => {
  writeOutputFile('/dev/null', 'gone', random);
  t.ok(lstatSync('/dev/null').isCharacterDevice());
});

t.test('standard output can be written to by name, whether it is a pipe or a file', async (t) => {
  const folder = t.testdir();
  const module = join(import.meta.dirname, '../../src/commands/output-file.ts');
  const code = `const { prepareOutputFile, writeOutputFile } = await import(${JSON.stringify(module)});
    prepareOutputFile('/dev/stdout');
    process.stdout.write('first\\n');
    writeOutputFile('/dev/stdout', 'second\\n', { token: () => 'x' });`;
  const args = ['--input-type=module', '-e', code];
  t.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'first\nsecond\n', 'a pipe');
  const line = 'out="$1"; shift; exec "$@" > "$out"';
  execFileSync('sh', ['-c', line, 'sh', join(folder, 'out'), process.execPath, ...args]);
  t.equal(readFileSync(join(folder, 'out'), 'utf8'), 'first\nsecond\n', 'a file');
});

t.test('a folder is refused before anything is written, and so is a folder that cannot be created', async (t) => {
  const folder = t.testdir({ file: '' });
  mkdirSync(join(folder, 'here'));
  symlinkSync('here', join(folder, 'link'));
  for (const name of ['here', 'link']) {
    t.throws(() => prepareOutputFile(join(folder, name)), { code: 'EISDIR' });
    t.throws(() => writeOutputFile(join(folder, name), '', random), { code: 'EISDIR' });
  }
  t.throws(() => prepareOutputFile(join(folder, 'file/below')), { code: /ENOTDIR|EEXIST/ });
  symlinkSync('absent/file', join(folder, 'nowhere'));
  t.throws(() => prepareOutputFile(join(folder, 'nowhere')), { code: 'ENOENT' });
  t.notOk(existsSync(join(folder, 'absent')));
  writeFileSync(join(folder, 'here/x'), 'kept');
  t.same(readdirSync(join(folder, 'here')), ['x']);
});
