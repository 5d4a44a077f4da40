/** Password hashes: argon2id (RFC 9106) of the runtime in the PHC string format, which allows the cost to be raised later. */
import { argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '../../environment/random.ts';
import { createConcurrencyLimiter } from '../../limits/concurrency-limiter.ts';
import type { IdentitySettings } from '../settings.ts';

/** Hashes and verifies a bounded number of passwords at a time; throws RATE_LIMITED when the queue is full. */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** Takes as long without a stored hash (no such account) as with one, and returns false then. */
  verify(password: string, stored: string | undefined): Promise<boolean>;
};

type HashCost = { readonly memoryKiB: number; readonly passes: number };
type StoredHash = HashCost & { readonly salt: Buffer; readonly tag: Buffer };

const derive = promisify(argon2);
const tagBytes = 32;

/** Normalizes first: the same text can be typed as different code points. */
function computeTag(password: string, salt: Uint8Array, { memoryKiB, passes }: HashCost): Promise<Buffer> {
  const message = Buffer.from(password.normalize('NFC'));
  return derive('argon2id', { message, nonce: salt, parallelism: 1, tagLength: tagBytes, memory: memoryKiB, passes });
}

function formatHash({ memoryKiB, passes, salt, tag }: StoredHash): string {
  const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${encode(salt)}$${encode(tag)}`;
}

function parseHash(stored: string): StoredHash | undefined {
  const pattern = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
  const [, memory, passes, salt = '', tag = ''] = pattern.exec(stored) ?? [];
  if (memory === undefined) return undefined;
  const decode = (text: string): Buffer => Buffer.from(text, 'base64');
  return { memoryKiB: Number(memory), passes: Number(passes), salt: decode(salt), tag: decode(tag) };
}

export function createPasswordHasher(
  { password: cost, hashing }: Pick<IdentitySettings, 'password' | 'hashing'>,
  random: Random,
): PasswordHasher {
  const runLimited = createConcurrencyLimiter(hashing.maxRunning, hashing.maxQueued);
  return {
    async hash(password) {
      const salt = Buffer.from(random.bytes(16));
      return formatHash({ ...cost, salt, tag: await runLimited(() => computeTag(password, salt, cost)) });
    },
    async verify(password, stored) {
      const storedHash = stored === undefined ? undefined : parseHash(stored);
      const salt = storedHash?.salt ?? Buffer.alloc(16);
      const tag = await runLimited(() => computeTag(password, salt, storedHash ?? cost));
      return storedHash !== undefined && storedHash.tag.length === tag.length && timingSafeEqual(storedHash.tag, tag);
    },
  };
}
