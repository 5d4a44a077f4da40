/** Writes rows without a pause, and prints the number of each when it is committed, and each start of a checkpoint. */
import { openSqliteAuditDatabase } from '../../../src/store/sqlite/audit-database.ts';
import { CheckpointThread } from '../../../src/store/sqlite/checkpoint-thread.ts';

const [, , file = ''] = process.argv;

const audit = openSqliteAuditDatabase(file, 1e10, {
  onError: (error) => process.stdout.write(`${String(error)}\n`),
  startThread(name) {
    const thread = new CheckpointThread(name);
    const checkpoint = () => {
      process.stdout.write('checkpoint\n');
      return thread.checkpoint();
    };
    return { checkpoint, close: () => thread.close() };
  },
});

for (let row = 1; ; row += 1) {
  await audit.write((sql) => sql.run('INSERT OR REPLACE INTO meta VALUES (?, randomblob(200000))', `row-${row}`));
  process.stdout.write(`${row}\n`);
}
