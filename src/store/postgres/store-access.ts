import type { VpError } from '../../errors/vp-error.ts';
import type { BackupStoreName } from '../store-files.ts';
import type { ConnectionPool } from './connection-pool.ts';

/** How one store of a database is reached. */
export type StoreAccess = {
  readonly store: BackupStoreName;
  readonly pool: ConnectionPool;
  /** What is named in errors: the database without its password. */
  readonly label: string;
  /** Explains an error of PostgreSQL to the operator. */
  readonly describe: (error: unknown) => VpError;
  /** The epoch of this replica; undefined when there is no election. */
  readonly epoch: () => number | undefined;
  /** Called when a write was refused because another replica is active. */
  readonly onReplaced: () => void;
};
