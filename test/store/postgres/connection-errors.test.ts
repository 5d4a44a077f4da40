import pg from 'pg';
import t from 'tap';
import { exitCode } from '../../../src/errors/exit-code.ts';
import { toDatabaseError } from '../../../src/store/postgres/connection-errors.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';

t.test('a server that PgBouncer has lost is a lost connection, after which a replica tries again', async (t) => {
  const url = 'postgres://vp@db.example.com:6432/vp';
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const [host = { host: '', port: 0 }] = settings.hosts;
  for (const message of [
    'server conn crashed?',
    'server connection crashed',
    'server connection closed',
    'server closed the connection unexpectedly',
    'server login failed: FATAL the database system is in recovery mode',
  ]) {
    const error = new pg.DatabaseError(message, message.length, 'error');
    Object.assign(error, { code: '08P01', severity: 'FATAL' });
    const { code, row } = toDatabaseError(error, { ...settings, host, isConnected: true });
    t.match({ code, exit: row.exit }, { code: 'STORE_DATABASE_LOST', exit: exitCode.notReady }, message);
  }
});
