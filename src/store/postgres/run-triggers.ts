/**
 * What a change of a run's state appends (control/schema/counter-steps.ts), by one function in place of six; a change fires one trigger,
 * without a condition. PostgreSQL reads the condition of each trigger of a table anew in each statement, starts a function for each one that holds, and locks the row for one
 * that comes before the change: of the two changes of a run, they took half the time.
 */
import { finalResult } from '../control/schema/run-columns.ts';

/** At least so many rows of a table remain, as in counter-steps.ts. */
const retainedSteps = 64;

const deleteEarlier = (table: string, condition: string, column: string, newest: string): string =>
  `DELETE FROM ${table} WHERE ${condition} AND ${column} >= ${newest} - ${2 * retainedSteps} AND ${column} < ${newest} - ${retainedSteps};`;

/**
 * A unique index compares a new entry with all dead ones that have its key: the lease of a run would read every run that the
 * instance has had since the horizon. So the trigger refuses a second run in progress. It looks at the one run that can be in progress,
 * the one leased last; transactions that write come one after another, so nothing happens in between.
 */
const takeLease = `
    IF EXISTS (SELECT 1 FROM runs r WHERE r.state = 'in_progress' AND r.id <> NEW.id AND r.id = (SELECT l.run_id FROM lease_steps l
      WHERE l.instance_id = NEW.instance_id ORDER BY l.fence DESC LIMIT 1)) THEN
      RAISE EXCEPTION 'the instance % has a run in progress', NEW.instance_id USING ERRCODE = 'unique_violation';
    END IF;
    INSERT INTO lease_steps VALUES (NEW.instance_id, NEW.fence, NEW.id);
    IF NEW.fence % ${retainedSteps} = 0 THEN
      ${deleteEarlier('lease_steps', 'instance_id = NEW.instance_id', 'fence', 'NEW.fence')}
    END IF;`;

const countResult = `
    run_result := ${finalResult('NEW')};
    INSERT INTO run_total_steps VALUES (NEW.instance_id, run_result, 1 + coalesce((SELECT max(s.runs)
      FROM run_total_steps s WHERE s.instance_id = NEW.instance_id AND s.result = run_result), 0)) RETURNING runs INTO total;
    IF total % ${retainedSteps} = 0 THEN
      ${deleteEarlier('run_total_steps', 'instance_id = NEW.instance_id AND result = run_result', 'runs', 'total')}
      INSERT INTO run_totals VALUES (NEW.instance_id, run_result, total)
        ON CONFLICT (instance_id, result) DO UPDATE SET runs = excluded.runs;
    END IF;`;

/** Without steps of this version, a replica of the version before gets the same rows from its statements. */
export const runTriggersStep = `
DROP FUNCTION refuse_second_in_progress() CASCADE;
DROP FUNCTION lease_steps_taken() CASCADE;
DROP FUNCTION lease_steps_in() CASCADE;
DROP FUNCTION run_totals_in() CASCADE;
DROP FUNCTION run_totals_end() CASCADE;
DROP FUNCTION run_total_steps_in() CASCADE;
CREATE FUNCTION record_run_state() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE
  run_result text COLLATE "C";
  total bigint;
BEGIN
  IF NEW.state = 'queued' OR NEW.state = OLD.state THEN
    RETURN NULL;
  ELSIF NEW.state = 'in_progress' THEN ${takeLease}
  ELSIF TG_OP = 'INSERT' OR OLD.state IN ('queued', 'in_progress') THEN ${countResult}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER record_run_state AFTER UPDATE OF state ON runs FOR EACH ROW EXECUTE FUNCTION record_run_state();
CREATE TRIGGER record_new_run AFTER INSERT ON runs FOR EACH ROW
  WHEN (NEW.state IN ('passed', 'failed', 'cancelled')) EXECUTE FUNCTION record_run_state();
`;
