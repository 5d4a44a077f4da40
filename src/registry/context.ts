import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { Database } from '../store/database.ts';
import type { TextRecordLookup } from './dns-proof/text-records.ts';

export type RegistrySettings = {
  /** Domains, in lower case, that may publish here. None by default. */
  readonly domains: readonly string[];
  /** Maximum difference of a signed timestamp from this clock. */
  readonly maxClockDifferenceMs: number;
  readonly tokenLifetimeMs: number;
  readonly maxVersionsPerServer: number;
  readonly maxVersions: number;
};

/** The times are those of the official registry. */
export const defaultRegistrySettings: RegistrySettings = {
  domains: [],
  maxClockDifferenceMs: 15_000,
  tokenLifetimeMs: 300_000,
  maxVersionsPerServer: 1000,
  maxVersions: 20_000,
};

/** A security event for the log; never contains a secret. */
export type RegistryEvent = {
  readonly event: string;
  readonly level: 'info' | 'warn';
  readonly [field: string]: string | number | undefined;
};

export type RegistryContext = {
  readonly database: Pick<Database, 'read' | 'write'>;
  /** Hashes bearer tokens. */
  readonly hashKey: Uint8Array;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly settings: RegistrySettings;
  readonly lookUpTextRecords: TextRecordLookup;
  readonly logEvent: (event: RegistryEvent) => void;
};
