import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { Database } from '../store/database.ts';
import type { TextRecords } from './text-records.ts';

/** How the registry behaves; times in milliseconds. */
export type RegistrySettings = {
  /** Domains, in lower case, that may publish here. Nobody may unless the operator says who. */
  readonly domains: readonly string[];
  /** A signed timestamp may differ so much from this clock. */
  readonly timestampMs: number;
  /** Tokens for publishing hold for so long. */
  readonly tokenMs: number;
  /** Versions of one server, and of all servers together. */
  readonly mostVersionsOfOne: number;
  readonly mostVersions: number;
};

/** What holds unless said otherwise; the first two times are those of the official registry. */
export const defaultRegistrySettings: RegistrySettings = {
  domains: [],
  timestampMs: 15_000,
  tokenMs: 300_000,
  mostVersionsOfOne: 1000,
  mostVersions: 20_000,
};

/** What is told of security; never with a secret in it. */
export type RegistryEvent = {
  readonly event: string;
  readonly level: 'info' | 'warn';
  readonly [field: string]: string | number | undefined;
};

/** What every part of the registry works with. */
export type RegistryContext = {
  readonly database: Pick<Database, 'read' | 'write'>;
  /** The key that secrets are hashed with. */
  readonly hashKey: Uint8Array;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly settings: RegistrySettings;
  readonly records: TextRecords;
  readonly tell: (event: RegistryEvent) => void;
};
