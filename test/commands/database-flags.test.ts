import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseDatabase } from '../../src/commands/database-flags.ts';

type Flags = Parameters<typeof parseDatabase>[0];

function parse(flags: Partial<Flags>, variables: Record<string, string> = {}, cwd = '/') {
  const all = { database: undefined, 'database-file': undefined, 'database-direct': undefined, ...flags };
  return parseDatabase(all, { variables, cwd }, 'vp serve');
}

t.test('without a URL the store is in SQLite, whatever PG… variables say', async (t) => {
  t.equal(parse({}, { PGHOST: 'db', PGUSER: 'u', PGDATABASE: 'd', VP_DATABASE: '' }), undefined);
});

t.test('the URL is taken from the flag, then a file, then the variable', async (t) => {
  const folder = t.testdir({});
  writeFileSync(join(folder, 'url'), 'postgres://u:p@file/d\n', { mode: 0o600 });
  const variables = { VP_DATABASE: 'postgres://u:p@variable/d' };
  const file = { 'database-file': 'url' };
  const flag = { database: 'postgres://u@flag/d' };
  t.match(parse({}, variables), { main: { address: 'variable:5432' }, direct: undefined });
  t.match(parse(file, variables, folder), { main: { address: 'file:5432' } });
  t.match(parse(flag, variables), { main: { address: 'flag:5432' } });
  // What VP_DATABASE_FILE says arrives as the value of its flag.
  t.match(parse({ ...flag, ...file }, { VP_DATABASE_FILE: 'url' }, folder), { main: { address: 'flag:5432' } });
  t.throws(() => parse({ ...flag, ...file }, {}, folder), { code: 'FLAG_INVALID', message: /excludes --database/ });
});

t.test('a flag must not have a password, a variable may', async (t) => {
  t.throws(() => parse({ database: 'postgres://u:p@db/d' }), { code: 'STORE_DATABASE_PASSWORD_EXPOSED' });
  const flags = { database: 'postgres://u@db/d', 'database-direct': 'postgres://u:p@direct/d' };
  t.throws(() => parse(flags), { code: 'STORE_DATABASE_PASSWORD_EXPOSED', message: /--database-direct/ });
});

t.test('a direct connection completes itself from the main one', async (t) => {
  const variables = { VP_DATABASE: 'postgres://u:p@pooler:6432/d', VP_DATABASE_DIRECT: 'postgres://db' };
  const connections = parse({}, variables);
  t.match(connections, { main: { address: 'pooler:6432' }, direct: { address: 'db:5432', user: 'u', database: 'd' } });
  t.equal(await connections?.direct?.findPassword({ host: 'db', port: 5432 }), 'p');
  t.match(parse({ 'database-direct': 'postgres://other' }, variables), { direct: { address: 'other:5432' } });
  t.throws(() => parse({ 'database-direct': 'postgres://db' }), { code: 'FLAG_INVALID', message: /second connection/ });
});
