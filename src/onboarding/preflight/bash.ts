import { runProgram } from '../../process/run-program.ts';
import { type Check, fine, problem } from './check.ts';
import type { PreflightContext } from './context.ts';

const question = 'echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"';
const limitMs = 5000;

/** The bash that is first on PATH runs the kit's scripts, which refuse one that is too old by themselves; vp needs none. */
export const bashCheck: Check<Pick<PreflightContext, 'place'>> = {
  id: 'bash',
  title: 'bash 4.4 or newer, first on PATH',
  async look({ place }) {
    const { variables, platform } = place;
    const { kind, stdout } = await runProgram('bash', ['-c', question], { variables, timeoutMs: limitMs });
    const version = /^(\d+)\.(\d+)$/.exec(stdout.trim());
    if (version && isNewEnough(Number(version[1]), Number(version[2]))) return fine(`bash ${version[0]}`);
    const found =
      kind === 'absent' || !version ? 'there is no bash on PATH' : `the first bash on PATH is ${version[0]}`;
    const install = platform === 'darwin' ? 'brew install bash' : 'sudo apt-get install bash';
    return { facts: [], problems: [problem('BASH_TOO_OLD_FOR_SCRIPTS', { found, install })] };
  },
};

function isNewEnough(major: number, minor: number): boolean {
  return major > 4 || (major === 4 && minor >= 4);
}
