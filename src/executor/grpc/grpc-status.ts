/** The codes of gRPC (google.rpc.Code), and the HTTP status that checks see of each. */

const names = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

export const grpcCodes = { ok: 0, unknown: 2, notFound: 5, unimplemented: 12 } as const;

/** As google/rpc/code.proto says for each. */
const httpStatuses: readonly number[] = [
  ...[200, 499, 500, 400, 504, 404, 409, 403, 429],
  ...[400, 409, 400, 501, 500, 503, 500, 401],
];

/** Codes that are none of the list count as UNKNOWN. */
export function toHttpStatus(code: number): number {
  return httpStatuses[code] ?? 500;
}

export function getStatusName(code: number): string {
  return names[code] ?? `code ${code}`;
}

/** Undefined for what is no code. */
export function parseStatusCode(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** `grpc-message` is percent-encoded UTF-8; what cannot be decoded stays as it is. */
export function decodeStatusMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
