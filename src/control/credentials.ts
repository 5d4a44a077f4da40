/** What a bearer token stands for: the service keys of this control plane, and the keys of executors. */
import { bearerHash, bearerKindOf, mintBearer } from '../secrets/bearer.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';
import { instanceOfKey } from '../store/control/instances.ts';
import { type ServiceKind, serviceHash, setServiceHash } from '../store/control/keys.ts';
import type { ControlContext } from './context.ts';
import type { Credential } from './control.ts';

/** Looks a token up by its keyed hash; undefined when it is unknown. */
export async function authenticate(context: ControlContext, token: string): Promise<Credential | undefined> {
  const kind = bearerKindOf(token);
  if (kind === undefined || kind === 'api_key' || kind === 'machine') return undefined;
  const hash = bearerHash(token, context.keyring.tokenHashKey);
  return context.store.database.read((sql) => {
    if (kind !== 'executor') return serviceHash(sql, kind) === hash ? { kind } : undefined;
    const instance = instanceOfKey(sql, hash);
    return instance === undefined ? undefined : { kind, instance };
  });
}

/** The service key kept in `file`; made anew when the file is gone or belongs to another store. */
export async function ensureServiceKey(context: ControlContext, kind: ServiceKind, file: string): Promise<string> {
  const kept = readKeyFile(file);
  if (kept !== undefined && (await authenticate(context, kept))?.kind === kind) return kept;
  const key = mintBearer(kind, context.random);
  const hash = bearerHash(key, context.keyring.tokenHashKey);
  await context.store.database.write((sql) => setServiceHash(sql, kind, hash, context.clock.nowMs()));
  writeKeyFile(file, key);
  return key;
}
