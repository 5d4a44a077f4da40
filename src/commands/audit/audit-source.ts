/** Where the commands of the audit read it: the files of a data folder or a database, even while the control plane is running. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { getAuditFile } from '../../hub/audit/audit-log.ts';
import type { AuditReadTransaction } from '../../hub/audit/verify-chains.ts';
import { markHiddenCharacters } from '../../json/visible-text.ts';
import { auditStoreKind } from '../../store/audit/audit-schema.ts';
import {
  type AuditAnchorRow,
  type AuditLossRow,
  hasAuditAnchors,
  listAuditAnchors,
  listAuditLosses,
} from '../../store/control/audit-anchors.ts';
import { getControlStoreFile } from '../../store/control/control-store.ts';
import { controlStoreKind } from '../../store/control/schema/control-schema.ts';
import { readDatabaseStores } from '../../store/copy/move-stores.ts';
import type { SchemaDifference, StoreKind } from '../../store/database.ts';
import { findCopyProblem, listSchemaDifferences, openAuditReader, openStoreReader } from '../../store/engine.ts';
import type { PostgresSettings } from '../../store/postgres/connection-settings.ts';
import type { Sql } from '../../store/sql.ts';
import { settleRecentCalls } from './recent-calls.ts';

/** `isKnown` is false without a store of the control plane that could say what the audit must contain. */
export type KnownEnds = {
  readonly isKnown: boolean;
  readonly anchors: readonly AuditAnchorRow[];
  readonly losses: readonly AuditLossRow[];
};

export type AuditSource = {
  /** The data folder, which has the master key where the variable has none. */
  readonly folder: string;
  /** The file or database, for messages. */
  readonly name: string;
  readonly known: KnownEnds;
  /** Undefined where there is no audit. */
  readonly content: AuditContent | undefined;
};

export type AuditContent = {
  readonly read: AuditReadTransaction;
  readonly usedBytes: number;
  /** What is damaged in the file, such as an index without one of the rows, which searches then miss. Undefined for a database. */
  readonly findDamage?: (onProgress: (share: number) => void) => Promise<string | undefined>;
  /** Triggers, views and the like that are not those of vp, in the audit and in the store that knows its ends. */
  readonly listSchemaFaults: () => Promise<SchemaFault[]>;
};

/** `problem` is safe to print. */
export type SchemaFault = { readonly file: string; readonly problem: string };

const nothingKnown: KnownEnds = { isKnown: false, anchors: [], losses: [] };

/** Calls `use` with the audit of `database`, or with that of the data folder. Throws STORE_*. */
export async function withAuditSource<T>(
  dataFolder: string | undefined,
  database: PostgresSettings | undefined,
  environment: Environment,
  use: (source: AuditSource) => Promise<T>,
): Promise<T> {
  const { cwd, paths, clock } = environment;
  const folder = resolve(cwd, dataFolder ?? paths.data);
  if (database === undefined) {
    await settleRecentCalls(folder, environment);
    return await withFiles(folder, use);
  }
  return await readDatabaseStores({ settings: database, clock }, async (stores) => {
    const known = await stores.read('control', listKnownEnds);
    const read: AuditReadTransaction = (operation) => stores.read('audit', operation);
    const listFaults = async (): Promise<SchemaFault[]> =>
      (await stores.listForeignObjects()).map((found) => ({ file: stores.label, problem: describeDifference(found) }));
    const content = { read, usedBytes: await stores.getAuditBytes(), listSchemaFaults: listFaults };
    return await use({ folder, name: stores.label, known, content });
  });
}

async function withFiles<T>(folder: string, use: (source: AuditSource) => Promise<T>): Promise<T> {
  // Read before the audit, which may go on meanwhile.
  const known = readKnownEnds(folder);
  const file = getAuditFile(folder);
  const shared = { folder, name: file, known };
  if (!existsSync(file)) return await use({ ...shared, content: undefined });
  const reader = openAuditReader(file);
  try {
    const content: AuditContent = {
      read: async <R>(operation: (sql: Sql) => R) => reader.read(operation),
      usedBytes: statSync(file).size,
      listSchemaFaults: async () => [
        ...listSchemaFaults(file, auditStoreKind),
        ...listSchemaFaults(getControlStoreFile(folder), controlStoreKind),
      ],
      findDamage: async (onProgress) => (await findCopyProblem(file, auditStoreKind, onProgress))?.problem,
    };
    return await use({ ...shared, content });
  } finally {
    reader.close();
  }
}

function listSchemaFaults(file: string, kind: StoreKind): SchemaFault[] {
  if (!existsSync(file)) return [];
  return listSchemaDifferences(file, kind).map((difference) => ({ file, problem: describeDifference(difference) }));
}

const differenceProblems = {
  foreign: 'is not one of vp: what it does with entries is not known',
  changed: 'is not as vp creates it',
  missing: 'is missing',
} as const;

/** Who wrote to the file chose the names. */
function describeDifference({ kind, type, name, table }: SchemaDifference): string {
  const show = (text: string): string => markHiddenCharacters(text.slice(0, maxNameChars)).replaceAll(/[\r\n]/g, ' ');
  return `the ${show(type)} \`${show(name)}\` on \`${show(table)}\` ${differenceProblems[kind]}`;
}

const maxNameChars = 100;

function readKnownEnds(folder: string): KnownEnds {
  const file = getControlStoreFile(folder);
  if (!existsSync(file)) return nothingKnown;
  const reader = openStoreReader(file, controlStoreKind);
  try {
    return reader.read((sql) => (hasAuditAnchors(sql) ? listKnownEnds(sql) : nothingKnown));
  } finally {
    reader.close();
  }
}

function listKnownEnds(sql: Sql): KnownEnds {
  return { isKnown: true, anchors: listAuditAnchors(sql), losses: listAuditLosses(sql) };
}
