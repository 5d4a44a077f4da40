/**
 * Certificates for tests, encoded here: `openssl` takes five processes for a root and a leaf, and a process is expensive to start from one that
 * has loaded much (0.04 s each, measured).
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';

/** PEM texts. */
export type KeyPair = { readonly key: string; readonly cert: string };
/** A root certificate that can sign. */
export type RootCertificate = KeyPair & {
  readonly file: string;
  leaf(name: string, options?: LeafOptions): KeyPair;
};
/** `expired`: valid for one day of 2020. */
export type LeafOptions = { readonly expired?: boolean };

/** An element of DER (X.690) whose length needs at most two bytes. */
function encode(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const short = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...short]), content]);
}

const sequence = (...contents: readonly Buffer[]): Buffer => encode(0x30, ...contents);
const octets = (content: Buffer): Buffer => encode(0x04, content);
const bits = (content: Buffer): Buffer => encode(0x03, Buffer.from([0]), content);
const identifier = (hex: string): Buffer => encode(0x06, Buffer.from(hex, 'hex'));
const isTrue = encode(0x01, Buffer.from([0xff]));

const ids = {
  commonName: identifier('550403'),
  ecdsaWithSha256: identifier('2a8648ce3d040302'),
  subjectKey: identifier('551d0e'),
  issuerKey: identifier('551d23'),
  subjectNames: identifier('551d11'),
  basicConstraints: identifier('551d13'),
};

const encodeName = (name: string): Buffer =>
  sequence(encode(0x31, sequence(ids.commonName, encode(0x0c, Buffer.from(name)))));

/** UTCTime: two digits of the year, and seconds. */
const encodeTime = (date: Date): Buffer =>
  encode(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/\D/g, '')}Z`));

const toPem = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;

const encodeKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const digestKey = (key: KeyObject): Buffer => createHash('sha1').update(encodeKey(key)).digest();

type Issuer = { readonly name: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject };
type Subject = {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly validity: readonly [Date, Date];
  readonly extensions: readonly Buffer[];
};

function createCertificate(issuer: Issuer, { name, publicKey, validity, extensions }: Subject): string {
  const algorithm = sequence(ids.ecdsaWithSha256);
  const serial = randomBytes(16);
  serial[0] = 0x40;
  const keys = [
    sequence(ids.subjectKey, octets(octets(digestKey(publicKey)))),
    sequence(ids.issuerKey, octets(sequence(encode(0x80, digestKey(issuer.publicKey))))),
  ];
  const content = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))),
    encode(0x02, serial),
    algorithm,
    encodeName(issuer.name),
    sequence(...validity.map(encodeTime)),
    encodeName(name),
    encodeKey(publicKey),
    encode(0xa3, sequence(...keys, ...extensions)),
  );
  return toPem(sequence(content, algorithm, bits(sign('sha256', content, issuer.privateKey))));
}

const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

const dayMs = 86_400_000;

function getValidity(): readonly [Date, Date] {
  const nowMs = Date.now();
  return [new Date(nowMs), new Date(nowMs + 2 * dayMs)];
}

function encodePair({ privateKey }: ReturnType<typeof createKeys>, cert: string): KeyPair {
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert };
}

/** A new root certificate; it is also in a file of `folder`. */
export function createRootCertificate(folder: string): RootCertificate {
  const keys = createKeys();
  const issuer = { name: 'vp test root', ...keys };
  const isAuthority = sequence(ids.basicConstraints, isTrue, octets(sequence(isTrue)));
  const subject = { ...issuer, validity: getValidity(), extensions: [isAuthority] };
  const cert = createCertificate(issuer, subject);
  const file = join(folder, 'root.pem');
  writeFileSync(file, cert);
  return { ...encodePair(keys, cert), file, leaf: (name, options) => createLeaf(issuer, name, options) };
}

/** Signs a certificate for the DNS name or the IPv4 address `name`. */
function createLeaf(issuer: Issuer, name: string, { expired = false }: LeafOptions = {}): KeyPair {
  const keys = createKeys();
  const subjectName = isIPv4(name)
    ? encode(0x87, Buffer.from(name.split('.').map(Number)))
    : encode(0x82, Buffer.from(name));
  const extensions = [sequence(ids.subjectNames, octets(sequence(subjectName)))];
  const validity = expired ? ([new Date('2020-01-01'), new Date('2020-01-02')] as const) : getValidity();
  return encodePair(keys, createCertificate(issuer, { name, publicKey: keys.publicKey, validity, extensions }));
}
