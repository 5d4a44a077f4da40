/** A registry of MCP servers on the store of a control plane. */
import type { RegistryDomainProof, RegistryToken } from '../contract/registry/registry-api.ts';
import { defaultRegistrySettings, type RegistryContext, type RegistrySettings } from './context.ts';
import { exchangeProof } from './dns-proof/domain-proof.ts';
import { createTextRecordLookup } from './dns-proof/text-records.ts';
import { createRegistryReader, type RegistryReader } from './serving/registry-reader.ts';
import { createRegistryWriter, type RegistryWriter } from './serving/registry-writer.ts';

export type Registry = {
  readonly reader: RegistryReader;
  readonly writer: RegistryWriter;
  /** Exchanges a domain proof for a token. Throws REGISTRY_*. */
  exchangeProof(proof: RegistryDomainProof, address: string): Promise<RegistryToken>;
};

/** `resolvers` are name servers to use instead of the system's. */
export type RegistryOptions = Omit<RegistryContext, 'settings' | 'lookUpTextRecords'> & {
  readonly settings?: Partial<RegistrySettings> | undefined;
  readonly resolvers?: readonly string[] | undefined;
};

export function createRegistry({ settings, resolvers = [], ...options }: RegistryOptions): Registry {
  const context: RegistryContext = {
    ...options,
    settings: { ...defaultRegistrySettings, ...settings },
    lookUpTextRecords: createTextRecordLookup(resolvers),
  };
  return {
    reader: createRegistryReader(context),
    writer: createRegistryWriter(context),
    exchangeProof: (proof, address) => exchangeProof(context, proof, address),
  };
}
