/** The part of pgpass (which pg uses) that reads no variables of the process. */
declare module 'pgpass/lib/helper.js' {
  import type { Readable } from 'node:stream';

  export function getPassword(
    key: { readonly host: string; readonly port: number; readonly database: string; readonly user: string },
    lines: Readable,
    callback: (password: string | undefined) => void,
  ): void;
}
