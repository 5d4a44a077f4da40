import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createSyncedFile, replaceFileUsing, writeFileAtomically } from '../../src/files/atomic-write.ts';
import { getSystemErrorCode } from '../../src/files/system-error.ts';

t.test('a file is for this user alone by default, and nothing else is left', async (t) => {
  const folder = t.testdir({ 'key.part': 'unrelated file' });
  const file = join(folder, 'key');
  writeFileAtomically(file, 'one');
  writeFileAtomically(file, Buffer.from('two'));
  t.equal(readFileSync(file, 'utf8'), 'two');
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.same(readdirSync(folder).sort(), ['key', 'key.part']);
});

t.test('an exact mode is set whatever the umask is', async (t) => {
  const file = join(t.testdir(), 'script');
  const umask = process.umask(0o077);
  t.teardown(() => process.umask(umask));
  writeFileAtomically(file, '', { mode: 0o755 });
  t.equal(statSync(file).mode & 0o777, 0o700);
  writeFileAtomically(file, '', { exactMode: 0o755 });
  t.equal(statSync(file).mode & 0o777, 0o755);
});

t.test('a file of another process with the temporary name is not overwritten', async (t) => {
  const folder = t.testdir({ 'a.x.part': 'theirs', secret: 'old' });
  const random = { token: () => 'x' };
  t.throws(() => createSyncedFile(join(folder, 'a.x.part'), 'ours'), { code: 'EEXIST' });
  symlinkSync('secret', join(folder, 'b.x.part'));
  t.throws(() => writeFileAtomically(join(folder, 'b'), 'ours', { random }), { code: 'EEXIST' });
  t.equal(readFileSync(join(folder, 'secret'), 'utf8'), 'old');
});

t.test('a failed write leaves the old file and no temporary one', async (t) => {
  const folder = t.testdir({ file: 'old', folder: {} });
  const breakOff = (partFile: string): never => {
    writeFileSync(partFile, 'half');
    throw new Error('broken off');
  };
  t.throws(() => replaceFileUsing(join(folder, 'file'), breakOff), /broken off/);
  t.throws(() => writeFileAtomically(join(folder, 'folder'), 'x'), { code: 'EISDIR' });
  t.throws(() => writeFileAtomically(join(folder, 'absent', 'file'), 'x'), { code: 'ENOENT' });
  t.same(readdirSync(folder).sort(), ['file', 'folder']);
  t.equal(readFileSync(join(folder, 'file'), 'utf8'), 'old');
});

t.test('a folder that may be written but not read is enough', async (t) => {
  const folder = join(t.testdir(), 'drop');
  mkdirSync(folder);
  chmodSync(folder, 0o300);
  writeFileAtomically(join(folder, 'file'), 'text');
  chmodSync(folder, 0o700);
  t.equal(readFileSync(join(folder, 'file'), 'utf8'), 'text');
});

t.test('only system errors have a code', async (t) => {
  t.equal(getSystemErrorCode(Object.assign(new Error(), { code: 'EACCES', syscall: 'open' })), 'EACCES');
  t.equal(getSystemErrorCode(Object.assign(new Error(), { code: 'ERR_INVALID_ARG_TYPE' })), undefined);
  t.equal(getSystemErrorCode('EACCES'), undefined);
});
