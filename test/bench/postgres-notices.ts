/** How long after a commit of a command another process notices it: with the hint, and by polling alone. */
import { systemClock } from '../../src/environment/clock.ts';
import { readPostgresSettings } from '../../src/store/postgres/connection-settings.ts';
import { openPostgresStores, type PostgresStores } from '../../src/store/postgres/stores.ts';
import type { Sql } from '../../src/store/sql.ts';
import { eventually } from '../eventually.ts';
import type { PostgresServer } from '../postgres/postgres-server.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { type Row, under } from './row.ts';

type Pair = { readonly serving: PostgresStores; readonly command: PostgresStores };

/** In a database of its own, so that each notice is of the commit that is measured. */
async function openPair(server: PostgresServer, name: string, hasHint: boolean): Promise<Pair> {
  await server.query(`CREATE DATABASE ${name}`);
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url: server.getUrl(name) }, {});
  const shared = { settings, clock: systemClock };
  if (!hasHint) return { serving: await openPostgresStores(shared), command: await openPostgresStores(shared) };
  const serving = await openPostgresStores({ ...shared, hints: { kind: 'listen', settings } });
  const command = await openPostgresStores({ ...shared, hints: { kind: 'announce' } });
  await eventually(() => {
    const state = serving.control.getState();
    return state.engine === 'postgresql' && state.notices === 'hint';
  });
  return { serving, command };
}

async function closePair(pair: Pair): Promise<void> {
  for (const { control, audit, memory, close } of Object.values(pair)) {
    await Promise.all([control.close(), audit.close(), memory.close()]);
    await close();
  }
}

const touch = (sql: Sql): void => sql.execute("DELETE FROM meta WHERE name = 'nothing'");

/** From the answer to the command. */
async function measureNotice({ serving, command }: Pair): Promise<number> {
  let stop = (): unknown => undefined;
  const noticed = new Promise<void>((resolve) => {
    stop = serving.control.database.onCommit(resolve);
  });
  await command.control.database.write(touch);
  const ms = await timed(() => noticed);
  stop();
  return ms;
}

export async function measureNotices({ quick }: BenchContext, server: PostgresServer): Promise<Row[]> {
  const hinted = await openPair(server, 'notices_with_hint', true);
  const polled = await openPair(server, 'notices_by_polling', false);
  try {
    // The first number of a new store shows no difference.
    for (const { serving } of [hinted, polled]) await serving.control.database.write(touch);
    const [withHint, byPolling] = [series(() => measureNotice(hinted)), series(() => measureNotice(polled))];
    await inTurns(quick ? 10 : 40, [withHint, byPolling], 2);
    const row = (measured: string, value: number): Row => ({ measured, value, unit: 'ms' });
    return [
      under(row('commit of a command noticed by the control plane, with the hint, p50', median(withHint.samples)), 20),
      under(row('the same by polling, the longest', Math.max(...byPolling.samples)), 1_000),
    ];
  } finally {
    await closePair(hinted);
    await closePair(polled);
  }
}
