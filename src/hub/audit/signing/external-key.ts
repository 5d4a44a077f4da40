/** Keys of statements outside of this process: in an ssh-agent, or behind a command. */
import type { Clock } from '../../../environment/clock.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { runProcess } from '../../../process/run-process.ts';
import { type AnchorKey, isSignedByAnchorKey, parsePublicAnchorKey, toSignedText } from './anchor-key.ts';
import { parseOpenSshKey } from './openssh-key.ts';
import { SshAgentError, signWithAgent } from './ssh-agent.ts';

type Signer = (text: string) => Promise<Buffer>;

/** A signature of another key, or of another text, never becomes part of a statement. */
function createExternalKey(name: string, publicKey: string, sign: Signer): AnchorKey {
  return {
    publicKey,
    async sign(text) {
      const signature = (await sign(toSignedText(text))).toString('base64url');
      if (isSignedByAnchorKey(publicKey, text, signature)) return signature;
      throw vpError('AUDIT_KEY_UNAVAILABLE', { key: name, problem: 'what it returned is no signature of this key' });
    },
  };
}

export type AgentKeyOptions = { readonly socket: string; readonly clock: Pick<Clock, 'after'> };

/** `text` is the public key as `ssh-keygen` writes it. The agent need not be there yet. Throws AUDIT_KEY_UNUSABLE. */
export function createAgentKey(name: string, text: string, agent: AgentKeyOptions): AnchorKey {
  const key = parseOpenSshKey(text, name);
  return createExternalKey(name, key.publicKey, async (signedText) => {
    try {
      return await signWithAgent(agent, key, Buffer.from(signedText));
    } catch (error) {
      if (!(error instanceof SshAgentError)) throw error;
      throw vpError('AUDIT_KEY_UNAVAILABLE', { key: name, problem: error.message }, { cause: error });
    }
  });
}

const commandTimeoutMs = 15_000;

export type CommandOptions = {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

/**
 * `program public-key` prints the public key (PEM, OpenSSH or base64url), `program sign` reads the text from its input and prints
 * the signature in base64. Throws AUDIT_KEY_UNAVAILABLE, AUDIT_KEY_UNUSABLE.
 */
export async function openCommandKey(name: string, program: string, options: CommandOptions): Promise<AnchorKey> {
  const run = async (action: string, input?: string): Promise<string> => {
    const { kind, exitCode, stdout } = await runProcess(program, [action], {
      ...options,
      // The master key, and credentials of vp, are none of its business.
      variables: Object.fromEntries(Object.entries(options.variables).filter(([key]) => !key.startsWith('VP_'))),
      timeoutMs: commandTimeoutMs,
      input,
    });
    if (kind === 'exited' && exitCode === 0) return stdout.trim();
    const problem = kind === 'exited' ? `ended with exit code ${exitCode}` : commandProblems[kind];
    throw vpError('AUDIT_KEY_UNAVAILABLE', { key: name, problem: `\`${program} ${action}\` ${problem}` });
  };
  const text = await run('public-key');
  const publicKey = /^[\w-]{43}$/.test(text) ? text : parsePublicAnchorKey(text, name);
  return createExternalKey(name, publicKey, async (signedText) => Buffer.from(await run('sign', signedText), 'base64'));
}

const commandProblems = {
  absent: 'is not there, or may not be executed',
  timed_out: `did not end within ${commandTimeoutMs / 1000} s`,
  cancelled: 'was ended',
  flooded: 'printed too much',
  killed: 'was killed',
} as const;
