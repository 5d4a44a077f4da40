/** Triggers of PostgreSQL are joined (postgres/run-triggers.ts). On SQLite a trigger is part of the statement that it belongs to. */
export const runTriggersMigration = '-- Nothing to do on SQLite.';
