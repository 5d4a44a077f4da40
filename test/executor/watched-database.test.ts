import t from 'tap';
import type { ObservedQuery } from '../../src/check/observed.ts';
import { watchedDatabase } from '../../src/executor/watched-database.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const rows: ObservedQuery = { kind: 'rows', columns: [], rows: [], rowCount: 0, more: false };
const refused: ObservedQuery = { kind: 'unavailable', problem: 'no such table', cure: 'x', isFinal: true };
const away: ObservedQuery = { kind: 'unavailable', problem: 'refused', cure: 'x' };
const query = { sql: 'SELECT 1', values: [] };

function watched() {
  const clock = fakeClock();
  const state = { answer: rows, isAway: false, looks: 0 };
  const database = watchedDatabase(
    {
      query: async () => state.answer,
      describe: async () => [],
      async grants() {
        state.looks += 1;
        if (state.isAway) throw new Error('away');
        return { writable: [], unreadable: [], tooPowerful: [] };
      },
      close: async () => undefined,
    },
    clock,
  );
  return { clock, state, database };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('what the database answered last says whether it can be read', async (t) => {
  const { state, database } = watched();
  await database.query(query);
  t.equal(database.isUp(), true);
  state.answer = refused;
  await database.query(query);
  t.equal(database.isUp(), true, 'a query that was refused says nothing of the database');
  state.answer = away;
  await database.query(query, { signal: AbortSignal.abort() });
  t.equal(database.isUp(), true, 'nor does one that was given up');
  await database.query(query);
  t.equal(database.isUp(), false);
  t.equal(state.looks, 0);
});

t.test('where nobody asked for a minute, whoever wants to know makes it be asked', async (t) => {
  const { clock, state, database } = watched();
  t.equal(database.isUp(), undefined);
  await turn();
  t.equal(database.isUp(), true);
  state.isAway = true;
  clock.advance(59_000);
  t.equal(database.isUp(), true);
  t.equal(state.looks, 1);
  clock.advance(1000);
  database.isUp();
  database.isUp();
  await turn();
  t.equal(database.isUp(), false);
  t.equal(state.looks, 2, 'once, however many want to know');
});
