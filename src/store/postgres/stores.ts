/** The stores of a control plane on one PostgreSQL database. */
import type { Clock } from '../../environment/clock.ts';
import type { AuditDatabase } from '../audit/audit-database.ts';
import { auditStoreKind } from '../audit/audit-schema.ts';
import type { ControlStore } from '../control/control-store.ts';
import { controlStoreKind } from '../control/schema/control-schema.ts';
import type { Database } from '../database.ts';
import { memoryStoreKind } from '../memory/memory-schema.ts';
import type { BackupStoreName } from '../store-files.ts';
import type { StoreState } from '../store-state.ts';
import { createPostgresAuditDatabase } from './audit-database.ts';
import { announceCommits, listenForCommits } from './commit-hint.ts';
import { connectPostgres } from './connect.ts';
import { createErrorDescriber } from './connection-errors.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { PostgresSettings } from './connection-settings.ts';
import { controlPostgresSteps } from './control-steps.ts';
import { createPostgresDatabase, type PostgresDatabase } from './database.ts';
import { memoryPostgresSteps } from './memory-steps.ts';
import type { PostgresStoreKind } from './migrate.ts';
import { prepareStores } from './prepare-stores.ts';
import { createSessionOptions } from './session.ts';

/** In the order of their creation. */
export const postgresStoreKinds: readonly PostgresStoreKind[] = [
  { name: 'control', ...controlStoreKind, postgresSteps: controlPostgresSteps },
  { name: 'audit', ...auditStoreKind },
  { name: 'memory', ...memoryStoreKind, postgresSteps: memoryPostgresSteps },
];

export type PostgresStores = {
  /** The database in errors and reports, without its password. */
  readonly label: string;
  readonly control: ControlStore;
  readonly audit: AuditDatabase;
  readonly memory: Database;
  /** Ends the connections; call it after the stores have been closed. */
  close(): Promise<void>;
};

export type PostgresStoresOptions = {
  readonly settings: PostgresSettings;
  readonly clock: Pick<Clock, 'after'>;
  /** The epoch of this replica; writes of an earlier one are refused. Undefined without an election. */
  readonly epoch?: (() => number | undefined) | undefined;
  /** A write was refused because of its epoch. */
  readonly onReplaced?: (() => void) | undefined;
  readonly maxConnections?: number | undefined;
  /** Gives up the preparation of the stores. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `listen`: this process serves the stores, and wants to know at once what others commit; the settings are those of the server
   * itself, not of a pooler. `announce`: it works beside the one that serves them. Neither by default.
   */
  readonly hints?: { readonly kind: 'listen'; readonly settings: PostgresSettings } | { readonly kind: 'announce' };
};

/** Writes of three stores and a few reads side by side. */
const defaultMaxConnections = 10;

/** Opens and migrates the stores. Throws STORE_*. */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  const { settings, clock, signal, epoch = () => undefined, onReplaced = () => undefined } = options;
  const label = `${settings.address}/${settings.database}`;
  const { types } = await import('pg');
  const clientOptions = createSessionOptions(types);
  const preparation = { settings, clock, kinds: postgresStoreKinds, clientOptions, label, signal };
  const { server, commits } = await prepareStores(preparation);
  const pool = new ConnectionPool({
    open: () => connectPostgres(settings, { clock, clientOptions }),
    maxConnections: options.maxConnections ?? defaultMaxConnections,
    clock,
  });
  const describe = createErrorDescriber(settings);
  const shared = { pool, label, describe, epoch, onReplaced };
  const { version, isPooled } = server;
  const { hints } = options;
  const openStore = (store: BackupStoreName): PostgresDatabase =>
    createPostgresDatabase(
      { ...shared, store },
      commits[store],
      hints?.kind === 'announce' ? announceCommits(pool, store) : undefined,
    );
  const [control, audit, memory] = [openStore('control'), openStore('audit'), openStore('memory')];
  const databases: Record<BackupStoreName, PostgresDatabase> = { control, audit, memory };
  const hint =
    hints?.kind === 'listen'
      ? listenForCommits({
          ...{ pool, clock, connect: () => connectPostgres(hints.settings, { clock, clientOptions }) },
          onHint: (store) => databases[store].lookForCommits(),
        })
      : undefined;
  const getState = (): StoreState => ({
    ...{ engine: 'postgresql', version, isPooled, connections: pool.state },
    notices: hint?.isLive ? 'hint' : 'polling',
  });
  return {
    label,
    control: { database: control, counters: control.numbers, getState, close: () => control.close() },
    audit: createPostgresAuditDatabase(audit, pool, describe),
    memory,
    async close() {
      await hint?.close();
      await pool.close();
    },
  };
}
