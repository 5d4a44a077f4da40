/** Where a listener tells what callers must not see; the shape of pino's methods. */
export type Log = {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
};
