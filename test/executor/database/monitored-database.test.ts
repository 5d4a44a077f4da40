import t from 'tap';
import type { ObservedQueryResult } from '../../../src/check/observation.ts';
import { monitorDatabase } from '../../../src/executor/database/monitored-database.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

const rows: ObservedQueryResult = { kind: 'rows', columns: [], rows: [], rowCount: 0, more: false };
const refusedQuery: ObservedQueryResult = { kind: 'unavailable', problem: 'no such table', cure: 'x', isFinal: true };
const away: ObservedQueryResult = { kind: 'unavailable', problem: 'refused', cure: 'x' };
const query = { sql: 'SELECT 1', values: [] };

function createMonitored() {
  const clock = fakeClock();
  const state = { answer: rows, isAway: false, grantCalls: 0 };
  const database = monitorDatabase(
    {
      query: async () => state.answer,
      describe: async () => [],
      async grants() {
        state.grantCalls += 1;
        if (state.isAway) throw new Error('away');
        return { writable: [], unreadable: [], hidden: [], tooPowerful: [] };
      },
      close: async () => undefined,
    },
    clock,
  );
  return { clock, state, database };
}

const waitForTurn = () => new Promise((resolve) => setImmediate(resolve));

t.test('the last result of the database determines whether it is reachable', async (t) => {
  const { state, database } = createMonitored();
  await database.query(query);
  t.equal(database.isReachable(), true);
  state.answer = refusedQuery;
  await database.query(query);
  t.equal(database.isReachable(), true, 'a query that was refused says nothing of the database');
  state.answer = away;
  await database.query(query, { signal: AbortSignal.abort() });
  t.equal(database.isReachable(), true, 'nor does one that was given up');
  await database.query(query);
  t.equal(database.isReachable(), false);
  t.equal(state.grantCalls, 0);
});

t.test('an old result is refreshed in the background when it is requested', async (t) => {
  const { clock, state, database } = createMonitored();
  t.equal(database.isReachable(), undefined);
  await waitForTurn();
  t.equal(database.isReachable(), true);
  state.isAway = true;
  clock.advance(59_000);
  t.equal(database.isReachable(), true);
  t.equal(state.grantCalls, 1);
  clock.advance(1000);
  database.isReachable();
  database.isReachable();
  await waitForTurn();
  t.equal(database.isReachable(), false);
  t.equal(state.grantCalls, 2, 'once, however many want to know');
});
