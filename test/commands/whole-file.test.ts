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
import { prepareWhole, writeWhole } from '../../src/commands/whole-file.ts';
import { systemRandom as random } from '../../src/environment/random.ts';

t.test('a file is replaced as a whole, keeps its mode and leaves nothing beside it', async (t) => {
  const folder = t.testdir({ 'old.txt': 'old', 'old.txt.part': 'somebody’s own' });
  const file = join(folder, 'old.txt');
  for (const mode of [0o600, 0o666, 0o640]) {
    chmodSync(file, mode);
    writeWhole(file, `new ${mode}`, random);
    t.equal(readFileSync(file, 'utf8'), `new ${mode}`);
    t.equal(statSync(file).mode & 0o777, mode);
  }
  writeWhole(join(folder, 'deep/er/new.txt'), 'new', random);
  t.equal(readFileSync(join(folder, 'deep/er/new.txt'), 'utf8'), 'new');
  t.same(readdirSync(folder).sort(), ['deep', 'old.txt', 'old.txt.part']);
  t.equal(readFileSync(join(folder, 'old.txt.part'), 'utf8'), 'somebody’s own');
});

t.test('a link keeps leading to its file, which is written, also where it is not there yet', async (t) => {
  const folder = t.testdir({ real: { 'a.txt': 'old' } });
  const at = (name: string): string => join(folder, name);
  symlinkSync('real/a.txt', at('link'));
  symlinkSync('link', at('link-to-link'));
  symlinkSync('real', at('folder-link'));
  symlinkSync('../b.txt', at('real/up'));
  symlinkSync('real/later.txt', at('dangling'));
  for (const name of ['link', 'link-to-link', 'folder-link/a.txt']) {
    prepareWhole(at(name));
    writeWhole(at(name), name, random);
    t.equal(readFileSync(at('real/a.txt'), 'utf8'), name);
  }
  writeWhole(at('folder-link/up'), 'above', random);
  t.equal(readFileSync(at('b.txt'), 'utf8'), 'above');
  writeWhole(at('dangling'), 'there now', random);
  t.equal(readFileSync(at('real/later.txt'), 'utf8'), 'there now');
  t.equal(readlinkSync(at('link')), 'real/a.txt');
  t.equal(readlinkSync(at('dangling')), 'real/later.txt');
  symlinkSync('circle', at('circle'));
  t.throws(() => writeWhole(at('circle'), '', random), { code: 'ELOOP' });
});

t.test('a pipe is written to and stays one; one that nobody reads is refused at once', async (t) => {
  const folder = t.testdir();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  prepareWhole(pipe);
  t.throws(() => writeWhole(pipe, 'unread', random), { code: 'ENXIO' });
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  const read = textOf(reader.stdout);
  const text = 'all of it\n'.repeat(20_000);
  for (let left = 1000; ; left -= 1) {
    try {
      writeWhole(pipe, text, random);
      break;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  t.equal((await read).length, text.length);
  t.ok(lstatSync(pipe).isFIFO());
  t.same(readdirSync(folder), ['pipe']);
});

t.test('a device is written to and stays one', async (t) => {
  writeWhole('/dev/null', 'gone', random);
  t.ok(lstatSync('/dev/null').isCharacterDevice());
});

t.test('standard output under its name is written to, whatever it is', async (t) => {
  const folder = t.testdir();
  const module = join(import.meta.dirname, '../../src/commands/whole-file.ts');
  const code = `const { prepareWhole, writeWhole } = await import(${JSON.stringify(module)});
    prepareWhole('/dev/stdout');
    process.stdout.write('first\\n');
    writeWhole('/dev/stdout', 'second\\n', { token: () => 'x' });`;
  const args = ['--input-type=module', '-e', code];
  t.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'first\nsecond\n', 'a pipe');
  const line = 'out="$1"; shift; exec "$@" > "$out"';
  execFileSync('sh', ['-c', line, 'sh', join(folder, 'out'), process.execPath, ...args]);
  t.equal(readFileSync(join(folder, 'out'), 'utf8'), 'first\nsecond\n', 'a file');
});

t.test('a folder is refused before anything is written, and so is a folder that cannot be', async (t) => {
  const folder = t.testdir({ file: '' });
  mkdirSync(join(folder, 'here'));
  symlinkSync('here', join(folder, 'link'));
  for (const name of ['here', 'link']) {
    t.throws(() => prepareWhole(join(folder, name)), { code: 'EISDIR' });
    t.throws(() => writeWhole(join(folder, name), '', random), { code: 'EISDIR' });
  }
  t.throws(() => prepareWhole(join(folder, 'file/below')), { code: /ENOTDIR|EEXIST/ });
  symlinkSync('absent/file', join(folder, 'nowhere'));
  t.throws(() => prepareWhole(join(folder, 'nowhere')), { code: 'ENOENT' });
  t.notOk(existsSync(join(folder, 'absent')));
  writeFileSync(join(folder, 'here/x'), 'kept');
  t.same(readdirSync(join(folder, 'here')), ['x']);
});
