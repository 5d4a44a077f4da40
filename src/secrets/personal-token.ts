/**
 * Personal access tokens: `vph_`, 256 random bits as 43 characters of [0-9A-Za-z], and a checksum of 6 more. Secret
 * scanners find one by `vph_[0-9A-Za-z]{49}` and tell it from a look-alike by the checksum, as we tell a typo from a token
 * that we do not know.
 */
import { crc32 } from 'node:zlib';
import type { Random } from '../environment/random.ts';

/** What personal access tokens begin with. */
export const personalTokenPrefix = 'vph_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text;
  return text;
}

function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

/** A new token. */
export function mintPersonalToken(random: Random): string {
  const secret = BigInt(`0x${Buffer.from(random.bytes(32)).toString('hex')}`);
  const body = personalTokenPrefix + base62(secret, secretLength);
  return body + checksumOf(body);
}

/** True for whatever wants to be a personal access token. */
export function looksPersonal(text: string): boolean {
  return text.startsWith(personalTokenPrefix);
}

/** True for a text in the form of a token whose checksum is right; whether it was ever given out is another question. */
export function isPersonalToken(text: string): boolean {
  if (!/^vph_[0-9A-Za-z]{49}$/.test(text)) return false;
  return text.slice(-checksumLength) === checksumOf(text.slice(0, -checksumLength));
}
