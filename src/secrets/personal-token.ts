/**
 * Personal access tokens: `vph_`, 256 random bits as 43 characters of [0-9A-Za-z], and a checksum of 6 characters. Secret
 * scanners find one by `vph_[0-9A-Za-z]{49}` and exclude look-alikes by the checksum; it also tells a typo from an unknown
 * token.
 */
import { crc32 } from 'node:zlib';
import type { Random } from '../environment/random.ts';

const personalTokenPrefix = 'vph_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;

function base62(value: bigint, length: number): string {
  let text = '';
  for (let remaining = value; text.length < length; remaining /= 62n)
    text = alphabet.charAt(Number(remaining % 62n)) + text;
  return text;
}

function computeChecksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

export function mintPersonalToken(random: Random): string {
  const secret = BigInt(`0x${Buffer.from(random.bytes(32)).toString('hex')}`);
  const body = personalTokenPrefix + base62(secret, secretLength);
  return body + computeChecksum(body);
}

/** True for anything with the prefix of a personal access token. */
export function hasPersonalTokenPrefix(text: string): boolean {
  return text.startsWith(personalTokenPrefix);
}

/** True for a well-formed token with a correct checksum, whether or not it exists. */
export function isPersonalToken(text: string): boolean {
  if (!/^vph_[0-9A-Za-z]{49}$/.test(text)) return false;
  return text.slice(-checksumLength) === computeChecksum(text.slice(0, -checksumLength));
}
