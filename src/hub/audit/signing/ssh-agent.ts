/**
 * Signs with a key that an ssh-agent has (draft-ietf-sshm-ssh-agent): the key never enters this process. Each request opens its
 * own connection, so that an agent that was started again, or unlocked, is used without a restart.
 */
import { connect } from 'node:net';
import type { Clock } from '../../../environment/clock.ts';
import { withTimeout } from '../../../timing/timeout.ts';
import { type OpenSshKey, sshKeyType } from './openssh-key.ts';
import { SshReader, toUint32, writeSshString } from './ssh-wire.ts';

const request = { identities: 11, sign: 13 } as const;
const answer = { failure: 5, identities: 12, signature: 14 } as const;

/** Long enough for a person who confirms each use of the key (`ssh-add -c`). */
const agentTimeoutMs = 15_000;
const maxAnswerBytes = 262_144;

export type SshAgent = {
  readonly socket: string;
  readonly clock: Pick<Clock, 'after'>;
};

/** What the agent could not do, for people. */
export class SshAgentError extends Error {
  override readonly name = 'SshAgentError';
}

/** The 64 bytes of an Ed25519 signature. Throws SshAgentError. */
export async function signWithAgent(agent: SshAgent, { blob }: OpenSshKey, data: Uint8Array): Promise<Buffer> {
  const message = [Buffer.from([request.sign]), writeSshString(blob), writeSshString(data), toUint32(0)];
  const response = await exchange(agent, Buffer.concat(message));
  if (response[0] === answer.failure) throw new SshAgentError(await explainRefusal(agent, blob));
  return parseAnswer(response, answer.signature, (reader) => {
    const signature = new SshReader(reader.string());
    const type = signature.string().toString('latin1');
    const bytes = signature.string();
    if (type !== sshKeyType || bytes.length !== 64) throw new RangeError(`a signature of the type ${type}`);
    return bytes;
  });
}

/** A locked agent lists no keys, and refuses like one that does not have the key. */
async function explainRefusal(agent: SshAgent, blob: Buffer): Promise<string> {
  const keys = await listKeys(agent);
  if (keys.some((key) => key.equals(blob))) return 'the ssh-agent has the key and refused to sign with it';
  if (keys.length === 0) return 'the ssh-agent has no keys: it is locked, or they were removed';
  return `the ssh-agent does not have the key; it has ${keys.length} other${keys.length === 1 ? '' : 's'}`;
}

async function listKeys(agent: SshAgent): Promise<Buffer[]> {
  const response = await exchange(agent, Buffer.from([request.identities]));
  return parseAnswer(response, answer.identities, (reader) => {
    const keys: Buffer[] = [];
    for (let remaining = reader.uint32(); remaining > 0; remaining -= 1) {
      keys.push(reader.string());
      reader.string();
    }
    return keys;
  });
}

function parseAnswer<T>(response: Buffer, type: number, read: (reader: SshReader) => T): T {
  try {
    if (response[0] === type) return read(new SshReader(response.subarray(1)));
  } catch {
    // The same as an answer of another type.
  }
  throw new SshAgentError(`what answers at its socket is not an ssh-agent, or it sent a malformed answer`);
}

async function exchange({ socket: path, clock }: SshAgent, message: Buffer): Promise<Buffer> {
  const createError = () => new SshAgentError(`the ssh-agent did not answer within ${agentTimeoutMs / 1000} s`);
  return await withTimeout({ clock, timeoutMs: agentTimeoutMs, createError }, async (signal) => {
    const socket = connect({ path });
    const close = (): void => void socket.destroy();
    signal.addEventListener('abort', close, { once: true });
    try {
      socket.write(writeSshString(message));
      return await readAnswer(socket);
    } catch (error) {
      if (error instanceof SshAgentError) throw error;
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new SshAgentError(`the ssh-agent cannot be reached: ${reason}`);
    } finally {
      close();
    }
  });
}

async function readAnswer(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length < 5) continue;
    const length = bytes.readUInt32BE(0);
    if (length === 0 || length > maxAnswerBytes) break;
    if (bytes.length >= length + 4) return bytes.subarray(4, length + 4);
  }
  throw new SshAgentError('the ssh-agent closed the connection, or what answers at its socket is not one');
}
