import Sqlite from 'better-sqlite3';
import t from 'tap';
import { openDatabase } from '../../../src/store/engine.ts';

t.test('the file of an earlier version is made able to shrink, once', async (t) => {
  const file = `${t.testdir()}/store.db`;
  const steps = ['CREATE TABLE one (text TEXT)', 'CREATE TABLE two (text TEXT)'];
  const open = (version: number) =>
    openDatabase({ file, createKind: { applicationId: 5, migrations: steps.slice(0, version) } });
  const withSqlite = <T>(operation: (sqlite: Sqlite.Database) => T): T => {
    const sqlite = new Sqlite(file);
    try {
      return operation(sqlite);
    } finally {
      sqlite.close();
    }
  };
  const readMode = () => withSqlite((sqlite) => sqlite.pragma('auto_vacuum', { simple: true }));
  await open(1).close();
  t.equal(readMode(), 2, 'a new file can');
  withSqlite((sqlite) => sqlite.exec("PRAGMA auto_vacuum = NONE; VACUUM; INSERT INTO one VALUES ('a')"));
  t.equal(readMode(), 0);
  await open(1).close();
  t.equal(readMode(), 0, 'it is not rewritten at each start');
  const database = open(2);
  t.equal(readMode(), 2);
  t.same(await database.read((sql) => sql.all('SELECT text FROM one')), [{ text: 'a' }]);
  t.equal(database.shrink(), false, 'nothing to return');
  await database.close();
});
