/**
 * The hubs that a request has passed, each by a mark of its own, so that a hub notices requests that come back to it, directly
 * or through others. Over HTTP they are in a header; programs get them in `_meta`, in case they forward them.
 */
import { createHmac } from 'node:crypto';
import { isObject } from '../../json/json-object.ts';

export const hubPathHeader = 'vp-hub-path';
export const hubPathKey = 'vp/hub-path';

/** In the order in which they were passed. */
export type HubPath = readonly string[];
/** The mark of a hub. It says nothing about the hub to others. */
export type GetHubMark = (hubId: string) => string;

/** A longer path is refused, and its rest is not read. */
const maxMarks = 8;
const markLength = 16;

/** `secret` is the same as long as the process runs. */
export function createHubMarks(secret: string): GetHubMark {
  const marks = new Map<string, string>();
  return (hubId) => {
    const known = marks.get(hubId);
    if (known !== undefined) return known;
    const mark = createHmac('sha256', secret).update(hubId).digest('base64url').slice(0, markLength);
    marks.set(hubId, mark);
    return mark;
  };
}

export function formatHubPath(path: HubPath): string {
  return path.join(',');
}

/** The path of a request of a client. Ignores what is not a mark. */
export function readHubPath(headers: Pick<Headers, 'get'>, body: unknown): HubPath {
  const { params } = isObject(body) ? body : {};
  const { _meta: meta } = isObject(params) ? params : {};
  const inMeta = isObject(meta) ? meta[hubPathKey] : undefined;
  const text = headers.get(hubPathHeader) ?? (typeof inMeta === 'string' ? inMeta : '');
  if (text === '') return [];
  const marks = text.split(',', maxMarks + 1).map((mark) => mark.trim());
  return marks.filter((mark) => /^[\w-]{1,64}$/.test(mark));
}

/** True if the request has been at the hub before, or has passed too many others. */
export function isLoop(path: HubPath, mark: string): boolean {
  return path.length > maxMarks || path.includes(mark);
}
