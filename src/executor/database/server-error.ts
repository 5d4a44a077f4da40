/** An error reported by the server (protocol message ErrorResponse), as pg passes it on. */
export type ServerError = {
  /** SQLSTATE, five characters. */
  readonly state: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** In characters, from 1, in the query as sent. */
  readonly position: number | undefined;
  /** The function of the server that raised it, whatever its language. */
  readonly routine: string | undefined;
};

/** The server's error; undefined for errors of the system, of TLS and of pg itself. */
export function parseServerError(error: unknown): ServerError | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  if (typeof error.code !== 'string' || !/^[0-9A-Z]{5}$/.test(error.code)) return undefined;
  const position = 'position' in error ? Number(error.position) : Number.NaN;
  const routine = 'routine' in error && typeof error.routine === 'string' ? error.routine : undefined;
  return {
    state: error.code,
    message: error.message,
    hint: 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined,
    position: Number.isInteger(position) && position > 0 ? position : undefined,
    routine,
  };
}
