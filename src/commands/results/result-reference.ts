/** What `vp open` and `vp export` take: a run, a suite or a failure. */
import type { Client } from '../../client/client.ts';
import { findRunId } from '../../client/find-run.ts';
import { selectInstance } from '../control-plane/control-plane-client.ts';

export type ResultReference =
  | { readonly kind: 'run'; readonly id: string }
  | { readonly kind: 'suite' | 'failure'; readonly id: string; readonly instance: string };

/**
 * Looks the result up, so that what is returned exists. Throws RUN_UNKNOWN, RUN_AMBIGUOUS, SUITE_UNKNOWN, FAILURE_UNKNOWN and the
 * errors of `selectInstance`.
 */
export async function findResult(
  client: Client,
  text: string,
  namedInstance: string | undefined,
): Promise<ResultReference> {
  const id = text.trim();
  const isSuite = /^s\d{8}T\d{9}$/.test(id);
  if (!isSuite && !/^[0-9a-f]{16}$/.test(id)) return { kind: 'run', id: await findRunId(client.runs, id) };
  const { instance_id: instance } = await selectInstance(client, namedInstance);
  if (isSuite) return { kind: 'suite', id: (await client.suites.get(instance, id)).suite_id, instance };
  return { kind: 'failure', id: (await client.failures.get(instance, id)).failure_id, instance };
}

/** The path of its page in the console. */
export function toPagePath(reference: ResultReference): string {
  if (reference.kind === 'run') return `/runs/${reference.id}`;
  const folder = reference.kind === 'suite' ? 'suites' : 'failures';
  return `/instances/${encodeURIComponent(reference.instance)}/${folder}/${reference.id}`;
}
