/** Verifies time stamps (RFC 3161, RFC 5652, RFC 5816). */
import { createHash, X509Certificate } from 'node:crypto';
import { ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import {
  type Attribute,
  BasicConstraints,
  Certificate,
  CertificateChainValidationEngine,
  ContentInfo,
  ExtKeyUsage,
  SignedData,
  TSTInfo,
} from 'pkijs';
import { toArrayBuffer } from './array-buffer.ts';
import { findCertificatePath } from './certificate-path.ts';
import { TimeStampError } from './time-stamp-error.ts';
import { hashStamped, sha256Oid } from './time-stamp-messages.ts';

const oid = {
  signedData: '1.2.840.113549.1.7.2',
  timeStampInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  signingCertificateV1: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const;

const signatureHashes: Readonly<Record<string, string>> = {
  [sha256Oid]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

export type TimeStamp = {
  readonly atMs: number;
  /** The subject of the server's certificate. */
  readonly signer: string;
};

export type ExpectedTimeStamp = {
  readonly text: string;
  /** Of the request; undefined for a stored time stamp. */
  readonly nonce?: Uint8Array | undefined;
  readonly roots: readonly X509Certificate[];
};

/** `token` is DER in base64. Throws TimeStampError. */
export async function verifyTimeStamp(token: string, expected: ExpectedTimeStamp): Promise<TimeStamp> {
  try {
    return await verify(Buffer.from(token, 'base64'), expected);
  } catch (cause) {
    if (cause instanceof TimeStampError) throw cause;
    throw new TimeStampError('it is malformed', { cause });
  }
}

async function verify(bytes: Uint8Array, { text, nonce, roots }: ExpectedTimeStamp): Promise<TimeStamp> {
  const content = ContentInfo.fromBER(toArrayBuffer(bytes));
  if (content.contentType !== oid.signedData) throw new TimeStampError('it is not signed');
  const signed = new SignedData({ schema: content.content });
  const info = readInfo(signed);
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (hashAlgorithm.algorithmId !== sha256Oid || !isEqual(hashedMessage.valueBlock.valueHexView, hashStamped(text)))
    throw new TimeStampError('it is of another statement');
  if (nonce && !(info.nonce && isEqual(info.nonce.valueBlock.valueHexView, nonce)))
    throw new TimeStampError('it has another nonce than the request');
  const atMs = info.genTime.getTime();
  if (!Number.isFinite(atMs)) throw new TimeStampError('it has no time');
  const leaf = await findSigner(signed, text);
  await checkCertificate(leaf, signed, roots, info.genTime);
  return { atMs, signer: new X509Certificate(encode(leaf)).subject.replaceAll('\n', ', ') };
}

function readInfo({ encapContentInfo }: SignedData): TSTInfo {
  const { eContentType, eContent } = encapContentInfo;
  if (eContentType !== oid.timeStampInfo || !eContent) throw new TimeStampError('it is not a time stamp');
  return TSTInfo.fromBER(eContent.getValue());
}

/** The certificate whose key has signed. The signed attributes must name it, so that no other one can take its place. */
async function findSigner(signed: SignedData, text: string): Promise<Certificate> {
  const [signerInfo, ...others] = signed.signerInfos;
  if (!signerInfo || others.length > 0) throw new TimeStampError('it has not exactly one signature');
  const attributes = signerInfo.signedAttrs?.attributes ?? [];
  const contentType = findAttribute(attributes, oid.contentType);
  if (!(contentType instanceof ObjectIdentifier) || contentType.getValue() !== oid.timeStampInfo)
    throw new TimeStampError('its signature is not of a time stamp');
  if (signatureHashes[signerInfo.digestAlgorithm.algorithmId] === undefined)
    throw new TimeStampError('its signature uses a hash that is not in SHA-2');
  const data = toArrayBuffer(Buffer.from(text));
  const result = await signed.verify({ signer: 0, data, checkChain: false, extendedMode: true }).catch((cause) => {
    throw new TimeStampError('its signature is wrong', { cause });
  });
  const { signatureVerified, signerCertificate } = result;
  if (!signatureVerified || !signerCertificate) throw new TimeStampError('its signature is wrong');
  if (!namesCertificate(attributes, encode(signerCertificate)))
    throw new TimeStampError('its signature does not name its certificate');
  return signerCertificate;
}

function findAttribute(attributes: readonly Attribute[], type: string): unknown {
  const [attribute, ...others] = attributes.filter((candidate) => candidate.type === type);
  return others.length === 0 && attribute?.values.length === 1 ? attribute.values[0] : undefined;
}

/** SigningCertificate (RFC 2634, SHA-1) or SigningCertificateV2 (RFC 5035, SHA-256 where it names no other hash). */
function namesCertificate(attributes: readonly Attribute[], certificate: Buffer): boolean {
  for (const [type, defaultHash] of [
    [oid.signingCertificateV2, 'sha256'],
    [oid.signingCertificateV1, 'sha1'],
  ] as const) {
    const named = listItems(listItems(listItems(findAttribute(attributes, type))[0])[0]);
    if (named.length === 0) continue;
    const [algorithm] = listItems(named[0]);
    const hash = algorithm instanceof ObjectIdentifier ? signatureHashes[algorithm.getValue()] : defaultHash;
    const digest = named.find((item) => item instanceof OctetString);
    if (hash === undefined || !digest) return false;
    return isEqual(digest.valueBlock.valueHexView, createHash(hash).update(certificate).digest());
  }
  return false;
}

function listItems(value: unknown): readonly unknown[] {
  return value instanceof Sequence ? value.valueBlock.value : [];
}

/** At the time of the time stamp; it was valid then, whatever has expired since. */
async function checkCertificate(
  leaf: Certificate,
  signed: SignedData,
  roots: readonly X509Certificate[],
  at: Date,
): Promise<void> {
  const usage = leaf.extensions?.find(({ extnID }) => extnID === oid.extendedKeyUsage);
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : [];
  if (!usage?.critical || purposes.length !== 1 || purposes[0] !== oid.timeStamping)
    throw new TimeStampError('its certificate is not for time stamps alone');
  const certificates = (signed.certificates ?? []).flatMap((certificate) =>
    certificate instanceof Certificate ? [new X509Certificate(encode(certificate))] : [],
  );
  const path = findCertificatePath(new X509Certificate(encode(leaf)), certificates, roots);
  const expired = path.find(({ validFromDate, validToDate }) => at < validFromDate || at > validToDate);
  if (expired)
    throw new TimeStampError(
      `its certificate ${expired.subject.replaceAll('\n', ', ')} had expired, or was not valid yet`,
    );
  const certificatePath = path.map(({ raw }) => Certificate.fromBER(toArrayBuffer(raw)));
  if (certificatePath.some(isTooDeep)) throw new TimeStampError('its certificate is not valid: its path is too long');
  const [root, ...between] = certificatePath.toReversed();
  const engine = new CertificateChainValidationEngine({
    trustedCerts: root ? [root] : [],
    certs: between,
    checkDate: at,
  });
  const { result, resultMessage } = await engine.verify();
  if (!result) throw new TimeStampError(`its certificate is not valid: ${resultMessage}`);
}

/** The engine of the library does not compare the length of the path. `index` is from the leaf on. */
function isTooDeep({ extensions }: Certificate, index: number): boolean {
  const constraints = extensions?.find(({ parsedValue }) => parsedValue instanceof BasicConstraints)?.parsedValue;
  const limit = constraints instanceof BasicConstraints ? constraints.pathLenConstraint : undefined;
  return typeof limit === 'number' && index - 1 > limit;
}

function encode(certificate: Certificate): Buffer {
  return Buffer.from(certificate.toSchema(true).toBER());
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
