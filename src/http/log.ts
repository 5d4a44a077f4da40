/** The log of a listener, with the signature of pino's methods. */
export type ListenerLog = {
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
};
