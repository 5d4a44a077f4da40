/** The floor of a store on PostgreSQL: as many commits of one small row, one after another, by a client that does nothing else. */
import pg from 'pg';
import type { PostgresServer } from '../postgres/postgres-server.ts';

/** Transactions that the stores of `database` have begun. */
export async function countCommits(server: PostgresServer, database: string): Promise<number> {
  const sequences = [1, 2, 3].map((store) => `(SELECT last_value FROM vp.commits_${store})`);
  const [row] = await server.query(`SELECT ${sequences.join(' + ')} AS commits`, database);
  return Number(row?.commits);
}

/** Writes `count` rows into a table of its own, each in a transaction. */
export async function measureCommits(url: string, count: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('CREATE TABLE IF NOT EXISTS bare (id bigint, text text)');
    for (let index = 0; index < count; index += 1) {
      const values = [index, 'x'.repeat(200)];
      await client.query({ name: 'insert', text: 'INSERT INTO bare VALUES ($1, $2)', values });
    }
  } finally {
    await client.end();
  }
}
