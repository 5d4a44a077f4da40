import { runProcess } from '../../process/run-process.ts';
import { checkPassed, createProblem, type SetupCheck } from '../checks/setup-check.ts';
import type { PreflightContext } from './context.ts';

const versionCommand = 'echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"';
const timeoutMs = 5000;

/** The kit's scripts need bash and check its version themselves; vp does not need it. */
export const bashCheck: SetupCheck<Pick<PreflightContext, 'environment'>> = {
  id: 'bash',
  title: 'bash 4.4 or newer, first on PATH',
  async inspect({ environment }) {
    const { variables, platform } = environment;
    const { kind, stdout } = await runProcess('bash', ['-c', versionCommand], { variables, timeoutMs });
    const version = /^(\d+)\.(\d+)$/.exec(stdout.trim());
    if (version && isNewEnough(Number(version[1]), Number(version[2]))) return checkPassed(`bash ${version[0]}`);
    const finding =
      kind === 'absent' || !version ? 'there is no bash on PATH' : `the first bash on PATH is ${version[0]}`;
    const install = platform === 'darwin' ? 'brew install bash' : 'sudo apt-get install bash';
    return { facts: [], problems: [createProblem('BASH_TOO_OLD_FOR_SCRIPTS', { problem: finding, install })] };
  },
};

function isNewEnough(major: number, minor: number): boolean {
  return major > 4 || (major === 4 && minor >= 4);
}
