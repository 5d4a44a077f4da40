/** JSON with its numbers as they were sent, read and written by what Node.js has for it, not by the code under test. */

type RawJson = { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };

const { rawJSON, isRawJSON } = JSON as unknown as RawJson;
export function isRawNumber(value: unknown): boolean {
  return isRawJSON(value);
}

type Reviver = (this: unknown, name: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Numbers that would change are values that only {@link JSON.stringify} understands. */
export function parseExact(text: string): unknown {
  const toRaw: Reviver = (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value;
  return JSON.parse(text, toRaw as (name: string, value: unknown) => unknown);
}

const firstMark = '"payload":';
const lastMark = ',"end":';

/** The text of the payload of a message, which stands between its two neighbours; undefined for a batch. */
export function findPayloadText(text: string): string | undefined {
  const start = text.indexOf(firstMark);
  const end = text.lastIndexOf(lastMark);
  return text.startsWith('[') || start < 0 || end < start ? undefined : text.slice(start + firstMark.length, end);
}

/** Replaces the payload `placeholder` of a message by JSON that is sent as it is. */
export function placePayload(message: unknown, payload: string | undefined): string {
  const text = JSON.stringify(message);
  return payload === undefined ? text : text.replace(JSON.stringify(payloadPlaceholder), () => payload);
}

export const payloadPlaceholder = '⟦payload⟧';
