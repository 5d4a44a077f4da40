/** A registry of MCP servers on the store of a control plane. */
import type { RegistryProof, RegistryToken } from '../contract/registry-api.ts';
import { defaultRegistrySettings, type RegistryContext, type RegistrySettings } from './context.ts';
import { prove } from './proving.ts';
import { publishingOf, type RegistryPublishing } from './publishing.ts';
import { type RegistryReading, readingOf } from './reading.ts';
import { textRecords } from './text-records.ts';

/** All of it. */
export type Registry = {
  readonly reading: RegistryReading;
  readonly publishing: RegistryPublishing;
  /** A token for a proof; see proving.ts for what it throws. */
  prove(proof: RegistryProof, address: string): Promise<RegistryToken>;
};

/** What it is made of; `resolvers` are name servers to ask in place of the system's. */
export type RegistryOptions = Omit<RegistryContext, 'settings' | 'records'> & {
  readonly settings?: Partial<RegistrySettings> | undefined;
  readonly resolvers?: readonly string[] | undefined;
};

/** Makes it; nothing is read yet. */
export function createRegistry({ settings, resolvers = [], ...options }: RegistryOptions): Registry {
  const context: RegistryContext = {
    ...options,
    settings: { ...defaultRegistrySettings, ...settings },
    records: textRecords(resolvers),
  };
  return {
    reading: readingOf(context),
    publishing: publishingOf(context),
    prove: (proof, address) => prove(context, proof, address),
  };
}
