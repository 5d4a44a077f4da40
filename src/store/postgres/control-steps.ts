/** What PostgreSQL runs in place of a step of the control plane's schema, or behind it. */
import { controlStoreKind } from '../control/schema/control-schema.ts';
import { counterStepsMigration } from '../control/schema/counter-steps.ts';
import { runTriggersMigration } from '../control/schema/run-triggers.ts';
import { runTriggersStep } from './run-triggers.ts';
import { translateMigration } from './translate-schema.ts';

/**
 * A unique index compares a new entry with all dead ones that have its key: the lease of a run would read every run that the
 * instance has had since the horizon. Here a trigger refuses a second run in progress. It looks at the one run that can be in progress,
 * the one leased last; transactions that write come one after another, so nothing happens in between.
 */
const oneInProgress = `
DROP INDEX runs_one_in_progress;
CREATE INDEX runs_in_progress ON runs (id) WHERE state = 'in_progress';
CREATE FUNCTION refuse_second_in_progress() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM runs r WHERE r.state = 'in_progress' AND r.id = (SELECT l.run_id FROM lease_steps l
    WHERE l.instance_id = NEW.instance_id ORDER BY l.fence DESC LIMIT 1)) THEN
    RAISE EXCEPTION 'the instance % has a run in progress', NEW.instance_id USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_second_in_progress BEFORE UPDATE OF state ON runs FOR EACH ROW
  WHEN (OLD.state <> 'in_progress' AND NEW.state = 'in_progress') EXECUTE FUNCTION refuse_second_in_progress();
`;

const appendedTables = ['stored_byte_steps', 'run_total_steps', 'lease_steps', 'journal_steps'];

/**
 * Tables whose rows die with each run are cleaned by how many are dead, not by a share of what is there: by default a million
 * runs would be cleaned after 200,000.
 */
const vacuum = `
${[...appendedTables, 'instances'].map((table) => `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);`).join('\n')}
ALTER TABLE runs SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
`;

/** Counted from 1. */
const getStep = (migration: string): number => controlStoreKind.migrations.indexOf(migration) + 1;

export const controlPostgresSteps: Readonly<Record<number, string>> = {
  [getStep(counterStepsMigration)]: `${translateMigration(counterStepsMigration)}${oneInProgress}${vacuum}`,
  [getStep(runTriggersMigration)]: runTriggersStep,
};
