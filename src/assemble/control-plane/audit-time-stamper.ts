/** Has statements about the audit time-stamped by a server (RFC 3161), and verifies what it answers. */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AnchorStamper } from '../../hub/audit/anchor-publisher.ts';
import { serializeStamped } from '../../hub/audit/anchor-statement.ts';
import { TimeStampError } from '../../hub/audit/time-stamps/time-stamp-error.ts';
import { isTooLarge, readBytesWithin } from '../../outbound/bounded-body.ts';
import { createOutboundFetch, type OutboundResponse } from '../../outbound/outbound-fetch.ts';
import { withTimeout } from '../../timing/timeout.ts';

export type TimeStampAuthority = {
  readonly url: URL;
  /** PEM certificates that the certificate of a time stamp must lead to. */
  readonly roots: readonly string[];
};

export type TimeStamperDependencies = {
  readonly clock: Pick<Clock, 'after' | 'nowMs'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** PEM certificates that are trusted for https besides the usual ones. */
  readonly extraRoots: readonly string[];
};

const timeoutMs = 10_000;
/** Usual ones have 6 KB. Reading the most expensive text of this size takes 0.1 s. */
const maxResponseBytes = 32_768;
/** How far the clock of the server may be from this one. */
const maxClockDifferenceMs = 300_000;

export function createTimeStamper(
  { url, roots }: TimeStampAuthority,
  dependencies: TimeStamperDependencies,
): AnchorStamper {
  const { clock, random, variables, extraRoots } = dependencies;
  // The path and the query may hold a secret.
  const name = url.origin;
  const fail = (problem: string, cause?: unknown) =>
    vpError('AUDIT_TIMESTAMP_FAILED', { server: name, problem }, { cause });
  const trustedRoots = roots.map((pem) => new X509Certificate(pem));
  const request = async (body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Uint8Array> => {
    const outboundFetch = await createOutboundFetch({ url: url.href, extraRoots, variables });
    const response = await outboundFetch(url.href, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body,
      signal,
      redirect: 'manual',
    }).catch((cause) => {
      throw fail('it cannot be reached', cause);
    });
    const problem = findProblem(response);
    if (problem === undefined)
      return await readBytesWithin(response.body, maxResponseBytes).catch((cause) => {
        throw fail(isTooLarge(cause) ? 'its response is too large' : 'its response broke off', cause);
      });
    await response.body?.getReader().cancel();
    throw fail(problem);
  };
  return {
    name,
    async stamp(statement) {
      // Loaded where it is used: the library has half a megabyte.
      const { createNonce, encodeTimeStampRequest, readTimeStampResponse } = await import(
        '../../hub/audit/time-stamps/time-stamp-messages.ts'
      );
      const { verifyTimeStamp } = await import('../../hub/audit/time-stamps/time-stamp-token.ts');
      const text = serializeStamped(statement);
      const nonce = createNonce(random.bytes(8));
      const createError = () => fail(`no answer within ${timeoutMs / 1000} s`);
      const bytes = await withTimeout({ clock, timeoutMs, createError }, (signal) =>
        request(encodeTimeStampRequest(text, nonce), signal),
      );
      try {
        const token = readTimeStampResponse(bytes);
        const { atMs } = await verifyTimeStamp(token, { text, nonce, roots: trustedRoots });
        if (Math.abs(atMs - clock.nowMs()) > maxClockDifferenceMs)
          throw new TimeStampError(`its time is ${new Date(atMs).toISOString()}`);
        return token;
      } catch (cause) {
        throw cause instanceof TimeStampError ? fail(cause.message, cause) : cause;
      }
    },
  };
}

function findProblem({ status, headers }: OutboundResponse): string | undefined {
  if (status !== 200) return `it answered ${status}`;
  const type = headers.get('content-type') ?? '';
  return /^application\/timestamp-reply\b/i.test(type)
    ? undefined
    : `it answered with the type ${type || 'of nothing'}`;
}
