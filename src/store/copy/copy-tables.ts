/** Copies the tables of one store from one engine to the other, and compares them afterwards. */
import { vpError } from '../../errors/vp-error.ts';
import { type CopiedTable, seededTables, type TableReader, type TableWriter } from './copied-table.ts';
import { DigestBuilder, type TableDigest } from './table-digest.ts';

export type CopiedTableReport = TableDigest & { readonly table: string };

/** `share` is of this store's rows, which are read once for copying and once for comparing. */
export type CopyProgress = (phase: 'copying' | 'comparing', share: number) => void;

export type CopyTablesOptions = {
  readonly tables: readonly CopiedTable[];
  readonly source: TableReader;
  readonly target: TableReader & TableWriter;
  readonly onProgress: CopyProgress;
};

/** Throws STORE_COPY_DIFFERENT, and what the stores throw. */
export async function copyTables({
  tables,
  source,
  target,
  onProgress,
}: CopyTablesOptions): Promise<CopiedTableReport[]> {
  let total = 0;
  for (const table of tables) total += await source.countRows(table);
  const report = (phase: 'copying' | 'comparing') => {
    let done = 0;
    return (rows: number): void => {
      done += rows;
      onProgress(phase, total === 0 ? 1 : done / total);
    };
  };
  const onCopied = report('copying');
  const written = new Map<CopiedTable, TableDigest>();
  for (const table of tables) {
    if (seededTables.includes(table.name)) await target.clear(table);
    written.set(table, await copyTable(table, source, target, onCopied));
  }
  const onCompared = report('comparing');
  const reports: CopiedTableReport[] = [];
  for (const [table, expected] of written) {
    const copied = await digestTable(table, target, onCompared);
    if (copied.rows !== expected.rows || copied.sum !== expected.sum)
      throw vpError('STORE_COPY_DIFFERENT', { table: table.name, found: copied.rows, expected: expected.rows });
    reports.push({ table: table.name, ...expected });
  }
  return reports;
}

async function copyTable(
  table: CopiedTable,
  source: TableReader,
  target: TableWriter,
  onRows: (rows: number) => void,
): Promise<TableDigest> {
  const digest = new DigestBuilder();
  for await (const rows of source.readRows(table)) {
    // While the other side writes, this side computes.
    const writing = target.writeRows(table, rows);
    writing.catch(() => undefined);
    digest.add(rows);
    await writing;
    onRows(rows.length);
  }
  return digest.build();
}

async function digestTable(
  table: CopiedTable,
  reader: TableReader,
  onRows: (rows: number) => void,
): Promise<TableDigest> {
  const digest = new DigestBuilder();
  for await (const rows of reader.readRows(table)) {
    digest.add(rows);
    onRows(rows.length);
  }
  return digest.build();
}
