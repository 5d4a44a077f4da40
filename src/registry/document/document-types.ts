import type { RegistryServer } from '../../contract/registry/registry-api.ts';

/** `where` is a path such as `.remotes[0].url`, empty for the document itself. */
export type DocumentProblem = { readonly where: string; readonly problem: string };

/** What the schema accepts. */
export type ServerDocument = Omit<RegistryServer, 'packages' | 'repository'> & {
  readonly repository?: { readonly url: string; readonly source: string; readonly subfolder?: string };
  readonly icons?: readonly Icon[];
  readonly packages?: readonly Package[];
  readonly _meta?: Readonly<Record<string, unknown>>;
};

export const schemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

type Icon = { readonly src: string };

type Argument = { readonly type: string; readonly name?: string; readonly valueHint?: string };

type Package = {
  readonly registryType: string;
  readonly registryBaseUrl?: string;
  readonly identifier: string;
  readonly version?: string;
  readonly transport: { readonly type: string; readonly url?: string };
  readonly runtimeArguments?: readonly Argument[];
  readonly packageArguments?: readonly Argument[];
  readonly environmentVariables?: readonly { readonly name: string }[];
};
