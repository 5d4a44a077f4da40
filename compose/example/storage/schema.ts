import type { Database } from './database.ts';

/** Statements that create missing tables. The databases differ only in the type of timestamps. */
export function schemaFor(kind: Database['kind']): readonly string[] {
  const time = kind === 'postgres' ? 'timestamptz' : 'text';
  return [
    `CREATE TABLE IF NOT EXISTS seeding (done_at ${time} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS folder (id text PRIMARY KEY, name text NOT NULL, created_at ${time} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS template (
       id text PRIMARY KEY, name text NOT NULL, subject text NOT NULL, created_at ${time} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS document (
       id text PRIMARY KEY, title text NOT NULL, pages integer NOT NULL CHECK (pages > 0),
       folder_id text REFERENCES folder (id), created_at ${time} NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS envelope (
       id text PRIMARY KEY, subject text NOT NULL, recipient text NOT NULL,
       document_id text NOT NULL REFERENCES document (id),
       status text NOT NULL CHECK (status IN ('created', 'sent', 'delivered', 'voided')),
       created_at ${time} NOT NULL, sent_at ${time}, delivered_at ${time})`,
    `CREATE TABLE IF NOT EXISTS saga_event (
       id text PRIMARY KEY, envelope_id text NOT NULL REFERENCES envelope (id), step text NOT NULL,
       request_id text NOT NULL, created_at ${time} NOT NULL)`,
  ];
}
