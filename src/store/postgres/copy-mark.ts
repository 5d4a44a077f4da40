/**
 * While a database is being filled by `vp move` or `vp restore`, it has a mark, so that nobody takes it for a new one. It is
 * a row of `vp.stores`, which all versions read by name, and goes away with the commit of the copy.
 */
import type { ClientBase } from 'pg';
import { vpError } from '../../errors/vp-error.ts';

const markName = 'copy';

export async function saveCopyMark(client: ClientBase): Promise<void> {
  const text = 'INSERT INTO vp.stores (name, application_id, version) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING';
  await client.query(text, [markName]);
}

export async function removeCopyMark(client: ClientBase): Promise<void> {
  await client.query('DELETE FROM vp.stores WHERE name = $1', [markName]);
}

/** `label` names the database in errors. Throws STORE_COPY_INCOMPLETE. */
export async function assertNoCopyMark(client: ClientBase, label: string): Promise<void> {
  const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'vp' AND tablename = 'stores'");
  if (tables.rows.length === 0) return;
  const marks = await client.query('SELECT 1 FROM vp.stores WHERE name = $1', [markName]);
  if (marks.rows.length > 0) throw vpError('STORE_COPY_INCOMPLETE', { target: `the database ${label}` });
}
