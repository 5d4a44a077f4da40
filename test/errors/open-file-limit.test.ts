/** A limit on open files makes every file unusable; it is named instead of the file's own likely cause. */
import t from 'tap';
import { formatError, vpError } from '../../src/errors/vp-error.ts';

const limit = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' });

t.test('the limit is named, whether the error tells its reason or has a cause', async (t) => {
  const errors = [
    vpError('STORE_UNWRITABLE', { file: 'a.db' }, { cause: limit }),
    vpError('STORE_UNWRITABLE', { file: 'a.db' }, { cause: new Error('cannot', { cause: limit }) }),
    formatError('CONFIG_FILE_UNREADABLE', { file: 'c.yaml', reason: 'EMFILE' }),
    formatError('SCENARIO_FILE_UNREADABLE', { path: 's', problem: 'EMFILE: too many open files' }),
  ];
  for (const { message, cure } of errors) {
    t.match(message, 'too many open files (EMFILE)');
    t.match(cure, 'raise the limit on open files');
    t.notMatch(cure, 'folder exists');
  }
  t.match(formatError('CONFIG_FILE_UNREADABLE', { file: 'c', reason: 'ENFILE' }).message, 'on this machine (ENFILE)');
});

t.test('other errors, and files of that name, keep their own fix', async (t) => {
  const denied = Object.assign(new Error('EACCES'), { code: 'EACCES' });
  t.match(vpError('STORE_UNWRITABLE', { file: 'EMFILE' }, { cause: denied }).cure, 'check that the folder exists');
  t.match(formatError('CONFIG_FILE_UNREADABLE', { file: 'EMFILE', reason: 'EACCES' }).cure, 'ls -ld');
});
