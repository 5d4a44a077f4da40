/**
 * Public ids of tasks. An id says which connection and tool the task belongs to, and is authenticated for the person and the
 * hub that started it: for everybody else the task does not exist. Nothing has to be stored for that.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isObject, tryParseJson } from '../../json/json-object.ts';
import type { HubPrincipal } from '../access/principal.ts';

/** The revisions differ in what requests and results of tasks look like: 2025-11-25, and the extension of 2026-07-28. */
export type TaskEra = 'older' | 'newest';

export type TaskRoute = {
  readonly connectionId: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** The server's own id. */
  readonly taskId: string;
  readonly era: TaskEra;
};

type Owner = Pick<HubPrincipal, 'hub' | 'person'>;

const prefix = 'vpt';
const macBytes = 16;
/** The id of the newest revision is repeated in a header. */
const maxLength = 4096;

export class TaskIds {
  readonly #key: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'ids of tasks', 32));
  }

  /** Undefined if the server's id is too long. */
  format(owner: Owner, { connectionId, tool, taskId, era }: TaskRoute): string | undefined {
    const payload = Buffer.from(JSON.stringify({ connectionId, tool, taskId, era })).toString('base64url');
    const id = `${prefix}.${payload}.${this.#authenticate(owner, payload).toString('base64url')}`;
    return id.length <= maxLength ? id : undefined;
  }

  /** Undefined for an id that this person did not get in this hub. */
  parse(owner: Owner, id: string): TaskRoute | undefined {
    const [start, payload = '', mac = '', ...rest] = id.split('.');
    if (start !== prefix || rest.length > 0 || id.length > maxLength) return undefined;
    const received = Buffer.from(mac, 'base64url');
    const expected = this.#authenticate(owner, payload);
    if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
    const route = tryParseJson(Buffer.from(payload, 'base64url').toString());
    if (!isObject(route)) return undefined;
    const { connectionId, tool, taskId, era } = route;
    if (typeof connectionId !== 'string' || typeof tool !== 'string' || typeof taskId !== 'string') return undefined;
    return era === 'older' || era === 'newest' ? { connectionId, tool, taskId, era } : undefined;
  }

  #authenticate({ hub, person }: Owner, payload: string): Buffer {
    const text = JSON.stringify([hub.id, person.personId, payload]);
    return createHmac('sha256', this.#key).update(text).digest().subarray(0, macBytes);
  }
}
