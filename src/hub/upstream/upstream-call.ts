/** The options of a call, and how messages of its server find it. */
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { createObjectNotes } from '../../collections/object-notes.ts';
import type { JsonParts } from '../../json/json-parts.ts';
import type { JsonSource } from '../../json/json-source.ts';
import { stringifyLargeJson } from '../../json/large-json.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { forwardedExtensions, pickOlderCapabilities } from '../protocol/extensions.ts';
import type { HubPath } from '../protocol/hub-path.ts';

/** A request of a server to the caller during a call: sampling, elicitation, roots. */
export type UpstreamQuestion = { readonly method: string; readonly params: Record<string, unknown> };

export type UpstreamCallOptions = {
  /** Selects the upstream session, for servers that keep state by session. */
  readonly personId: string;
  /** The caller's own session; undefined for callers without one. */
  readonly sessionId?: string | undefined;
  /** The hubs that the request has passed before this one. */
  readonly hubPath?: HubPath | undefined;
  /** For services in this process; not sent to servers. Undefined for calls without a caller. */
  readonly principal?: HubPrincipal | undefined;
  /** The caller's capabilities, which are sent to the server instead of ours. */
  readonly capabilities: ClientCapabilities;
  /** Aborted when the caller leaves or cancels. */
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: Record<string, unknown>) => void) | undefined;
  readonly onLog: ((message: Record<string, unknown>) => void) | undefined;
  /** The lowest severity to receive; undefined for none. */
  readonly logLevel: string | undefined;
  /** The caller answers questions in the way of older revisions: a server of both eras is called in its older part. */
  readonly prefersOlderEra?: boolean;
  /** How long the server may stay silent; undefined for the default. */
  readonly timeoutMs?: number | undefined;
  /** Longer responses are aborted; undefined for the default. */
  readonly maxResponseBytes?: number | undefined;
  /** Answers a question of the server; undefined if the caller cannot answer any. */
  readonly askCaller: ((question: UpstreamQuestion) => Promise<Record<string, unknown>>) | undefined;
  /** Further headers, such as `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

const sentParts = createObjectNotes<JsonParts>();

/** Remembers the text of a result, where writing it again would change it. */
export function setSentParts(result: Record<string, unknown>, parts: JsonParts): void {
  sentParts.set(result, parts);
}

/** The text of a result as it was sent, where writing it again would change it. */
export function findSentParts(result: Record<string, unknown>): JsonParts | undefined {
  return sentParts.get(result);
}

const backslash = 0x5c;
const largeResults = createObjectNotes<{ readonly hasEscapes: boolean }>();

/** Remembers what the source of a large result says about writing it again. */
export function setLargeResult(result: Record<string, unknown>, source: JsonSource): void {
  largeResults.set(result, { hasEscapes: source.indexOf(backslash, 0) >= 0 });
}

/** The JSON text of a value that has the texts of `result` and no others that are long. */
export function stringifyResult(value: Record<string, unknown>, result: Record<string, unknown>): string {
  const large = largeResults.get(result);
  return large ? stringifyLargeJson(value, large.hasEscapes) : JSON.stringify(value);
}

/** True if a client with these capabilities answers this method. */
export function canClientAnswer({ sampling, elicitation, roots }: ClientCapabilities, method: string): boolean {
  if (method === 'sampling/createMessage') return sampling !== undefined;
  if (method === 'elicitation/create') return elicitation !== undefined;
  return method === 'roots/list' && roots !== undefined;
}

/** Before there were forms at a URL, a client declared `elicitation` alone. */
export function canShowForms({ elicitation }: ClientCapabilities): boolean {
  return elicitation !== undefined && (Object.keys(elicitation).length === 0 || elicitation.form !== undefined);
}

/** True if servers may ask a client with these capabilities for anything. */
export function acceptsQuestions({ sampling, elicitation, roots }: ClientCapabilities): boolean {
  return sampling !== undefined || elicitation !== undefined || roots !== undefined;
}

function pickExtensions(extensions: ClientCapabilities['extensions']): Pick<ClientCapabilities, 'extensions'> {
  if (extensions === undefined) return {};
  const known = forwardedExtensions.flatMap((name) => {
    const value = extensions[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return known.length > 0 ? { extensions: Object.fromEntries(known) } : {};
}

/** The capabilities that servers may use; unknown ones are dropped. */
export function pickForwardedCapabilities({
  sampling,
  elicitation,
  roots,
  extensions,
}: ClientCapabilities): ClientCapabilities {
  return {
    ...pickExtensions(extensions),
    ...(sampling === undefined ? {} : { sampling }),
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(roots === undefined ? {} : { roots }),
  };
}

/** The same without details, so that a person has few processes. */
export function simplifyCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  const { sampling, elicitation, roots, extensions } = pickOlderCapabilities(capabilities);
  return {
    ...(extensions === undefined ? {} : { extensions }),
    ...(sampling === undefined ? {} : { sampling: {} }),
    ...(elicitation === undefined ? {} : { elicitation: elicitation.url ? { form: {}, url: {} } : {} }),
    ...(roots === undefined ? {} : { roots: roots.listChanged ? { listChanged: true } : {} }),
  };
}
