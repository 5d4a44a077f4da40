/** Requests for time stamps, and what a server answers (RFC 3161, sections 2.4.1 and 2.4.2). */
import { createHash } from 'node:crypto';
import { Integer, OctetString } from 'asn1js';
import { AlgorithmIdentifier, MessageImprint, PKIStatus, TimeStampReq, TimeStampResp } from 'pkijs';
import { toArrayBuffer } from './array-buffer.ts';
import { TimeStampError } from './time-stamp-error.ts';

export const sha256Oid = '2.16.840.1.101.3.4.2.1';

export function hashStamped(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function createNonce(randomBytes: Uint8Array): Uint8Array {
  const nonce = Uint8Array.from(randomBytes);
  // A positive number without leading zeros: servers that read it as a number return the same bytes.
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
  return nonce;
}

/** DER. Asks for the certificate of the server too, which a verification needs years later. */
export function encodeTimeStampRequest(text: string, nonce: Uint8Array): Uint8Array<ArrayBuffer> {
  const messageImprint = new MessageImprint({
    hashAlgorithm: new AlgorithmIdentifier({ algorithmId: sha256Oid }),
    hashedMessage: new OctetString({ valueHex: toArrayBuffer(hashStamped(text)) }),
  });
  const request = new TimeStampReq({
    version: 1,
    messageImprint,
    nonce: new Integer({ valueHex: toArrayBuffer(nonce) }),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER());
}

/** The token of a response, DER in base64. Throws TimeStampError. */
export function readTimeStampResponse(bytes: Uint8Array): string {
  const { status, timeStampToken } = parseResponse(bytes);
  if (status.status !== PKIStatus.granted && status.status !== PKIStatus.grantedWithMods)
    throw new TimeStampError(`it refused, with the status ${Number(status.status)}`);
  if (!timeStampToken) throw new TimeStampError('its response has no time stamp');
  return Buffer.from(timeStampToken.toSchema().toBER()).toString('base64');
}

function parseResponse(bytes: Uint8Array): TimeStampResp {
  try {
    return TimeStampResp.fromBER(toArrayBuffer(bytes));
  } catch (cause) {
    throw new TimeStampError('its response is malformed', { cause });
  }
}
