// Generated from platform-config.schema.json by generate-validator.ts; `node build.mjs` regenerates it.
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
/** A violation that the validator reports. */
export type SchemaError = {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
};
/** True when `config` matches the schema; otherwise `errors` has every violation, until the next call. */
export declare const validate: {
  (config: unknown): boolean;
  errors: readonly SchemaError[] | null;
};
