/** What the stores of one database share, in the schema `vp`. */
import { notActiveState } from './begin.ts';
import { electionSchema } from './election-schema.ts';
import { lockClass } from './locks.ts';

/** `stores`: which versions are here. `commits_…`: a number for each transaction of a store, in the order of the commits. */
const tables = `
CREATE TABLE vp.stores (name text PRIMARY KEY, application_id bigint NOT NULL, version int NOT NULL);
CREATE SEQUENCE vp.commits_1 AS bigint;
CREATE SEQUENCE vp.commits_2 AS bigint;
CREATE SEQUENCE vp.commits_3 AS bigint;
-- The newest moment that was given to a run as its id.
CREATE SEQUENCE vp.run_times AS bigint MINVALUE 0 START 0;
`;

/** Functions of SQLite that PostgreSQL lacks, and its order of names without regard to case. */
const dialect = `
CREATE FUNCTION vp.max_of(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS 'SELECT greatest($1, $2)';
CREATE FUNCTION vp.min_of(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS 'SELECT least($1, $2)';
CREATE FUNCTION vp.instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT
  AS 'SELECT strpos($1 COLLATE "C", $2 COLLATE "C")::bigint';
CREATE COLLATION vp.ascii_nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
`;

/** `readEpoch` is an expression. */
const beginWrite = (readEpoch: string): string => `
CREATE OR REPLACE FUNCTION vp.begin_write(store int, expected bigint)
  RETURNS TABLE (commit_number bigint, last_run_ms bigint, transaction_id text) LANGUAGE plpgsql AS $$
DECLARE
  current_epoch bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(${lockClass}, store);
  IF expected IS NOT NULL THEN
    current_epoch := ${readEpoch};
    IF current_epoch IS DISTINCT FROM expected THEN
      RAISE EXCEPTION 'another replica is active' USING ERRCODE = '${notActiveState}';
    END IF;
  END IF;
  RETURN QUERY SELECT nextval('vp.commits_' || store), (SELECT last_value FROM vp.run_times), pg_current_xact_id()::text;
END $$;
`;

/**
 * Each write reads the newest term. The row of the active replica also changes for other reasons: while something holds the horizon, it
 * stands behind all its earlier versions. A term is a row of its own.
 */
const terms = `
CREATE TABLE vp.terms (epoch bigint PRIMARY KEY);
INSERT INTO vp.terms SELECT epoch FROM vp.active_replica;
CREATE FUNCTION vp.record_term() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO vp.terms VALUES (NEW.epoch) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER record_term AFTER INSERT OR UPDATE OF epoch ON vp.active_replica FOR EACH ROW EXECUTE FUNCTION vp.record_term();
`;

/** Steps never change once released: add the next one. The application id spells "vps1". */
export const sharedSchemaKind = {
  applicationId: 0x76707331,
  migrations: [
    `CREATE SCHEMA IF NOT EXISTS vp; ${electionSchema} ${tables} ${dialect} ${beginWrite('(SELECT epoch FROM vp.active_replica)')}`,
    `${terms} ${beginWrite('(SELECT max(epoch) FROM vp.terms)')}`,
  ],
} as const;
