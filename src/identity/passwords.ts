/** Passwords at rest: argon2id (RFC 9106) of the runtime, in the PHC string format, so that its cost can grow. */
import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../environment/random.ts';
import type { IdentitySettings } from './settings.ts';
import { createTurns } from './turns.ts';

/** Hashes and compares, a bounded number at a time; further ones wait, too many are refused with RATE_LIMITED. */
export type Passwords = {
  hash(password: string): Promise<string>;
  /** Takes as long without a stored password (no such account) as with one, and is false then. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
};

type Cost = { readonly memoryKiB: number; readonly passes: number };
type Parts = Cost & { readonly salt: Buffer; readonly tag: Buffer };

const derive = promisify(argon2);
const tagBytes = 32;

/** The same text can be typed as different code points. */
function digest(password: string, salt: Uint8Array, { memoryKiB, passes }: Cost): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'));
  return derive('argon2id', { message, nonce: salt, parallelism: 1, tagLength: tagBytes, memory: memoryKiB, passes });
}

function textOf({ memoryKiB, passes, salt, tag }: Parts): string {
  const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${bare(salt)}$${bare(tag)}`;
}

function partsOf(stored: string): Parts | undefined {
  const shape = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
  const [, memory, passes, salt = '', tag = ''] = shape.exec(stored) ?? [];
  if (memory === undefined) return undefined;
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  return { memoryKiB: Number(memory), passes: Number(passes), salt: bytes(salt), tag: bytes(tag) };
}

/** Passwords with the cost of `settings`. */
export function createPasswords(
  { password: cost, hashing }: Pick<IdentitySettings, 'password' | 'hashing'>,
  random: Random,
): Passwords {
  const inTurn = createTurns(hashing.atOnce, hashing.waiting);
  return {
    async hash(password) {
      const salt = Buffer.from(random.bytes(16));
      return textOf({ ...cost, salt, tag: await inTurn(() => digest(password, salt, cost)) });
    },
    async verify(password, stored) {
      const parts = stored === undefined ? undefined : partsOf(stored);
      const salt = parts?.salt ?? Buffer.alloc(16);
      const tag = await inTurn(() => digest(password, salt, parts ?? cost));
      return parts !== undefined && parts.tag.length === tag.length && timingSafeEqual(parts.tag, tag);
    },
  };
}
