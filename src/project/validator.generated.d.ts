// Generated from platform-config.schema.json by generate-validator.ts; `node build.mjs` writes it anew.
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
/** What the schema says against a config. */
export type SchemaError = {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
};
/** True when `config` is as the schema wants it; else `errors` has every problem, until the next call. */
export declare const validate: {
  (config: unknown): boolean;
  errors: readonly SchemaError[] | null;
};
