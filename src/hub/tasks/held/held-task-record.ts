/** A call that waits for its approval as a task: what is stored of it, and what its client reads. */
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Random } from '../../../environment/random.ts';
import { parseExactJson } from '../../../json/exact-json.ts';
import { isObject, tryParseJson } from '../../../json/json-object.ts';
import { type SealingKey, seal, unseal } from '../../../secrets/sealing.ts';
import type { HeldTaskRow } from '../../../store/control/hubs/held-tasks.ts';
import type { HubPrincipal } from '../../access/principal.ts';
import type { CallContext } from '../../gateway/call-context.ts';
import type { McpResult } from '../../gateway/pending-calls.ts';

const idPrefix = 'vph.';

export function createHeldTaskId(random: Random): string {
  return `${idPrefix}${random.token(24)}`;
}

/** Ids of servers' tasks begin with another prefix. */
export function isHeldTaskId(publicId: string): boolean {
  return publicId.startsWith(idPrefix);
}

/** The person and the credential that a task belongs to. */
export function toTaskOwner({ hub, person, via }: HubPrincipal): Pick<HeldTaskRow, 'hub_id' | 'owner'> {
  const credentialId = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return { hub_id: hub.id, owner: JSON.stringify([person.personId, via.kind, credentialId]) };
}

const optionalText = Type.Optional(Type.String());
const StoredCall = Type.Object({
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  meta: Type.Record(Type.String(), Type.Unknown()),
  task: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  requestId: optionalText,
  requestBytes: Type.Integer(),
  hubPath: Type.Optional(Type.Array(Type.String())),
});
/** Everything that is needed to make the call later. `task` is what a client of 2025-11-25 wants of it. */
export type StoredCall = Static<typeof StoredCall> & { readonly exactArguments?: unknown };

const storedCallCheck = TypeCompiler.Compile(StoredCall);

export type CalledTool = { readonly name: string; readonly arguments: unknown; readonly task: unknown };

/** Numbers of the arguments stay as they were sent. */
export function serializeStoredCall(context: CallContext, { name, arguments: args, task }: CalledTool): string {
  const { exactArguments, meta, requestId, requestBytes, principal } = context;
  const { hubPath } = principal;
  return JSON.stringify({ name, arguments: exactArguments ?? args, meta, task, requestId, requestBytes, hubPath });
}

function parseStoredCall(text: string): StoredCall | undefined {
  const call = tryParseJson(text);
  if (!storedCallCheck.Check(call)) return undefined;
  const exact = parseExactJson(text);
  return isObject(exact) ? { ...call, exactArguments: exact.arguments } : call;
}

/** How a task ended. The text of a result has its numbers as they were sent. */
export type TaskOutcome =
  | { readonly kind: 'result'; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown };

const TaskError = Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) });
const taskErrorCheck = TypeCompiler.Compile(TaskError);

function serializeOutcome(outcome: TaskOutcome): string {
  if (outcome.kind === 'result') return `{"result":${outcome.text}}`;
  const { kind: _kind, ...error } = outcome;
  return JSON.stringify({ error });
}

/** What is sealed of a task; a sealed value belongs to its column. */
export class HeldTaskSeals {
  readonly #key: SealingKey;
  readonly #random: Random;

  constructor(key: SealingKey, random: Random) {
    this.#key = key;
    this.#random = random;
  }

  sealCall(id: string, text: string): Uint8Array {
    return seal(this.#key, toSealContext(id, 'sealed_call'), Buffer.from(text), this.#random);
  }

  /** Undefined once it is erased, and if the store has another key. */
  unsealCall({ id, sealed_call: sealed }: HeldTaskRow): StoredCall | undefined {
    const bytes = sealed && unseal(this.#key, toSealContext(id, 'sealed_call'), sealed);
    return bytes ? parseStoredCall(Buffer.from(bytes).toString()) : undefined;
  }

  sealOutcome(id: string, outcome: TaskOutcome): Uint8Array {
    return seal(this.#key, toSealContext(id, 'sealed_outcome'), Buffer.from(serializeOutcome(outcome)), this.#random);
  }

  /** `exact` has the numbers of the result as they were sent, if these would change. */
  unsealOutcome({ id, sealed_outcome: sealed }: HeldTaskRow): StoredOutcome | undefined {
    const bytes = sealed && unseal(this.#key, toSealContext(id, 'sealed_outcome'), sealed);
    if (!bytes) return undefined;
    const text = Buffer.from(bytes).toString();
    const { result, error } = Object(tryParseJson(text));
    if (isObject(result)) return { result, exact: Object(parseExactJson(text)).result };
    return taskErrorCheck.Check(error) ? { error } : undefined;
  }
}

export type StoredOutcome =
  | { readonly result: McpResult; readonly exact?: McpResult | undefined; readonly error?: undefined }
  | { readonly error: Static<typeof TaskError>; readonly result?: undefined };

const toSealContext = (id: string, column: string): string => `hub_held_tasks/${id}/${column}`;

const pollIntervalMs = 2000;

/** The task as the revision of its client describes it, without its outcome. */
export function toTaskView(row: HeldTaskRow): McpResult & { readonly status: string } {
  const { id, era, state, message, created_at_ms: createdMs, updated_at_ms: updatedMs, expires_at_ms: endMs } = row;
  const ttlMs = endMs - createdMs;
  return {
    taskId: id,
    status: state === 'waiting' || state === 'sending' ? 'working' : state,
    statusMessage: message,
    createdAt: new Date(createdMs).toISOString(),
    lastUpdatedAt: new Date(updatedMs).toISOString(),
    ...(era === 'older' ? { ttl: ttlMs, pollInterval: pollIntervalMs } : { ttlMs, pollIntervalMs }),
  };
}

export function isOpenTask({ state }: HeldTaskRow): boolean {
  return state === 'waiting' || state === 'sending';
}
