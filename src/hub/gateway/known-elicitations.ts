/**
 * The forms at a URL that servers of older revisions asked clients to open, so that `notifications/elicitation/complete` finds the
 * session whose person has completed one. In the memory of the process, and bounded: the oldest is forgotten first.
 */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isObject } from '../../json/json-object.ts';

const maxElicitations = 10_000;
const maxIdChars = 1000;
const maxFormsOfError = 20;

export class KnownElicitations {
  /** Ids of sessions; `undefined` where two sessions have the same id of a server, which then names neither. */
  readonly #sessionIds = new Map<string, string | undefined>();

  /** Remembers the id of a question or of an error, if `value` has that of a form at a URL. */
  add(connectionId: string, value: unknown, sessionId: string | null): void {
    const elicitationId = isObject(value) && value.mode === 'url' ? value.elicitationId : undefined;
    if (sessionId === null || typeof elicitationId !== 'string' || elicitationId.length > maxIdChars) return;
    const key = toKey(connectionId, elicitationId);
    const isShared = this.#sessionIds.has(key) && this.#sessionIds.get(key) !== sessionId;
    this.#sessionIds.delete(key);
    const oldest = this.#sessionIds.keys().next().value;
    if (this.#sessionIds.size >= maxElicitations && oldest !== undefined) this.#sessionIds.delete(oldest);
    this.#sessionIds.set(key, isShared ? undefined : sessionId);
  }

  /** The same for the forms that a call must wait for, which its error names. */
  addFromError(connectionId: string, error: unknown, sessionId: string | null): void {
    if (!(error instanceof ProtocolError) || error.code !== ProtocolErrorCode.UrlElicitationRequired) return;
    const forms: unknown = isObject(error.data) ? error.data.elicitations : undefined;
    if (!Array.isArray(forms)) return;
    for (const form of forms.slice(0, maxFormsOfError)) this.add(connectionId, form, sessionId);
  }

  /** The session that was asked, once: a form is completed once. */
  take(connectionId: string, elicitationId: unknown): string | undefined {
    if (typeof elicitationId !== 'string') return undefined;
    const key = toKey(connectionId, elicitationId);
    const sessionId = this.#sessionIds.get(key);
    this.#sessionIds.delete(key);
    return sessionId;
  }
}

function toKey(connectionId: string, elicitationId: string): string {
  return JSON.stringify([connectionId, elicitationId]);
}
