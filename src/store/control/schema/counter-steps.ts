/**
 * What every run changes is appended: the newest row counts. While something holds the horizon of PostgreSQL (a long
 * `pg_dump`, an idle transaction, a stale replication slot), no dead row can be removed. A row that every run updates would then be
 * found behind all its earlier versions, each time it is read. The newest of many rows is the first one of its index, whatever is
 * dead behind it. Read by `max` or `ORDER BY … DESC LIMIT 1`; triggers leave no way past the tables.
 *
 * `stored_bytes` and `run_totals` follow every 64 rows, for versions before this step; what those write in `instances` is
 * taken over.
 */
import { finalResult } from './run-columns.ts';

/** At least so many remain: PostgreSQL would read a table of two rows as a whole, with all that is dead in it. */
const retainedSteps = 64;

/** Every so many steps. Both ends of the range are named: an open one would read what earlier ones left behind. */
const deleteEarlier = (table: string, column: string, condition = ''): string =>
  `DELETE FROM ${table} WHERE ${condition} ${column} >= new.${column} - ${2 * retainedSteps} AND ${column} < new.${column} - ${retainedSteps};`;

const ofInstance = 'instance_id = new.instance_id AND';

const storedBytesTables = ['reports', 'bodies', 'late_reports'];

const addTrigger = (name: string, event: string, change: string): string => `
DROP TRIGGER ${name};
CREATE TRIGGER ${name} AFTER ${event} BEGIN
  INSERT INTO stored_byte_steps SELECT step + 1, bytes ${change} FROM stored_byte_steps ORDER BY step DESC LIMIT 1;
END;`;

const storedByteSteps = `
CREATE TABLE stored_byte_steps (step INTEGER NOT NULL PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
INSERT INTO stored_byte_steps SELECT 1, bytes FROM stored_bytes;
${storedBytesTables
  .flatMap((table) => [
    addTrigger(`${table}_in`, `INSERT ON ${table}`, '+ new.size_bytes'),
    addTrigger(`${table}_out`, `DELETE ON ${table}`, '- old.size_bytes'),
  ])
  .join('')}
CREATE TRIGGER stored_byte_steps_in AFTER INSERT ON stored_byte_steps WHEN new.step % ${retainedSteps} = 0 BEGIN
  ${deleteEarlier('stored_byte_steps', 'step')}
  UPDATE stored_bytes SET bytes = new.bytes;
END;
`;

const countRun = `
  INSERT INTO run_total_steps VALUES (new.instance_id, ${finalResult('new')}, 1 + coalesce((SELECT max(s.runs)
    FROM run_total_steps s WHERE s.instance_id = new.instance_id AND s.result = ${finalResult('new')}), 0));`;

const runTotalSteps = `
CREATE TABLE run_total_steps (
  instance_id TEXT NOT NULL,
  result TEXT NOT NULL CHECK (result IN ('passed', 'failed', 'not_judged', 'cancelled')),
  runs INTEGER NOT NULL,
  PRIMARY KEY (instance_id, result, runs)
) STRICT, WITHOUT ROWID;
INSERT INTO run_total_steps SELECT instance_id, result, runs FROM run_totals;
DROP TRIGGER run_totals_in;
CREATE TRIGGER run_totals_in AFTER INSERT ON runs WHEN new.state IN ('passed', 'failed', 'cancelled') BEGIN ${countRun}
END;
DROP TRIGGER run_totals_end;
CREATE TRIGGER run_totals_end AFTER UPDATE OF state ON runs
  WHEN old.state IN ('queued', 'in_progress') AND new.state IN ('passed', 'failed', 'cancelled') BEGIN ${countRun}
END;
CREATE TRIGGER run_total_steps_in AFTER INSERT ON run_total_steps WHEN new.runs % ${retainedSteps} = 0 BEGIN
  ${deleteEarlier('run_total_steps', 'runs', `${ofInstance} result = new.result AND`)}
  INSERT INTO run_totals VALUES (new.instance_id, new.result, new.runs)
    ON CONFLICT (instance_id, result) DO UPDATE SET runs = excluded.runs;
END;
`;

/**
 * The newest lease of an instance is the one with its highest fence. Runs are leased in the order of their ids, so no queued run
 * has a lower id than the one leased last, which may have returned to the queue.
 */
const leaseSteps = `
CREATE TABLE lease_steps (
  instance_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  run_id INTEGER NOT NULL,
  PRIMARY KEY (instance_id, fence)
) STRICT, WITHOUT ROWID;
INSERT INTO lease_steps SELECT r.instance_id, r.fence, r.id FROM runs r WHERE r.state = 'in_progress';
CREATE TRIGGER lease_steps_taken AFTER UPDATE OF state ON runs
  WHEN old.state <> 'in_progress' AND new.state = 'in_progress' BEGIN
  INSERT INTO lease_steps VALUES (new.instance_id, new.fence, new.id);
END;
CREATE TRIGGER lease_steps_in AFTER INSERT ON lease_steps WHEN new.fence % ${retainedSteps} = 0 BEGIN
  ${deleteEarlier('lease_steps', 'fence', ofInstance)}
END;
`;

const journalSteps = `
CREATE TABLE journal_steps (
  instance_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (instance_id, step)
) STRICT, WITHOUT ROWID;
INSERT INTO journal_steps SELECT id, 1, journal_epoch, journal_seq FROM instances;
CREATE TRIGGER journal_steps_before AFTER UPDATE OF journal_epoch, journal_seq ON instances BEGIN
  INSERT INTO journal_steps VALUES (new.id, 1 + coalesce((SELECT max(s.step) FROM journal_steps s WHERE s.instance_id = new.id), 0),
    new.journal_epoch, new.journal_seq);
END;
CREATE TRIGGER journal_steps_in AFTER INSERT ON journal_steps WHEN new.step % ${retainedSteps} = 0 BEGIN
  ${deleteEarlier('journal_steps', 'step', ofInstance)}
END;
`;

export const counterStepsMigration = `${storedByteSteps}${runTotalSteps}${leaseSteps}${journalSteps}`;
